-- What each key of a working copy was when it was staged: see src/version/staged-base.ts. Of earlier copies nobody knows.
ALTER TABLE staged ADD COLUMN base {text} NOT NULL DEFAULT '{}';
-- The keys that a publication put back, though they had changed meanwhile: a JSON array; null for none.
ALTER TABLE event ADD COLUMN outdated {text};
