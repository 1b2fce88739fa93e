-- From a working copy to its entry: (uuid, slug) is all that a list of copies orders by.
CREATE INDEX entry_of_copy ON entry (uuid, slug) WHERE staged_revision IS NOT NULL;
