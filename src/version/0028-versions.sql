-- What entries, files and registry items said before is one noun: a version, replaced or deleted. The live one is in the row
-- of its thing. Rows keep the order of their replacement. The trash keeps places alone.
CREATE TABLE version (
  -- In the order of the writes, in which they are trimmed.
  id {number_key},
  noun {text} NOT NULL,
  -- The uuid of an entry or a file, the key of a registry item.
  thing {text} NOT NULL,
  -- '' for the source.
  locale {text} NOT NULL,
  -- The event that made it, and the one that replaced or deleted it.
  revision {integer} NOT NULL,
  next_revision {integer} NOT NULL,
  -- 1 for the version of what is in the trash, in the item `next_revision`; 0 for one that was replaced.
  is_deleted {integer} NOT NULL,
  replaced_at {integer} NOT NULL,
  replaced_by {text} NOT NULL,
  -- The fields of the service, a JSON object: see src/version/version.ts.
  fields {text} NOT NULL,
  -- Of a file: its bytes then.
  blob {text} REFERENCES blob (hash),
  bytes {integer} NOT NULL,
  -- What the client stored: the data of an entry, the fields of a file, the value of a registry item. The last column:
  -- to read one after it, SQLite follows every page of this one.
  data {text} NOT NULL,
  UNIQUE (noun, thing, locale, next_revision)
) {strict};

INSERT INTO version (noun, thing, locale, revision, next_revision, is_deleted, replaced_at, replaced_by,
    fields, blob, bytes, data)
  SELECT noun, thing, '', revision, next_revision, 0, replaced_at, replaced_by, fields, blob, bytes, data
  FROM history ORDER BY id;
DROP TABLE history;

INSERT INTO version (noun, thing, locale, revision, next_revision, is_deleted, replaced_at, replaced_by,
    fields, blob, bytes, data)
  SELECT 'entry', uuid, '', content_revision, item, 1, deleted_at, deleted_by,
    fields, NULL, octet_length(fields) + octet_length(data), data
  FROM (
    SELECT kept.*, trash_item.deleted_at, trash_item.deleted_by,
      '{"published_at":' || published_at || ',"modified_at":' || modified_at ||
      ',"published_by":' || {json_text published_by} || ',"created_by":' || {json_text created_by} ||
      ',"routable":' || CASE routable WHEN 1 THEN 'true' ELSE 'false' END ||
      ',"visibility":' || {json_text visibility} || '}' AS fields
    FROM trash_entry AS kept JOIN trash_item ON trash_item.id = kept.item
  ) AS deleted ORDER BY item, slug;
INSERT INTO version (noun, thing, locale, revision, next_revision, is_deleted, replaced_at, replaced_by,
    fields, blob, bytes, data)
  SELECT 'file', uuid, '', content_revision, item, 1, deleted_at, deleted_by,
    fields, blob, octet_length(fields) + octet_length(meta) + size, meta
  FROM (
    SELECT kept.*, trash_item.deleted_at, trash_item.deleted_by,
      '{"title":' || {json_text title} || ',"description":' || {json_text description} ||
      ',"type":' || {json_text type} || ',"size":' || size || ',"uploaded_at":' || uploaded_at ||
      CASE WHEN width IS NULL THEN '' ELSE
        ',"image":{"width":' || width || ',"height":' || height || ',"is_color":' ||
        CASE is_color WHEN 1 THEN 'true' ELSE 'false' END || '}' END ||
      ',"modified_at":' || modified_at || '}' AS fields
    FROM trash_file AS kept JOIN trash_item ON trash_item.id = kept.item
  ) AS deleted ORDER BY item, folder, name;

CREATE INDEX version_by_blob ON version (blob) WHERE blob IS NOT NULL;
-- The history is trimmed from its oldest row on, without a look at what is in the trash.
CREATE INDEX version_replaced ON version (id, replaced_at, blob) WHERE is_deleted = 0;

-- Where an entry was, and what no version changes. What it said is the version that the event `item` deleted.
ALTER TABLE trash_entry RENAME TO trash_entry_before;
CREATE TABLE trash_entry (
  item {integer} NOT NULL REFERENCES trash_item (id),
  slug {text} NOT NULL,
  uuid {text} NOT NULL,
  created_at {integer} NOT NULL,
  PRIMARY KEY (item, slug)
) {strict};
INSERT INTO trash_entry SELECT item, slug, uuid, created_at FROM trash_entry_before;
DROP TABLE trash_entry_before;

ALTER TABLE trash_file RENAME TO trash_file_before;
CREATE TABLE trash_file (
  item {integer} NOT NULL REFERENCES trash_item (id),
  -- The folder's path.
  folder {text} NOT NULL,
  name {text} NOT NULL,
  uuid {text} NOT NULL,
  created_at {integer} NOT NULL,
  uploader {text},
  PRIMARY KEY (item, folder, name)
) {strict};
INSERT INTO trash_file SELECT item, folder, name, uuid, created_at, uploader FROM trash_file_before;
DROP TABLE trash_file_before;
-- What has some bytes is shown by its path.
CREATE INDEX trash_file_by_uuid ON trash_file (uuid);
{refuse_writers_before 28}
