-- History: the states that entries, files and registry items had before a write replaced them. Trash: what was deleted.

-- The event that made the present content; a move makes none.
ALTER TABLE entry ADD COLUMN content_revision {integer} NOT NULL DEFAULT 0;
UPDATE entry SET content_revision = revision;
ALTER TABLE file ADD COLUMN content_revision {integer} NOT NULL DEFAULT 0;
UPDATE file SET content_revision = revision;
-- Both 0 for an item that was set before it had history.
ALTER TABLE registry_item ADD COLUMN content_revision {integer} NOT NULL DEFAULT 0;
ALTER TABLE registry_item ADD COLUMN modified_at {integer} NOT NULL DEFAULT 0;

-- Of a deleted thing, too, until it is purged.
CREATE TABLE history (
  -- In the order of the writes, which is that of their ages.
  id {number_key},
  noun {text} NOT NULL,
  -- The uuid of an entry or a file, the key of a registry item.
  thing {text} NOT NULL,
  -- The event that made the state, and the one that replaced it.
  revision {integer} NOT NULL,
  next_revision {integer} NOT NULL,
  replaced_at {integer} NOT NULL,
  replaced_by {text} NOT NULL,
  -- The fields of the service, a JSON object: see src/version/history.ts.
  fields {text} NOT NULL,
  -- Of a file: its bytes then.
  blob {text} REFERENCES blob (hash),
  bytes {integer} NOT NULL,
  -- What the client stored: the data of an entry, the fields of a file, the value of a registry item. The last column:
  -- to read one after it, SQLite follows every page of this one.
  data {text} NOT NULL,
  UNIQUE (noun, thing, next_revision)
) {strict};
CREATE INDEX history_by_blob ON history (blob) WHERE blob IS NOT NULL;

-- One DELETE, by the sequence of its event.
CREATE TABLE trash_item (
  id {number_key},
  noun {text} NOT NULL,
  path {text} NOT NULL,
  count {integer} NOT NULL,
  bytes {integer} NOT NULL,
  deleted_at {integer} NOT NULL,
  deleted_by {text} NOT NULL,
  -- 1 when it is gone for everybody; its rows are removed some at a time.
  is_purged {integer} NOT NULL
) {strict};
CREATE INDEX trash_item_purged ON trash_item (id) WHERE is_purged = 1;

CREATE TABLE trash_entry (
  item {integer} NOT NULL REFERENCES trash_item (id),
  slug {text} NOT NULL,
  -- The parent's path.
  parent {text} NOT NULL,
  uuid {text} NOT NULL,
  data {text} NOT NULL,
  published_at {integer} NOT NULL,
  created_at {integer} NOT NULL,
  modified_at {integer} NOT NULL,
  published_by {text} NOT NULL,
  created_by {text} NOT NULL,
  routable {integer} NOT NULL,
  visibility {text} NOT NULL,
  revision {integer} NOT NULL,
  content_revision {integer} NOT NULL,
  PRIMARY KEY (item, slug)
) {strict};

CREATE TABLE trash_folder (
  item {integer} NOT NULL REFERENCES trash_item (id),
  path {text} NOT NULL,
  -- The path of the folder above.
  parent {text} NOT NULL,
  created_at {integer} NOT NULL,
  modified_at {integer} NOT NULL,
  PRIMARY KEY (item, path)
) {strict};

CREATE TABLE trash_file (
  item {integer} NOT NULL REFERENCES trash_item (id),
  -- The folder's path.
  folder {text} NOT NULL,
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
  uuid {text} NOT NULL,
  content_revision {integer} NOT NULL,
  PRIMARY KEY (item, folder, name)
) {strict};
CREATE INDEX trash_file_by_blob ON trash_file (blob);

-- index_partial is 2 for a row that has no index rows yet: what is restored in bulk enters the index some at a time.
DROP INDEX entry_partial;
CREATE INDEX entry_partial ON entry (parent, listing) WHERE index_partial > 0;
DROP INDEX file_partial;
CREATE INDEX file_partial ON file (folder) WHERE index_partial > 0;
