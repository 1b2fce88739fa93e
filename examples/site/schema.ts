// Made by `octavo types generate` out of the content types of a store. Do not edit.

/** Article */
export type Article = {
  /** Title */
  title: string;
  /** Kind */
  kind?: "essay" | "note";
  /** Author */
  author?: AuthorId;
  /** Cover */
  cover?: string;
  /** On the front page */
  featured?: boolean;
  /** Tags */
  tags?: string[];
  /** Films in it */
  movies?: MovieId[];
  /** Text */
  content?: string;
  /** Below the text */
  blocks?: ({
    kind: "picture";
    /** Picture */
    picture?: string;
    /** Caption */
    caption?: string;
  } | {
    kind: "quote";
    /** Words */
    words?: string;
    /** Source */
    source?: string;
  } | {
    kind: "film";
    /** Film */
    film?: MovieId;
  })[];
};
export type ArticleId = `articles/${string}`;

/** Author */
export type Author = {
  /** Name */
  title: string;
  /** Year of birth */
  born?: number;
  /** Year of death */
  died?: number | null;
  /** Languages */
  languages?: string[];
  /** Works */
  works?: {
    /** Title */
    title: string;
    /** Year */
    year?: number;
  }[];
  /** About */
  content?: string;
};
export type AuthorId = `authors/${string}`;

/** A film, and the book it came from. */
export type Movie = {
  /** Title */
  title?: string;
  /** Year */
  year?: number;
  /** First shown */
  released?: string;
  /** Director */
  director?: string | null;
  /** Length in minutes */
  minutes?: number;
  /** Silent */
  silent?: boolean;
  /** Genres */
  genres?: string[];
  /** Origin */
  origin?: {
    /** Country */
    country?: string;
    /** Language */
    language?: string;
  };
  /** Based on */
  based_on?: {
    /** Title */
    title?: string;
    /** Name of the author */
    author?: string;
    /** Year */
    year?: number;
  };
  /** The entry of the author whose book this film is based on. */
  author?: AuthorId;
  /** Cast */
  cast?: {
    /** Name */
    name: string;
    /** Role */
    role?: string;
  }[];
  /** Picture */
  picture?: string;
  /** Story */
  content?: string;
};
export type MovieId = `movies/${string}`;

/** The content types of the store: `createClient<Schema>()`. */
export interface Schema {
  entries: {
    article: {
      id: ArticleId;
      data: Article;
      references: {
        author: "author";
        cover: never;
        movies: "movie";
        "blocks.picture": never;
        "blocks.film": "movie";
      };
      localized: "title" | "content";
    };
    author: {
      id: AuthorId;
      data: Author;
      references: object;
      localized: "content";
    };
    movie: {
      id: MovieId;
      data: Movie;
      references: {
        author: "author";
        picture: never;
      };
      localized: "title" | "content";
    };
  };
}
