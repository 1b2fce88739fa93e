-- Who uploaded the bytes of a file, as events name who wrote; null for files from before, and for copies.
ALTER TABLE file ADD COLUMN uploader {text};
ALTER TABLE trash_file ADD COLUMN uploader {text};
