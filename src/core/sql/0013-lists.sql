-- An exact field index: one value for each scalar and list element, in order. See src/core/sql/index/field.ts. The
-- second index of each tells the values of one row.
DROP TABLE entry_field;
CREATE TABLE entry_field (
  parent {integer} NOT NULL,
  key {integer} NOT NULL,
  listing {integer} NOT NULL,
  value {text} NOT NULL,
  entry {integer} NOT NULL,
  PRIMARY KEY (parent, key, listing, value, entry)
) {strict_by_key};
CREATE INDEX entry_field_of ON entry_field (entry, key, value);

DROP TABLE file_field;
CREATE TABLE file_field (
  folder {integer} NOT NULL,
  key {integer} NOT NULL,
  value {text} NOT NULL,
  file {integer} NOT NULL,
  PRIMARY KEY (folder, key, value, file)
) {strict_by_key};
CREATE INDEX file_field_of ON file_field (file, key, value);

-- The trigrams have other numbers: those that begin with the same two letters are one range. See
-- src/core/sql/index/gram.ts.
DELETE FROM entry_gram;
UPDATE entry_text SET indexed_to = 0, moved_to = 0, stale = 0;

-- The keys begin with ! until the index is built: see src/core/sql/index/keys.ts.
UPDATE store_state SET value = '!' || value WHERE name = 'index_keys' AND value NOT LIKE '!%';
