-- 1 for an entry of which a write has noted that the public saw it before: when such a draft is published again, it keeps its
-- date. What is public now is noted when a write takes it away.
ALTER TABLE entry ADD COLUMN was_public {integer} NOT NULL DEFAULT 0;
ALTER TABLE trash_entry ADD COLUMN was_public {integer} NOT NULL DEFAULT 0;

-- Of drafts from before, as far as their history says it. The listing 0 is that of drafts, which an index of all entries has.
UPDATE entry SET was_public = 1
WHERE id IN (SELECT draft.id FROM entry AS draft WHERE draft.listing = 0)
  AND EXISTS (
    SELECT 1 FROM version WHERE version.noun = 'entry' AND version.thing = entry.uuid
      AND (version.fields LIKE '%"visibility":"visible"%' OR version.fields LIKE '%"visibility":"hidden"%')
  );
