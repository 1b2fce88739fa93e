-- Entries, their field index, registry items, tokens and the event log. Text compares bytewise (SQLite's BINARY).

-- Paths that have entries directly below them, interned: a subtree move renames a few of these rows in place of
-- every index row below. The root is the empty path.
CREATE TABLE parent (
  id {number_key},
  path {text} NOT NULL UNIQUE
) {strict};

CREATE TABLE entry (
  id {number_key},
  slug {text} NOT NULL UNIQUE,
  parent {integer} NOT NULL REFERENCES parent (id),
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
  -- 1 when the entry has more index rows than are kept: filters must look at it whatever the index says.
  index_partial {integer} NOT NULL
) {strict};
CREATE INDEX entry_by_parent ON entry (parent, slug);
CREATE INDEX entry_partial ON entry (parent) WHERE index_partial = 1;

CREATE TABLE field_key (
  id {number_key},
  name {text} NOT NULL UNIQUE
) {strict};

-- One row for each scalar and array element: see src/core/sql/index/field.ts for the kinds.
CREATE TABLE entry_field (
  parent {integer} NOT NULL,
  key {integer} NOT NULL,
  kind {integer} NOT NULL,
  number {real} NOT NULL,
  text {text} NOT NULL,
  entry {integer} NOT NULL,
  PRIMARY KEY (parent, key, kind, number, text, entry)
) {strict_by_key};

CREATE TABLE registry_item (
  key {text} NOT NULL PRIMARY KEY,
  value {text} NOT NULL
) {strict_by_key};

CREATE TABLE token (
  id {text} NOT NULL PRIMARY KEY,
  hash {text} NOT NULL UNIQUE,
  kind {text} NOT NULL,
  resources {text} NOT NULL,
  label {text} NOT NULL,
  environment {text} NOT NULL,
  state {text} NOT NULL,
  limit_calls {integer} NOT NULL,
  calls {integer} NOT NULL,
  expires_at {integer},
  created_at {integer} NOT NULL,
  last_used_at {integer}
) {strict};

-- The newest event is never deleted, so a sequence is never given twice.
CREATE TABLE event (
  sequence {number_key},
  at {integer} NOT NULL,
  kind {text} NOT NULL,
  subject {text} NOT NULL,
  target {text},
  count {integer} NOT NULL,
  actor {text} NOT NULL
) {strict};

-- What the store remembers of itself, such as which keys the field index holds.
CREATE TABLE store_state (
  name {text} NOT NULL PRIMARY KEY,
  value {text} NOT NULL
) {strict_by_key};
