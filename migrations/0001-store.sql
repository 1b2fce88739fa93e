-- Entries, their field index, registry items, tokens and the event log. Text compares bytewise (SQLite's BINARY).

-- Paths that have entries directly below them, interned: a subtree move renames a few of these rows in place of
-- every index row below. The root is the empty path.
CREATE TABLE parent (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  parent INTEGER NOT NULL REFERENCES parent (id),
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
  -- 1 when the entry has more index rows than are kept: filters must look at it whatever the index says.
  index_partial INTEGER NOT NULL
) STRICT;
CREATE INDEX entry_by_parent ON entry (parent, slug);
CREATE INDEX entry_partial ON entry (parent) WHERE index_partial = 1;

CREATE TABLE field_key (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- One row for each scalar and array element: see src/adapters/sql/index/field.ts for the kinds.
CREATE TABLE entry_field (
  parent INTEGER NOT NULL,
  key INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  number REAL NOT NULL,
  text TEXT NOT NULL,
  entry INTEGER NOT NULL,
  PRIMARY KEY (parent, key, kind, number, text, entry)
) STRICT, WITHOUT ROWID;

CREATE TABLE registry_item (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE token (
  id TEXT NOT NULL PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  resources TEXT NOT NULL,
  label TEXT NOT NULL,
  environment TEXT NOT NULL,
  state TEXT NOT NULL,
  limit_calls INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;

-- The newest event is never deleted, so a sequence is never given twice.
CREATE TABLE event (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  target TEXT,
  count INTEGER NOT NULL,
  actor TEXT NOT NULL
) STRICT;

-- What the store remembers of itself, such as which keys the field index holds.
CREATE TABLE store_state (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
