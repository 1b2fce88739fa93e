-- Content types: which data the entries of some paths have.
CREATE TABLE type (
  id TEXT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  -- Patterns of entry ids, a JSON array.
  paths TEXT NOT NULL,
  -- A JSON Schema.
  schema TEXT NOT NULL,
  mode TEXT NOT NULL,
  revision INTEGER NOT NULL
) STRICT;
-- Writes read the number of types and the newest revision: together they name a state of all types.
CREATE INDEX type_revision ON type (revision);
