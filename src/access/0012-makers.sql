-- Who made a preview token: the id of the token, null for the command line. A preview holds as long as its maker could make it.
ALTER TABLE token ADD COLUMN maker {text};
UPDATE token SET maker = (
  SELECT event.actor FROM event
  WHERE event.kind = 'token.create' AND event.subject = token.id AND event.actor <> 'octavo'
  ORDER BY event.sequence DESC LIMIT 1
) WHERE kind = 'preview';

-- What of a working copy was not changed by `staged_by` alone: by who else, a JSON object of lists of keys; those that several
-- changed are under the empty name.
ALTER TABLE staged ADD COLUMN authors {text} NOT NULL DEFAULT '{}';
