-- The name under which a file was sent, and the one that the upload gave it: a file has moved where its name is another.
-- Null for files from before, and for copies.
ALTER TABLE file ADD COLUMN sent_name {text};
ALTER TABLE file ADD COLUMN given_name {text};
ALTER TABLE trash_file ADD COLUMN sent_name {text};
ALTER TABLE trash_file ADD COLUMN given_name {text};
-- An upload finds the file that its name made. Most names are kept as they are sent: those the key (folder, name) finds.
CREATE INDEX file_by_sent_name ON file (folder, sent_name) WHERE sent_name <> given_name;
