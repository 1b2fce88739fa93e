-- What files say in other locales than the source. It belongs to the uuid: a move, an upload over the name and the trash keep it.
CREATE TABLE file_translation (
  uuid {text} NOT NULL,
  locale {text} NOT NULL,
  -- The event that made this state.
  revision {integer} NOT NULL,
  -- By the dotted name of a field its text, a JSON object. The last column: it may be large.
  texts {text} NOT NULL,
  PRIMARY KEY (uuid, locale)
) {strict};
