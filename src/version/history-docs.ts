import { inDialects } from "../../api-docs/dialect.ts";
import type { Descriptions, Given, Refused } from "../../api-docs/example.ts";

/** History in the reference; the examples are on the sample site of `octavo serve --demo`. */

/** A revision at which the sample site was complete and nothing on it had been changed. */
export const firstRevision = 30;

const alien = "movies/alien";
const solaris = "movies/solaris.jpg";

/** Edits of the entry that the examples look back from. */
export const editedEntry: Given[] = [
  { method: "PATCH", url: "/api/entries", arguments: { id: alien, data: { minutes: 116 } } },
  { method: "PATCH", url: "/api/entries", arguments: { id: alien, data: { title: "ALIEN", director: null } } },
];
const editedFile: Given[] = [
  {
    method: "PATCH",
    url: "/api/files/meta",
    arguments: { path: solaris, field: "title", value: "The ocean" },
  },
];
const editedItem: Given[] = [
  { method: "PUT", url: "/api/registry", arguments: { id: "site.title", value: "The late reading room" } },
];

const badCursor: Refused = { cursor_invalid: { arguments: { cursor: "unknown" } } };
/** A revision from before all things of the sample site. */
const tooEarly: Refused = { revision_not_found: { arguments: { revision: 1 } } };

const entryMissing: Refused = { entry_not_found: { arguments: { id: "movies/nowhere" } } };
const fileMissing: Refused = {
  file_not_found: { arguments: { path: "movies/nowhere.jpg" } },
  argument_conflict: { arguments: { id: "movies/metropolis.jpg" } },
};

export const operations: Descriptions = {
  "GET /api/entries/history": {
    description:
      "Lists the contents that updates and restores have replaced. Creates, moves, copies and deletes add none. A move " +
      "keeps the history; a copy starts without. The settings `history_keep_rows`, `history_keep_days` and " +
      "`history_keep_bytes` bound what is kept. `GET /api/management/entries` with `revision` answers one of them.",
    examples: [{ summary: "After two updates", arguments: { id: alien }, given: editedEntry }],
    refused: { ...entryMissing, ...badCursor },
  },
  "POST /api/entries/restore": {
    description:
      "With `revision`, gives the entry the data that was in force then, as an update; the replaced content is in the " +
      "history. The service's fields stay as they are, `visibility`, `published_at` and `routable` among them; with `state` " +
      "they come back, too. With `at` and `subtree`, does so for every entry at and below the id, as of that time, atomically: " +
      "places, deletions and entries created later stay as they are. If the content of one of them is not kept any more, " +
      "nothing is restored. At most 10,000 entries.",
    examples: [
      { summary: "One entry", arguments: { id: alien, revision: firstRevision }, given: editedEntry },
      {
        summary: "A section as of a time, from before it was created",
        arguments: { id: "movies", at: "2026-01-15T18:00:00Z", subtree: true },
      },
    ],
    refused: { ...entryMissing, ...tooEarly, argument_conflict: { arguments: { at: 1_750_000_000 } } },
  },
  ...inDialects("files", {
    "GET /api/files/history": {
      description:
        "Lists the bytes and fields that uploads over the name, changes of meta fields and restores have replaced. A move " +
        "keeps the history; a copy starts without. Kept bytes are stored once and count as used.",
      examples: [{ summary: "After a change of the title", arguments: { path: solaris }, given: editedFile }],
      refused: { ...fileMissing, ...badCursor },
    },
    "GET /api/files/history/state": {
      description: "Answers the file as it was at a revision, under its present path. Its `url` has the present bytes.",
      examples: [{ summary: "The fields", arguments: { path: solaris, revision: firstRevision }, given: editedFile }],
      refused: { ...fileMissing, ...tooEarly },
    },
    "GET /api/files/history/bytes": {
      description: "Answers the bytes as they were at a revision. Supports ranges and conditional requests (RFC 9110).",
      examples: [{ summary: "The bytes", arguments: { path: solaris, revision: firstRevision }, given: editedFile }],
      refused: { ...fileMissing, ...tooEarly },
    },
    "POST /api/files/restore": {
      description:
        "Gives the file the bytes and fields that were in force at the revision. The path stays; the replaced ones are in " +
        "the history.",
      examples: [{ summary: "A file", arguments: { path: solaris, revision: firstRevision }, given: editedFile }],
      refused: { ...fileMissing, ...tooEarly },
    },
  }),
  "GET /api/registry/history": {
    description:
      "Lists the values that a set, a delete or a restore has replaced. A deleted item keeps its history under its key; a key " +
      "without any has an empty one.",
    examples: [{ summary: "After a new value", arguments: { id: "site.title" }, given: editedItem }],
    refused: badCursor,
  },
  "GET /api/registry/history/state": {
    description: "Answers the value as it was at a revision, of a deleted item, too.",
    examples: [{ summary: "The value", arguments: { id: "site.title", revision: firstRevision }, given: editedItem }],
    refused: tooEarly,
  },
  "POST /api/registry/restore": {
    description: "Sets the item to the value that was in force at the revision. A deleted item is created again.",
    examples: [{ summary: "An item", arguments: { id: "site.title", revision: firstRevision }, given: editedItem }],
    refused: tooEarly,
  },
};
