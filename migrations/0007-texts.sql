-- Searches of texts from an index: see src/adapters/sql/index/text.ts.

-- In which entries a trigram occurs: numbers of entries in chunks, each named by its first one. New ones are at level 0,
-- and moved to level 1 many at a time.
CREATE TABLE entry_gram (
  level INTEGER NOT NULL,
  gram INTEGER NOT NULL,
  first INTEGER NOT NULL,
  rest TEXT NOT NULL,
  PRIMARY KEY (level, gram, first)
) STRICT, WITHOUT ROWID;

-- One row, none where the setting text_index is off. Entries with a number up to `indexed_to` are in the index; `stale`
-- of them were changed or deleted since it was built. The next trigrams that leave level 0 begin at `moved_to`.
CREATE TABLE entry_text (
  indexed_to INTEGER NOT NULL,
  moved_to INTEGER NOT NULL,
  stale INTEGER NOT NULL
) STRICT;
INSERT INTO entry_text (indexed_to, moved_to, stale) VALUES (0, 0, 0);
