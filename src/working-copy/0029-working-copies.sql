-- A working copy is staged, or a release has published it, which can be undone by it.
CREATE TABLE working_copy (
  -- The event that published it; 0 while it is staged. First: each entry has one staged copy, found by it.
  published_revision {integer} NOT NULL,
  uuid {text} NOT NULL,
  -- '' for the source.
  locale {text} NOT NULL,
  -- Of a published one: where its entry was; '' while it is staged.
  slug {text} NOT NULL,
  -- The event of its last change: while it is staged, entry.staged_revision of its entry.
  revision {integer} NOT NULL,
  -- The removed top-level keys, a JSON array.
  removed {text} NOT NULL,
  -- The changed fields of the service, a JSON object.
  fields {text} NOT NULL,
  staged_at {integer} NOT NULL,
  staged_by {text} NOT NULL,
  -- When it is published; null when that is not scheduled. With who scheduled it.
  publish_at {integer},
  scheduled_by {text},
  -- Who changed which keys, where that was not staged_by alone; what each key was then: see src/working-copy/staged-base.ts.
  authors {text} NOT NULL,
  base {text} NOT NULL,
  -- The release that it is in, or that has published it. While that is scheduled, the copy has its time.
  release {text},
  -- The changed top-level keys, a JSON object. The last column: it may be large.
  data {text} NOT NULL,
  PRIMARY KEY (published_revision, uuid, locale)
) {strict};

INSERT INTO working_copy (published_revision, uuid, locale, slug, revision, removed, fields, staged_at, staged_by, publish_at,
    scheduled_by, authors, base, release, data)
  SELECT 0, uuid, '', '', revision, removed, fields, staged_at, staged_by, publish_at, scheduled_by, authors, base, release, data
  FROM staged;
INSERT INTO working_copy (published_revision, uuid, locale, slug, revision, removed, fields, staged_at, staged_by, publish_at,
    scheduled_by, authors, base, release, data)
  SELECT content_revision, uuid, '', slug, revision, removed, fields, staged_at, staged_by, NULL, NULL, authors, base, release, data
  FROM release_entry;
DROP TABLE staged;
DROP TABLE release_entry;

CREATE INDEX working_copy_due ON working_copy (publish_at) WHERE publish_at IS NOT NULL AND release IS NULL;
CREATE INDEX working_copy_by_release ON working_copy (release, slug) WHERE release IS NOT NULL;
