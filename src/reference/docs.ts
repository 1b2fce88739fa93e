import type { Descriptions, Given } from "../../api-docs/example.ts";

/** Which entries refer to a thing, in the reference; the examples are on the sample site of `octavo serve --demo`. */

const type = { id: "review", paths: ["reviews/*"], schema: { properties: {} } };
const place = { format: "entry" };

/** A review of a film, with its type. */
const referring = (value: string, format = "entry"): Given[] => [
  {
    method: "PUT",
    url: "/api/types",
    arguments: { ...type, schema: { properties: { film: place, still: { format } } } },
  },
  {
    method: "POST",
    url: "/api/entries",
    arguments: {
      id: format === "entry" ? "reviews/first" : "reviews/still",
      data: { [format === "entry" ? "film" : "still"]: value },
    },
  },
];

const words =
  "Looks at the live content of entries, within the paths of the token: fields that their types mark, and links in prose. " +
  "Each row names the places by JSON pointers (RFC 6901).";

export const operations: Descriptions = {
  "GET /api/entries/references": {
    description: words,
    examples: [
      { summary: "Who refers to a film", arguments: { id: "movies/alien" }, given: referring("movies/alien") },
    ],
    refused: {
      entry_not_found: { arguments: { id: "movies/nowhere" } },
      cursor_invalid: { arguments: { cursor: "unknown" } },
    },
  },
  "GET /api/files/references": {
    description: `${words} With \`descendants\` the path may be a folder.`,
    examples: [
      {
        summary: "Who shows a picture",
        arguments: { path: "movies/solaris.jpg" },
        given: referring("movies/solaris.jpg", "file"),
      },
    ],
    refused: {
      file_not_found: { arguments: { path: "movies/nowhere.jpg" } },
      cursor_invalid: { arguments: { cursor: "unknown" } },
    },
  },
};
