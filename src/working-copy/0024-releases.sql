-- Named sets of working copies and drafts that go live together. See src/version/release.ts.
CREATE TABLE release (
  id {text} NOT NULL PRIMARY KEY,
  title {text} NOT NULL,
  state {text} NOT NULL,
  -- When it is published, or was; null for neither.
  at {integer},
  -- Who scheduled it.
  scheduled_by {text},
  -- How many entries were published; 0 before.
  count {integer} NOT NULL,
  created_at {integer} NOT NULL,
  created_by {text} NOT NULL,
  -- The event that created it, by which releases are in order.
  sequence {integer} NOT NULL
) {strict};
CREATE INDEX release_by_age ON release (sequence);
CREATE INDEX release_due ON release (at) WHERE state = 'scheduled';

-- The release that a working copy is in. While that is scheduled, the copy has its time.
ALTER TABLE staged ADD COLUMN release {text};
CREATE INDEX staged_by_release ON staged (release) WHERE release IS NOT NULL;
DROP INDEX staged_due;
CREATE INDEX staged_due ON staged (publish_at) WHERE publish_at IS NOT NULL AND release IS NULL;

-- What a published release has published, by which it can be undone.
CREATE TABLE release_entry (
  release {text} NOT NULL REFERENCES release (id),
  -- Where the entry was.
  slug {text} NOT NULL,
  -- The content that was published: what it replaced is before it in the history.
  content_revision {integer} NOT NULL,
  -- The working copy, as in the table staged.
  uuid {text} NOT NULL,
  revision {integer} NOT NULL,
  data {text} NOT NULL,
  removed {text} NOT NULL,
  fields {text} NOT NULL,
  staged_at {integer} NOT NULL,
  staged_by {text} NOT NULL,
  authors {text} NOT NULL,
  base {text} NOT NULL,
  PRIMARY KEY (release, slug)
) {strict};

-- The release that a preview shows as if it were published.
ALTER TABLE token ADD COLUMN release {text};
