-- The results of writes that were sent with an Idempotency-Key, for a day. Backups leave the table out.
CREATE TABLE idempotency_key (
  -- The id of the token that sent the request.
  token {text} NOT NULL,
  key {text} NOT NULL,
  -- A hash of the request.
  request {text} NOT NULL,
  -- The address that the reply was built with.
  origin {text} NOT NULL,
  -- A JSON list of what the writes answered; null when it was too large.
  results {text},
  at {integer} NOT NULL,
  PRIMARY KEY (token, key)
) {strict};
CREATE INDEX idempotency_key_by_time ON idempotency_key (at);
