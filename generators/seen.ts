/** A running service with the sample site. */
export type Service = { url: string; tokens: { management: string; access: string; images: string } };

/** The results that a program read from it. */
export type Seen = {
  /** The title of one entry. */
  one: unknown;
  /** The titles of entries below the root, of two films, and of films before 1979, newest first. */
  root: unknown[];
  flat: unknown[];
  nested: unknown[];
  /** The slug of an entry that was created. */
  created: unknown;
  /** The code of the refusal to create it again. */
  refused: unknown;
  /** The name of an uploaded file. */
  uploaded: unknown;
  /** The media type of an image. */
  image: unknown;
};
