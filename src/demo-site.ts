/** What the sample site has. */

export type Picture = { name: string; title: string; description: string };

export const sampleItems: readonly (readonly [string, unknown])[] = [
  ["site.title", "The reading room"],
  ["site.description", "Films, and the books some of them came from."],
  ["site.language", "en"],
  ["site.per_page", 10],
  ["site.navigation", ["movies", "articles", "authors"]],
];

export const samplePictures: readonly Picture[] = [
  { name: "metropolis.jpg", title: "The city above", description: "Towers before a low sun, drawn for this site." },
  { name: "solaris.jpg", title: "Over the ocean", description: "A station, two suns and waves, drawn for this site." },
];

export type SampleType = { id: string; title: string; description?: string; paths: readonly string[]; schema: object };

/** A shape of blocks: its constant tells it apart. */
const block = (kind: string, title: string, fields: object): object => ({
  ...{ type: "object", title, required: ["kind"] },
  properties: { kind: { const: kind }, ...fields },
});

/** What the three kinds of entries have. Other fields are allowed. */
export const sampleTypes: readonly SampleType[] = [
  {
    id: "author",
    title: "Author",
    paths: ["authors/*"],
    schema: {
      type: "object",
      required: ["title"],
      properties: {
        title: { type: "string", title: "Name", minLength: 1 },
        born: { type: "integer", title: "Year of birth" },
        died: { type: ["integer", "null"], title: "Year of death" },
        languages: { type: "array", title: "Languages", items: { type: "string" } },
        works: {
          type: "array",
          title: "Works",
          items: {
            type: "object",
            required: ["title"],
            properties: {
              title: { type: "string", title: "Title" },
              year: { type: "integer", title: "Year" },
            },
          },
        },
        content: { type: "string", title: "About", contentMediaType: "text/markdown" },
      },
    },
  },
  {
    id: "movie",
    title: "Movie",
    description: "A film, and the book it came from.",
    paths: ["movies/*"],
    schema: {
      type: "object",
      properties: {
        title: { type: "string", title: "Title", minLength: 1 },
        year: { type: "integer", title: "Year", minimum: 1888 },
        released: {
          type: "string",
          title: "First shown",
          format: "date",
          pattern: "^\\d{4}-\\d{2}-\\d{2}$",
        },
        director: { type: ["string", "null"], title: "Director" },
        minutes: { type: "integer", title: "Length in minutes", minimum: 1 },
        silent: { type: "boolean", title: "Silent" },
        genres: { type: "array", title: "Genres", items: { type: "string" }, uniqueItems: true },
        origin: {
          type: "object",
          title: "Origin",
          properties: {
            country: { type: "string", title: "Country" },
            language: { type: "string", title: "Language" },
          },
        },
        based_on: {
          type: "object",
          title: "Based on",
          properties: {
            title: { type: "string", title: "Title" },
            author: { type: "string", title: "Name of the author" },
            year: { type: "integer", title: "Year" },
          },
        },
        author: {
          type: "string",
          title: "Author of the book",
          description: "The entry of the author whose book this film is based on.",
          format: "entry",
          "x-octavo-types": ["author"],
        },
        cast: {
          type: "array",
          title: "Cast",
          items: {
            type: "object",
            required: ["name"],
            properties: {
              name: { type: "string", title: "Name" },
              role: { type: "string", title: "Role" },
            },
          },
        },
        picture: { type: "string", title: "Picture", format: "file", "x-octavo-media": ["image/*"] },
        content: { type: "string", title: "Story", contentMediaType: "text/markdown" },
      },
    },
  },
  {
    id: "article",
    title: "Article",
    paths: ["articles/*"],
    schema: {
      type: "object",
      required: ["title"],
      properties: {
        title: { type: "string", title: "Title", minLength: 1 },
        kind: {
          type: "string",
          title: "Kind",
          oneOf: [
            { const: "essay", title: "Essay" },
            { const: "note", title: "Short note" },
          ],
          default: "essay",
        },
        author: { type: "string", title: "Author", format: "entry", "x-octavo-types": ["author"] },
        cover: { type: "string", title: "Cover", format: "file", "x-octavo-media": ["image/*"] },
        featured: { type: "boolean", title: "On the front page", default: false },
        tags: { type: "array", title: "Tags", items: { type: "string" }, uniqueItems: true },
        movies: {
          type: "array",
          title: "Films in it",
          items: { type: "string", format: "entry", "x-octavo-types": ["movie"] },
        },
        content: { type: "string", title: "Text", contentMediaType: "text/markdown" },
        blocks: {
          type: "array",
          title: "Below the text",
          items: {
            oneOf: [
              block("picture", "Picture", {
                picture: { type: "string", title: "Picture", format: "file", "x-octavo-media": ["image/*"] },
                caption: { type: "string", title: "Caption" },
              }),
              block("quote", "Quote", {
                words: { type: "string", title: "Words" },
                source: { type: "string", title: "Source" },
              }),
              block("film", "Film", {
                film: { type: "string", title: "Film", format: "entry", "x-octavo-types": ["movie"] },
              }),
            ],
          },
        },
      },
    },
  },
];

