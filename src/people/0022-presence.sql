-- Which sessions of the admin page have an entry open, for seconds: each note removes what is older. Backups leave the table out.
CREATE TABLE presence (
  slug {text} NOT NULL,
  session {text} NOT NULL,
  at {integer} NOT NULL,
  PRIMARY KEY (slug, session)
) {strict};
