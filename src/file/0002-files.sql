-- Folders, files and the ledger of blobs. A file names its folder by number, so that moving a folder touches the rows
-- of folders only, however many files lie inside.

CREATE TABLE folder (
  id {number_key},
  path {text} NOT NULL UNIQUE,
  -- Null for the root alone, which is the empty path and always there.
  parent {integer} REFERENCES folder (id),
  created_at {integer} NOT NULL,
  modified_at {integer} NOT NULL,
  revision {integer} NOT NULL
) {strict};
CREATE INDEX folder_by_parent ON folder (parent, path);
INSERT INTO folder (path, parent, created_at, modified_at, revision) VALUES ('', NULL, 0, 0, 0);

CREATE TABLE blob (
  hash {text} NOT NULL PRIMARY KEY,
  size {integer} NOT NULL,
  -- When a file last let go of it, or an upload last asked for it. Says nothing while a file has it.
  unreferenced_since {integer} NOT NULL
) {strict_by_key};

CREATE TABLE file (
  id {number_key},
  folder {integer} NOT NULL REFERENCES folder (id),
  name {text} NOT NULL,
  title {text} NOT NULL,
  description {text} NOT NULL,
  type {text} NOT NULL,
  blob {text} NOT NULL REFERENCES blob (hash),
  size {integer} NOT NULL,
  uploaded_at {integer} NOT NULL,
  width {integer},
  height {integer},
  is_color {integer},
  meta {text} NOT NULL,
  created_at {integer} NOT NULL,
  modified_at {integer} NOT NULL,
  revision {integer} NOT NULL,
  UNIQUE (folder, name)
) {strict};
CREATE INDEX file_by_blob ON file (blob);

-- How far each follower of the event log has come.
CREATE TABLE event_position (
  follower {text} NOT NULL PRIMARY KEY,
  sequence {integer} NOT NULL
) {strict_by_key};

-- What signs addresses where the settings name no key.
INSERT INTO store_state (name, value) VALUES ('signing_key', {new_secret});
