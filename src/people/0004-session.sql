-- Sessions of the admin page. A row says only that one lives and which tokens it goes with; the tokens' secrets stay in
-- the cookie. Backups leave the table out.
CREATE TABLE session (
  id {text} NOT NULL PRIMARY KEY,
  -- The id of the management token, and that of the access token beside it.
  actor {text} NOT NULL,
  access_token_id {text} NOT NULL,
  created_at {integer} NOT NULL,
  -- At most a minute behind.
  last_seen_at {integer} NOT NULL,
  expires_at {integer} NOT NULL
) {strict};
CREATE INDEX session_by_actor ON session (actor, created_at);
CREATE INDEX session_by_access_token ON session (access_token_id);
