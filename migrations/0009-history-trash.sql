-- History: the states that entries, files and registry items had before a write replaced them. Trash: what was deleted.

-- The event that made the present content; a move makes none.
ALTER TABLE entry ADD COLUMN content_revision INTEGER NOT NULL DEFAULT 0;
UPDATE entry SET content_revision = revision;
ALTER TABLE file ADD COLUMN content_revision INTEGER NOT NULL DEFAULT 0;
UPDATE file SET content_revision = revision;
-- Both 0 for an item that was set before it had history.
ALTER TABLE registry_item ADD COLUMN content_revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE registry_item ADD COLUMN modified_at INTEGER NOT NULL DEFAULT 0;

-- Of a deleted thing, too, until it is purged.
CREATE TABLE history (
  -- In the order of the writes, which is that of their ages.
  id INTEGER PRIMARY KEY,
  noun TEXT NOT NULL,
  -- The uuid of an entry or a file, the key of a registry item.
  thing TEXT NOT NULL,
  -- The event that made the state, and the one that replaced it.
  revision INTEGER NOT NULL,
  next_revision INTEGER NOT NULL,
  replaced_at INTEGER NOT NULL,
  replaced_by TEXT NOT NULL,
  -- The fields of the service, a JSON object: see src/domain/history.ts.
  fields TEXT NOT NULL,
  -- Of a file: its bytes then.
  blob TEXT REFERENCES blob (hash),
  bytes INTEGER NOT NULL,
  -- What the client stored: the data of an entry, the fields of a file, the value of a registry item. The last column:
  -- to read one after it, SQLite follows every page of this one.
  data TEXT NOT NULL,
  UNIQUE (noun, thing, next_revision)
) STRICT;
CREATE INDEX history_by_blob ON history (blob) WHERE blob IS NOT NULL;

-- One DELETE, by the sequence of its event.
CREATE TABLE trash_item (
  id INTEGER PRIMARY KEY,
  noun TEXT NOT NULL,
  path TEXT NOT NULL,
  count INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL,
  deleted_by TEXT NOT NULL,
  -- 1 when it is gone for everybody; its rows are removed some at a time.
  is_purged INTEGER NOT NULL
) STRICT;
CREATE INDEX trash_item_purged ON trash_item (id) WHERE is_purged = 1;

CREATE TABLE trash_entry (
  item INTEGER NOT NULL REFERENCES trash_item (id),
  slug TEXT NOT NULL,
  -- The parent's path.
  parent TEXT NOT NULL,
  uuid TEXT NOT NULL,
  data TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  published_by TEXT NOT NULL,
  created_by TEXT NOT NULL,
  routable INTEGER NOT NULL,
  visibility TEXT NOT NULL,
  revision INTEGER NOT NULL,
  content_revision INTEGER NOT NULL,
  PRIMARY KEY (item, slug)
) STRICT;

CREATE TABLE trash_folder (
  item INTEGER NOT NULL REFERENCES trash_item (id),
  path TEXT NOT NULL,
  -- The path of the folder above.
  parent TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  PRIMARY KEY (item, path)
) STRICT;

CREATE TABLE trash_file (
  item INTEGER NOT NULL REFERENCES trash_item (id),
  -- The folder's path.
  folder TEXT NOT NULL,
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
  uuid TEXT NOT NULL,
  content_revision INTEGER NOT NULL,
  PRIMARY KEY (item, folder, name)
) STRICT;
CREATE INDEX trash_file_by_blob ON trash_file (blob);

-- index_partial is 2 for a row that has no index rows yet: what is restored in bulk enters the index some at a time.
DROP INDEX entry_partial;
CREATE INDEX entry_partial ON entry (parent, listing) WHERE index_partial > 0;
DROP INDEX file_partial;
CREATE INDEX file_partial ON file (folder) WHERE index_partial > 0;
