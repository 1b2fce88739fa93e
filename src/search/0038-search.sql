-- What is searched: an entry as it reads in a locale, for who sees drafts or for who does not. One that changes becomes
-- another document, with a greater number.
CREATE TABLE search_document (
  number {number_key},
  -- Of the entry.
  uuid {text} NOT NULL,
  entry {integer} NOT NULL,
  parent {integer} NOT NULL,
  -- The id of its type, and what its data names as such; "" for none.
  type {text} NOT NULL,
  fieldset {text} NOT NULL,
  published_at {integer} NOT NULL,
  -- See src/search/shelf.ts.
  shelf {text} NOT NULL,
  -- As how manieth it has ended; null while it holds.
  ended {integer}
) {strict};
CREATE INDEX search_document_of ON search_document (uuid) WHERE ended IS NULL;
CREATE INDEX search_document_ended ON search_document (ended) WHERE ended IS NOT NULL;

-- Where words stand: chunks of the documents of a shelf that have the word in a field. See src/search/posting.ts.
CREATE TABLE search_posting (
  shelf {text} NOT NULL,
  word {text} NOT NULL,
  field {integer} NOT NULL,
  first {integer} NOT NULL,
  last {integer} NOT NULL,
  count {integer} NOT NULL,
  rest {text} NOT NULL,
  PRIMARY KEY (shelf, word, field, first)
) {strict_by_key};

-- The fields, each with the language that it is written in.
CREATE TABLE search_field (
  id {number_key},
  name {text} NOT NULL,
  language {text} NOT NULL,
  UNIQUE (name, language)
) {strict};

-- Words of a shelf by first letter and length, among which those with typos are looked for.
CREATE TABLE search_word (
  shelf {text} NOT NULL,
  bucket {text} NOT NULL,
  words {text} NOT NULL,
  PRIMARY KEY (shelf, bucket)
) {strict_by_key};

-- Words of a shelf by language and stem, without the stem itself.
CREATE TABLE search_stem (
  shelf {text} NOT NULL,
  stem {text} NOT NULL,
  words {text} NOT NULL,
  PRIMARY KEY (shelf, stem)
) {strict_by_key};

CREATE TABLE search_state (
  -- The words of all events up to here are there, of the last one those of entries up to the uuid.
  sequence {integer} NOT NULL,
  uuid {text} NOT NULL,
  -- Of which log: see src/core/sql/state.ts.
  log {text} NOT NULL,
  -- How words were cut; another way builds anew.
  way {text} NOT NULL,
  -- The number of the entry up to which a build has come; null when it has ended.
  built_to {integer},
  -- The number after which the documents of the last build begin, the last one, and how many have ended.
  base {integer} NOT NULL,
  documents {integer} NOT NULL,
  ended {integer} NOT NULL,
  -- Which entries each type had when documents got theirs; another text gives them new ones.
  types {text} NOT NULL,
  -- The document up to which that is done; null when it has ended.
  typed_to {integer},
  -- As how manieth the last document had ended that is taken out of the lists, and how many rows of documents there are.
  swept {integer} NOT NULL,
  kept {integer} NOT NULL,
  -- That up to which others are being taken out, null while none are, and the list up to which that is done.
  sweep_end {integer},
  sweep_at {text} NOT NULL
) {strict};
INSERT INTO search_state (sequence, uuid, log, way, built_to, base, documents, ended, types, swept, kept, sweep_at)
  VALUES (0, '', '', '', 0, 0, 0, 0, '', 0, 0, '');

-- What event_entry has not: those entries of a subtree that a write moved, copied or deleted that were not public, with their
-- slugs since. Words of drafts are indexed, too.
CREATE TABLE event_private (
  sequence {integer} NOT NULL REFERENCES event (sequence) ON DELETE CASCADE,
  uuid {text} NOT NULL,
  new_slug {text},
  PRIMARY KEY (sequence, uuid)
) {strict_by_key};
