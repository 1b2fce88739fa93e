-- Roles that an owner made; those that are built in have no rows. See src/people/role.ts.
CREATE TABLE role (
  id {text} NOT NULL PRIMARY KEY,
  title {text} NOT NULL,
  -- Names with commas.
  resources {text} NOT NULL,
  -- A line each; none is everywhere.
  paths {text} NOT NULL,
  writes {text} NOT NULL
) {strict};

-- People. One who is deleted keeps a row with the name, for the log.
CREATE TABLE person (
  id {text} NOT NULL PRIMARY KEY,
  name {text} NOT NULL,
  email {text} NOT NULL,
  -- The address without case, which is unique; null for one who is deleted.
  email_key {text} UNIQUE,
  role {text} NOT NULL,
  state {text} NOT NULL,
  -- The password's hash as PHC text; null without one.
  password {text},
  created_at {integer} NOT NULL,
  -- At most a minute behind.
  last_seen_at {integer}
) {strict};
CREATE INDEX person_by_created ON person (created_at, id);
CREATE INDEX person_by_role ON person (role);

-- The one-use link of a person: of an invitation or a reset. Backups leave the table out.
CREATE TABLE person_link (
  -- The SHA-256 of its code, in hex.
  hash {text} NOT NULL PRIMARY KEY,
  person {text} NOT NULL UNIQUE REFERENCES person (id),
  expires_at {integer} NOT NULL
) {strict};