/** Numbers, booleans, lists, objects; one draft and one hidden entry. The facts are true. */
export const sampleEntries: readonly (readonly [string, object])[] = [
  ["movies", { title: "Movies", content: "Science fiction on the screen." }],
  [
    "movies/metropolis",
    {
      title: "Metropolis",
      year: 1927,
      released: "1927-01-10",
      director: "Fritz Lang",
      minutes: 153,
      silent: true,
      genres: ["science fiction", "drama"],
      origin: { country: "Germany", language: "German" },
      picture: "movies/metropolis.jpg",
      content: "A city above, and the workers below it.",
    },
  ],
  [
    "movies/solaris",
    {
      title: "Solaris",
      year: 1972,
      released: "1972-03-20",
      director: "Andrei Tarkovsky",
      minutes: 167,
      silent: false,
      genres: ["science fiction", "drama"],
      origin: { country: "Soviet Union", language: "Russian" },
      based_on: { title: "Solaris", author: "Stanisław Lem", year: 1961 },
      author: "authors/stanislaw-lem",
      picture: "movies/solaris.jpg",
      content: "A psychologist is sent to a station above an ocean that answers.",
    },
  ],
  [
    "movies/alien",
    {
      title: "Alien",
      year: 1979,
      released: "1979-05-25",
      director: "Ridley Scott",
      minutes: 117,
      silent: false,
      genres: ["science fiction", "horror"],
      origin: { country: "United Kingdom", language: "English" },
      cast: [
        { name: "Sigourney Weaver", role: "Ripley" },
        { name: "Ian Holm", role: "Ash" },
      ],
      content: "The crew of a freighter answers a signal.",
    },
  ],
  [
    "movies/stalker",
    {
      title: "Stalker",
      year: 1979,
      released: "1979-05-25",
      director: "Andrei Tarkovsky",
      minutes: 162,
      silent: false,
      genres: ["science fiction", "drama"],
      origin: { country: "Soviet Union", language: "Russian" },
      based_on: { title: "Roadside Picnic", author: "Arkady and Boris Strugatsky", year: 1972 },
      content: "Three men walk into the Zone.",
    },
  ],
  [
    "movies/arrival",
    {
      title: "Arrival",
      year: 2016,
      released: "2016-09-01",
      director: "Denis Villeneuve",
      minutes: 116,
      silent: false,
      genres: ["science fiction", "drama"],
      origin: { country: "United States", language: "English" },
      based_on: { title: "Story of Your Life", author: "Ted Chiang", year: 1998 },
      author: "authors/ted-chiang",
      content: "A linguist learns to read the visitors.",
    },
  ],
  ["articles", { title: "Articles", content: "" }],
  [
    "articles/from-page-to-screen",
    {
      title: "From page to screen",
      kind: "essay",
      author: "authors/the-reading-room",
      cover: "movies/solaris.jpg",
      published_at: "2024-03-01 09:00",
      featured: true,
      tags: ["books", "film"],
      movies: ["movies/solaris", "movies/stalker", "movies/arrival"],
      content: `Three films here began as a *novel* or a *story*.

## An ocean that answers

Stanisław Lem published **Solaris** in 1961. The film keeps the station and its visitors, and adds a house on Earth.

## A zone

*Roadside Picnic* became **Stalker**: the brothers Strugatsky wrote the screenplay of their own book.

## How long it took

| Film | Book | Years between |
| --- | --- | ---: |
| Solaris | Solaris, 1961 | 11 |
| Stalker | Roadside Picnic, 1972 | 7 |
| Arrival | Story of Your Life, 1998 | 18 |
`,
    },
  ],
  [
    "articles/silent-cities",
    {
      title: "Silent cities",
      kind: "essay",
      author: "authors/the-reading-room",
      cover: "movies/metropolis.jpg",
      published_at: "2024-05-17 09:00",
      featured: false,
      tags: ["film", "architecture"],
      movies: ["movies/metropolis"],
      content: `What a city says when nobody speaks.

- Its **height** says who plans it, and who builds it.
- Its *machines* say what time it is.
- Its streets are full, or they are empty.

> A silent film is never quiet: an orchestra plays.
`,
      blocks: [
        { kind: "picture", picture: "movies/metropolis.jpg", caption: "The city above" },
        {
          kind: "quote",
          words: "The mediator between head and hands must be the heart.",
          source: "A title card of Metropolis",
        },
        { kind: "film", film: "movies/metropolis" },
      ],
    },
  ],
  [
    "articles/colophon",
    {
      title: "Colophon",
      kind: "note",
      author: "authors/the-reading-room",
      visibility: "hidden",
      tags: ["about"],
      content: "This article is hidden: it can be fetched by its id, and no collection lists it.",
    },
  ],
  [
    "articles/unfinished",
    {
      title: "Unfinished",
      visibility: "draft",
      tags: [],
      content: "This article is a draft: a delivery token does not see it, a management token does.",
    },
  ],
  ["authors", { title: "Authors", content: "" }],
  [
    "authors/stanislaw-lem",
    {
      title: "Stanisław Lem",
      born: 1921,
      died: 2006,
      languages: ["Polish"],
      works: [
        { title: "Solaris", year: 1961 },
        { title: "The Cyberiad", year: 1965 },
      ],
      content: "",
    },
  ],
  [
    "authors/ted-chiang",
    {
      title: "Ted Chiang",
      born: 1967,
      died: null,
      languages: ["English"],
      works: [{ title: "Story of Your Life", year: 1998 }],
      content: "",
    },
  ],
  [
    "authors/the-reading-room",
    { title: "The reading room", languages: ["English"], content: "Writes the articles of this site." },
  ],
];

/** An entry that goes live some days after the fill. */
export const scheduledEntry = {
  slug: "articles/next-week",
  days: 7,
  data: {
    title: "Next week",
    kind: "note",
    author: "authors/the-reading-room",
    tags: ["about"],
    content: "This article is scheduled: the site shows it from its publish date on.",
  },
} as const;
