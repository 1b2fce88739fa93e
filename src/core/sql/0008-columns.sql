-- What the log keeps for a feed of changes: of a write of one entry its uuid, and whether the entry was public before and
-- is public after it.
ALTER TABLE event ADD COLUMN uuid {text};
ALTER TABLE event ADD COLUMN was_public {integer};
ALTER TABLE event ADD COLUMN is_public {integer};
-- Of a write of a subtree each entry that was or is public, with its slugs before and after.
CREATE TABLE event_entry (
  sequence {integer} NOT NULL REFERENCES event (sequence) ON DELETE CASCADE,
  uuid {text} NOT NULL,
  old_slug {text},
  new_slug {text},
  PRIMARY KEY (sequence, uuid)
) {strict_by_key};

-- Identifies a file across moves; it is not on the wire.
ALTER TABLE file ADD COLUMN uuid {text} NOT NULL DEFAULT '';
UPDATE file SET uuid = {new_uuid};

-- Below which paths the token is valid, one in a line; none for everywhere. And which writes it allows.
ALTER TABLE token ADD COLUMN paths {text} NOT NULL DEFAULT '';
ALTER TABLE token ADD COLUMN writes {text} NOT NULL DEFAULT 'all';

-- The revision of the working copy, if there is one.
ALTER TABLE entry ADD COLUMN staged_revision {integer};
