-- Searches of texts from an index: see src/adapters/sql/index/text.ts.

-- In which entries a trigram occurs: numbers of entries in chunks, each named by its first one.
CREATE TABLE entry_gram (
  gram INTEGER NOT NULL,
  first INTEGER NOT NULL,
  rest TEXT NOT NULL,
  PRIMARY KEY (gram, first)
) STRICT, WITHOUT ROWID;

-- One row, none where the setting text_index is off. Entries with a number up to `indexed_to` are in the index; `stale`
-- of them were changed or deleted since it was built.
CREATE TABLE entry_text (
  indexed_to INTEGER NOT NULL,
  stale INTEGER NOT NULL
) STRICT;
INSERT INTO entry_text (indexed_to, stale) VALUES (0, 0);
