-- Lists of files from an index, as those of entries: see 0005-lists.sql.

-- 1 when the file has more index rows than are kept: filters must look at it whatever the index says.
ALTER TABLE file ADD COLUMN index_partial {integer} NOT NULL DEFAULT 0;
CREATE INDEX file_partial ON file (folder) WHERE index_partial = 1;
CREATE INDEX file_by_created ON file (folder, created_at, id);
CREATE INDEX file_by_modified ON file (folder, modified_at, id);

-- One row for each scalar and array element of a file object: see src/core/sql/index/field.ts. Elements have the
-- negative number of their key.
CREATE TABLE file_field (
  folder {integer} NOT NULL,
  key {integer} NOT NULL,
  kind {integer} NOT NULL,
  number {real} NOT NULL,
  text {text} NOT NULL,
  file {integer} NOT NULL,
  PRIMARY KEY (folder, key, kind, number, text, file)
) {strict_by_key};

-- The keys begin with ! until the index is built: see src/core/sql/index/keys.ts.
UPDATE store_state SET value = '!' || value WHERE name = 'index_keys' AND value NOT LIKE '!%';
