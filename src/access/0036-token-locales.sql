-- The locales that the writes of a token, or of who has a role, may change: language tags with commas; none is all.
ALTER TABLE token ADD COLUMN locales {text} NOT NULL DEFAULT '';
ALTER TABLE role ADD COLUMN locales {text} NOT NULL DEFAULT '';
