-- The request of a write, for the log: its id, as in the reply and the log line; the address of its client, where the setting
-- audit_addresses is on; and what it is a part of (W3C Trace Context), which its webhooks are told. Null for none.
ALTER TABLE event ADD COLUMN request_id {text};
ALTER TABLE event ADD COLUMN address {text};
ALTER TABLE event ADD COLUMN trace {text};
