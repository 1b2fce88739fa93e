-- Addresses that are sent the events of writes. See src/webhook/webhook.ts.
CREATE TABLE webhook (
  id {text} NOT NULL PRIMARY KEY,
  url {text} NOT NULL,
  label {text} NOT NULL,
  -- Names with commas; none is every kind.
  kinds {text} NOT NULL,
  -- A line each; none is everywhere.
  paths {text} NOT NULL,
  state {text} NOT NULL,
  -- Sealed with the store's key.
  secret {text} NOT NULL,
  -- The one before the last rotation, and until when it signs, too.
  old_secret {text},
  old_secret_until {integer},
  -- The last event that was acknowledged, or that it is not sent.
  sequence {integer} NOT NULL,
  -- 1 when events after that are gone.
  has_gap {integer} NOT NULL,
  -- Of the delivery that is next: its failed attempts, since when, and when it is tried again.
  attempts {integer} NOT NULL,
  failing_since {integer},
  next_at {integer},
  created_at {integer} NOT NULL
) {strict};

-- The last attempts of each webhook. Backups leave the table out.
CREATE TABLE webhook_attempt (
  id {number_key},
  webhook {text} NOT NULL REFERENCES webhook (id),
  -- The first event of the delivery; null for a test.
  sequence {integer},
  attempt {integer} NOT NULL,
  at {integer} NOT NULL,
  status {integer},
  duration_ms {integer} NOT NULL,
  error {text},
  next_at {integer}
) {strict};
CREATE INDEX webhook_attempt_by_webhook ON webhook_attempt (webhook, id);

-- The first event of the writes that were made together with this one; null for that first event itself.
ALTER TABLE event ADD COLUMN first_sequence {integer};
