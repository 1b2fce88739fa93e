-- Lists in any order from an index. Whether an entry is listed comes before its values, so that entries that a reader
-- may not see cost that reader nothing.

-- How the entry stands in lists: see src/entry/listing-rows.ts. The index is built anew, which sets it.
ALTER TABLE entry ADD COLUMN listing {integer} NOT NULL DEFAULT 0;
DROP INDEX entry_by_parent;
CREATE INDEX entry_by_parent ON entry (parent, listing, slug);
CREATE INDEX entry_by_published ON entry (parent, listing, published_at, id);
CREATE INDEX entry_by_created ON entry (parent, listing, created_at, id);
CREATE INDEX entry_by_modified ON entry (parent, listing, modified_at, id);
DROP INDEX entry_partial;
CREATE INDEX entry_partial ON entry (parent, listing) WHERE index_partial = 1;
CREATE INDEX entry_scheduled ON entry (published_at) WHERE listing = 2;

-- One row for each scalar and array element: see src/core/sql/index/field.ts. An element has the negative number of
-- its key: what is sorted by a field reads the rows of scalars alone.
DROP TABLE entry_field;
CREATE TABLE entry_field (
  parent {integer} NOT NULL,
  key {integer} NOT NULL,
  listing {integer} NOT NULL,
  kind {integer} NOT NULL,
  number {real} NOT NULL,
  text {text} NOT NULL,
  entry {integer} NOT NULL,
  PRIMARY KEY (parent, key, listing, kind, number, text, entry)
) {strict_by_key};

-- The keys begin with ! until the index is built: see src/core/sql/index/keys.ts.
UPDATE store_state SET value = '!' || value WHERE name = 'index_keys';
