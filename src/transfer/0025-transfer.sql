-- Uploads that can be resumed, until they are files for a while or are too old. Backups leave the table out.
CREATE TABLE transfer (
  id {text} PRIMARY KEY,
  -- The id of the token or the person that began it.
  actor {text} NOT NULL,
  -- What it becomes, as JSON.
  request {text} NOT NULL,
  -- The header Upload-Metadata as sent.
  metadata {text} NOT NULL,
  length {integer} NOT NULL,
  -- How many bytes are durable: less than the length until it is a file.
  received {integer} NOT NULL,
  -- When it began, or the last bytes came.
  at {integer} NOT NULL,
  -- The request that appends to it, and until when unless it says so again.
  writer {text} NOT NULL,
  writer_until {integer} NOT NULL,
  -- The path of the file that it became.
  file {text}
) {strict};
CREATE INDEX transfer_by_time ON transfer (at);
CREATE INDEX transfer_by_actor ON transfer (actor);
