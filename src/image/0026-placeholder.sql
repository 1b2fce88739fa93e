-- What stands in for a picture until it is loaded, by the hash of its bytes: made when it is first asked for. Backups leave the
-- table out, since it is made again.
CREATE TABLE placeholder (
  hash {text} NOT NULL PRIMARY KEY REFERENCES blob (hash) ON DELETE CASCADE,
  thumbhash {text} NOT NULL,
  color {text} NOT NULL
) {strict};
