-- Tables that people saved. See src/view/view.ts.
CREATE TABLE view (
  id {text} NOT NULL PRIMARY KEY,
  -- Who made it.
  person {text} NOT NULL REFERENCES person (id),
  title {text} NOT NULL,
  path {text} NOT NULL,
  -- A JSON list of texts.
  columns {text} NOT NULL,
  sort {text} NOT NULL,
  -- JSON.
  filter {text} NOT NULL,
  shared {integer} NOT NULL
) {strict};
CREATE INDEX view_by_person ON view (person);
CREATE INDEX view_by_shared ON view (shared);
-- What the admin page keeps for a person: a JSON object.
ALTER TABLE person ADD COLUMN preferences {text} NOT NULL DEFAULT '{}';
