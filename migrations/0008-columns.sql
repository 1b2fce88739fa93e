-- What the log keeps for a feed of changes: of a write of one entry its uuid, and whether the entry was public before and
-- is public after it.
ALTER TABLE event ADD COLUMN uuid TEXT;
ALTER TABLE event ADD COLUMN was_public INTEGER;
ALTER TABLE event ADD COLUMN is_public INTEGER;
-- Of a write of a subtree each entry that was or is public, with its slugs before and after.
CREATE TABLE event_entry (
  sequence INTEGER NOT NULL REFERENCES event (sequence) ON DELETE CASCADE,
  uuid TEXT NOT NULL,
  old_slug TEXT,
  new_slug TEXT,
  PRIMARY KEY (sequence, uuid)
) STRICT, WITHOUT ROWID;

-- Identifies a file across moves; it is not on the wire.
ALTER TABLE file ADD COLUMN uuid TEXT NOT NULL DEFAULT '';
UPDATE file SET uuid = random_uuid();

-- Below which paths the token is valid, one in a line; none for everywhere. And which writes it allows.
ALTER TABLE token ADD COLUMN paths TEXT NOT NULL DEFAULT '';
ALTER TABLE token ADD COLUMN writes TEXT NOT NULL DEFAULT 'all';

-- The revision of the working copy, if there is one.
ALTER TABLE entry ADD COLUMN staged_revision INTEGER;
