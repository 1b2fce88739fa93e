-- Folders, files and the ledger of blobs. A file names its folder by number, so that moving a folder touches the rows
-- of folders only, however many files lie inside.

CREATE TABLE folder (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  -- Null for the root alone, which is the empty path and always there.
  parent INTEGER REFERENCES folder (id),
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT;
CREATE INDEX folder_by_parent ON folder (parent, path);
INSERT INTO folder (path, parent, created_at, modified_at, revision) VALUES ('', NULL, 0, 0, 0);

CREATE TABLE blob (
  hash TEXT NOT NULL PRIMARY KEY,
  size INTEGER NOT NULL,
  -- When a file last let go of it, or an upload last asked for it. Says nothing while a file has it.
  unreferenced_since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  folder INTEGER NOT NULL REFERENCES folder (id),
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  type TEXT NOT NULL,
  blob TEXT NOT NULL REFERENCES blob (hash),
  size INTEGER NOT NULL,
  uploaded_at INTEGER NOT NULL,
  width INTEGER,
  height INTEGER,
  is_color INTEGER,
  meta TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  UNIQUE (folder, name)
) STRICT;
CREATE INDEX file_by_blob ON file (blob);

-- How far each follower of the event log has come.
CREATE TABLE event_position (
  follower TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What signs addresses where the settings name no key.
INSERT INTO store_state (name, value) VALUES ('signing_key', lower(hex(randomblob(32))));
