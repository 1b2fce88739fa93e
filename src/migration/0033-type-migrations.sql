-- What migrations of fields replaced, by which they are undone. See src/migration/migration.ts.
CREATE TABLE migration (
  -- Its first event.
  id {integer} NOT NULL PRIMARY KEY,
  at {integer} NOT NULL,
  -- The plan, a JSON list.
  steps {text} NOT NULL
) {strict};
CREATE TABLE migration_item (
  migration {integer} NOT NULL,
  -- entry, type, view, or person for the columns that somebody chose.
  noun {text} NOT NULL,
  -- The uuid of an entry, the id of a type or a view; of a person the id and the key of the preference.
  thing {text} NOT NULL,
  -- What it was called.
  name {text} NOT NULL,
  -- Of an entry: the revisions of its content and of its working copy afterwards, and whether its content changed.
  revision {integer} NOT NULL,
  staged_revision {integer},
  is_changed {integer} NOT NULL,
  -- JSON: the schema of a type, the changed parts of a working copy or of a view; null where there was no change of such.
  before {text},
  after {text},
  PRIMARY KEY (migration, noun, thing)
) {strict};
