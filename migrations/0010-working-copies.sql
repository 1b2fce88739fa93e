-- Working copies of entries: changes that are not live yet. A copy belongs to the uuid, so it moves with its entry, and is in
-- the trash with it.
CREATE TABLE staged (
  uuid TEXT NOT NULL PRIMARY KEY,
  -- The event of the last change of the copy: entry.staged_revision of its entry.
  revision INTEGER NOT NULL,
  -- The changed top-level keys, a JSON object, and the removed ones, a JSON array.
  data TEXT NOT NULL,
  removed TEXT NOT NULL,
  -- The changed fields of the service, a JSON object.
  fields TEXT NOT NULL,
  staged_at INTEGER NOT NULL,
  staged_by TEXT NOT NULL,
  -- When it is published; null when that is not scheduled.
  publish_at INTEGER,
  -- Who scheduled it.
  scheduled_by TEXT
) STRICT;
CREATE INDEX staged_due ON staged (publish_at) WHERE publish_at IS NOT NULL;
CREATE INDEX entry_staged ON entry (parent, listing) WHERE staged_revision IS NOT NULL;
ALTER TABLE trash_entry ADD COLUMN staged_revision INTEGER;
