-- Working copies of entries: changes that are not live yet. A copy belongs to the uuid, so it moves with its entry, and is in
-- the trash with it.
CREATE TABLE staged (
  uuid {text} NOT NULL PRIMARY KEY,
  -- The event of the last change of the copy: entry.staged_revision of its entry.
  revision {integer} NOT NULL,
  -- The changed top-level keys, a JSON object, and the removed ones, a JSON array.
  data {text} NOT NULL,
  removed {text} NOT NULL,
  -- The changed fields of the service, a JSON object.
  fields {text} NOT NULL,
  staged_at {integer} NOT NULL,
  staged_by {text} NOT NULL,
  -- When it is published; null when that is not scheduled.
  publish_at {integer},
  -- Who scheduled it.
  scheduled_by {text}
) {strict};
CREATE INDEX staged_due ON staged (publish_at) WHERE publish_at IS NOT NULL;
CREATE INDEX entry_staged ON entry (parent, listing) WHERE staged_revision IS NOT NULL;
ALTER TABLE trash_entry ADD COLUMN staged_revision {integer};
