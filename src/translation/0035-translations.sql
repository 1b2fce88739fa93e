-- What entries say in other locales than the source. A translation belongs to the uuid, so it moves with its entry.
CREATE TABLE translation (
  uuid {text} NOT NULL,
  locale {text} NOT NULL,
  -- The last part of its path in this locale; null for that of the entry.
  name {text},
  visibility {text} NOT NULL,
  published_at {integer} NOT NULL,
  -- How it stands in lists: see src/entry/listing-rows.ts.
  listing {integer} NOT NULL,
  -- 1 where an earlier write has noted that the public saw it before.
  was_public {integer} NOT NULL,
  created_at {integer} NOT NULL,
  modified_at {integer} NOT NULL,
  modified_by {text} NOT NULL,
  -- The event that made this state.
  revision {integer} NOT NULL,
  -- By key the hash of the source's value that it was written against, a JSON object.
  sources {text} NOT NULL,
  -- The translated top-level keys, a JSON object. The last column: it may be large.
  data {text} NOT NULL,
  PRIMARY KEY (uuid, locale)
) {strict};
CREATE INDEX translation_by_name ON translation (locale, name) WHERE name IS NOT NULL;
CREATE INDEX translation_scheduled ON translation (published_at) WHERE listing = 2;
-- Those that the public does not see in lists.
CREATE INDEX translation_unlisted ON translation (locale, uuid) WHERE listing <> 1;

-- 1 where it has a translation, or a working copy of one.
ALTER TABLE entry ADD COLUMN translated {integer} NOT NULL DEFAULT 0;
-- The locales in which alone it is public, a JSON list with "" for the source; null for all.
ALTER TABLE entry ADD COLUMN only_locales {text};
CREATE INDEX entry_in_some ON entry (parent) WHERE only_locales IS NOT NULL;

ALTER TABLE trash_entry ADD COLUMN only_locales {text};
-- '' for an entry with its translations, the locale of a translation that was deleted alone.
ALTER TABLE trash_item ADD COLUMN locale {text} NOT NULL DEFAULT '';
-- Of a write of a translation: its locale.
ALTER TABLE event ADD COLUMN locale {text};

-- From a working copy to its entry, also of one that has a copy in another locale.
DROP INDEX entry_of_copy;
CREATE INDEX entry_of_copy ON entry (uuid, slug) WHERE staged_revision IS NOT NULL OR translated = 1;
