import type { Descriptions, Given, Refused, Tag } from "../../api-docs/example.ts";

/** Searches in the reference; the examples are on the sample site of `octavo serve --demo`. */

const condition = { key: "title", expr: "eq", value: "Solaris" };
const common: Refused = {
  argument_unknown: { arguments: { limmit: 2 } },
  filter_invalid: { arguments: { filter: { where: { key: "year" } } } },
  filter_too_complex: { arguments: { filter: { and_where: Array(51).fill(condition) } } },
  limit_too_large: { arguments: { limit: 1000 } },
  locale_unknown: { arguments: { locale: "xx" } },
};
const refused: Refused = {
  ...common,
  entry_not_found: { arguments: { id: "movies/nowhere" } },
  path_invalid: { arguments: { id: "movies/../secret" } },
};

const staged: Given = {
  method: "PATCH",
  url: "/api/entries/staged",
  arguments: { id: "movies/alien", data: { tagline: "In space no one can hear you scream." } },
};

export const tags: readonly Tag[] = [
  {
    name: "Search",
    group: "Content",
    holds: /^\/api\/(delivery\/)?(entries|files)\/(staged\/)?search/,
    description:
      "Words in any form, with typos and as beginnings, the best match first. [The guide](/docs/search) has a search box.",
  },
];

const matches =
  "All words must be in an entry, in whatever field; the last one also as a beginning, longer ones also with one typo or two. " +
  'A `"phrase in quotes"` stands as it is, `-word` takes away. `matches` says of each entry where the words stand: `highlights` ' +
  "are ranges in the texts as they are stored. When nothing has all words, some are left out from the end, and `dropped` names them. ";

export const operations: Descriptions = {
  "GET /api/entries/search": {
    description:
      `${matches}A delivery token searches what is public, a preview token what it may see, a management token everything; ` +
      "to that one `why` says what each match is worth in each rule of the order.",
    examples: [
      { summary: "The beginning of a name", arguments: { q: "lem", only: "title" } },
      { summary: "Without a word", arguments: { q: "solaris -cyberiad", only: "title" } },
    ],
    refused,
  },
  "GET /api/delivery/entries/search": {
    description: `${matches}Searches what is public, whatever the token may see.`,
    examples: [
      {
        summary: "A typo, below a path, with the genres of what was found",
        arguments: { q: "tarkovksy", id: "movies", facets: "genres", only: "title,year" },
      },
      { summary: "A phrase", arguments: { q: '"above an ocean"', only: "title" } },
      { summary: "A word that nothing has is left out", arguments: { q: "ocean submarine", only: "title", limit: 1 } },
    ],
    refused,
  },
  "GET /api/entries/staged/search": {
    description: `${matches}Searches entries as they would be if every working copy were published.`,
    examples: [{ summary: "A word of a working copy", arguments: { q: "scream", only: "title" }, given: [staged] }],
    refused,
  },
  "GET /api/files/search": {
    description:
      "The words of files: their title, name, name as sent, alt, description, tags and other texts, as searches of entries find " +
      "them. Names are also cut at dots, hyphens and underscores. The `id` of a match is the path.",
    examples: [{ summary: "A name without its extension", arguments: { q: "solaris", only: "filename,title" } }],
    refused: {
      ...common,
      folder_not_found: { arguments: { path: "nowhere" } },
      path_invalid: { arguments: { path: "movies/../secret" } },
    },
  },
};
