-- Whether delivery lists had and have the entry: what is hidden, and public by its id alone, is in no feed of changes. Of a
-- write of one entry was_public and is_public say it: 1 listed, 2 by its id alone.
ALTER TABLE event_entry ADD COLUMN was_listed {integer} NOT NULL DEFAULT 0;
ALTER TABLE event_entry ADD COLUMN is_listed {integer} NOT NULL DEFAULT 0;
