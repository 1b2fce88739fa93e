-- Searches of texts from an index: see src/core/sql/index/text.ts.

-- In which entries a trigram occurs: numbers of entries in chunks, each named by its first one. New ones are at level 0,
-- and moved to level 1 many at a time.
CREATE TABLE entry_gram (
  level {integer} NOT NULL,
  gram {integer} NOT NULL,
  first {integer} NOT NULL,
  rest {text} NOT NULL,
  PRIMARY KEY (level, gram, first)
) {strict_by_key};

-- One row, none where the setting text_index is off. Entries with a number up to `indexed_to` are in the index; `stale`
-- of them were changed or deleted since it was built. The next trigrams that leave level 0 begin at `moved_to`.
CREATE TABLE entry_text (
  indexed_to {integer} NOT NULL,
  moved_to {integer} NOT NULL,
  stale {integer} NOT NULL
) {strict};
INSERT INTO entry_text (indexed_to, moved_to, stale) VALUES (0, 0, 0);
