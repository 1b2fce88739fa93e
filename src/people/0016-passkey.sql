-- Passkeys of people. See src/people/passkey.ts.
CREATE TABLE passkey (
  id {text} NOT NULL PRIMARY KEY,
  person {text} NOT NULL REFERENCES person (id),
  name {text} NOT NULL,
  -- The id that the authenticator gave it, base64url.
  credential {text} NOT NULL UNIQUE,
  -- Its SubjectPublicKeyInfo, base64url.
  public_key {text} NOT NULL,
  -- Names with commas.
  transports {text} NOT NULL,
  counter {integer} NOT NULL,
  created_at {integer} NOT NULL,
  last_used_at {integer},
  -- When its counter was last not above the one before; null for never.
  counter_back_at {integer}
) {strict};
CREATE INDEX passkey_by_person ON passkey (person, created_at, id);

-- Challenges that were used, until they end. Backups leave the table out.
CREATE TABLE passkey_challenge (
  challenge {text} NOT NULL PRIMARY KEY,
  expires_at {integer} NOT NULL
) {strict};
CREATE INDEX passkey_challenge_by_expiry ON passkey_challenge (expires_at);
