-- Content types: which data the entries of some paths have.
CREATE TABLE type (
  id {text} NOT NULL PRIMARY KEY,
  title {text} NOT NULL,
  description {text} NOT NULL,
  -- Patterns of entry ids, a JSON array.
  paths {text} NOT NULL,
  -- A JSON Schema.
  schema {text} NOT NULL,
  mode {text} NOT NULL,
  revision {integer} NOT NULL
) {strict};
-- Writes read the number of types and the newest revision: together they name a state of all types.
CREATE INDEX type_revision ON type (revision);
