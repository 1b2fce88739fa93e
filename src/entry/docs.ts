import type { Descriptions, Examples, Refused, Tag } from "../../api-docs/example.ts";
import { editedEntry, firstRevision } from "../version/history-docs.ts";

/** Entries in the reference; the examples are on the sample site of `octavo serve --demo`. */

const collection = (filter: object) => ({ id: "movies", filter });

const readExamples: Examples = [
  { summary: "One entry", arguments: { id: "movies/alien" } },
  {
    summary: "A filtered collection",
    arguments: collection({
      where: { key: "year", expr: "gte", value: 1979 },
      and_where: [{ key: "genres", expr: "contains", value: "drama" }],
      order_by: { field: "year", direction: "desc" },
      only: ["title", "year", "slug"],
    }),
  },
  {
    summary: "A page and the total",
    arguments: collection({ limit: 2, total: true, only: ["title", "slug"] }),
  },
  {
    summary: "The number of matches",
    arguments: collection({ where: { key: "year", expr: "lt", value: 1979 }, return: "count" }),
  },
  { summary: "Full text", arguments: collection({ search: "andrei tarkovsky", only: ["title", "director"] }) },
  {
    summary: "Some fields of one entry",
    arguments: { id: "movies/solaris", options: { filter: { only: ["title", "based_on"] } } },
  },
];

const deliveryExamples: Examples = [
  { summary: "One public entry", arguments: { id: "articles/colophon" } },
  {
    summary: "The published articles",
    arguments: {
      id: "articles",
      filter: { order_by: { field: "published_at", direction: "desc" }, only: ["title", "published_at"] },
    },
  },
];

const managementExamples: Examples = [
  { summary: "A draft", arguments: { id: "articles/unfinished" } },
  {
    summary: "All entries that are not public",
    arguments: {
      id: "articles",
      filter: { where: { key: "visibility", expr: "neq", value: "visible" }, only: ["title", "visibility"] },
    },
  },
  {
    summary: "The content at an earlier revision",
    arguments: { id: "movies/alien", revision: firstRevision },
    given: editedEntry,
  },
];

const collectionHelp =
  "Without `filter` and `options[collection]` the reply is one entry. With either it is a list of the entries below it: " +
  "direct children in the order of their ids, unless the arguments say otherwise. If there are more, a `Link` header with " +
  '`rel="next"` has the URL of the next page. `args` is another name of `filter`.';

const readRefused: Refused = {
  entry_not_found: { arguments: { id: "movies/nowhere" } },
  argument_conflict: { arguments: { filter: { limit: 2, set_max_result: 3 } } },
};

const createExamples: Examples = [
  {
    summary: "A film",
    arguments: {
      id: "movies/dune",
      data: { title: "Dune", year: 2021, director: "Denis Villeneuve", genres: ["science fiction", "adventure"] },
    },
  },
  {
    summary: "A draft with a publication date",
    arguments: {
      id: "articles/on-deserts",
      data: {
        title: "On deserts",
        visibility: "draft",
        published_at: "2027-01-15 09:00",
        content: "Sand, and what it hides.",
      },
    },
  },
];
const upsertExample = {
  summary: "Created, or updated where it is there",
  arguments: { id: "movies/alien", data: { minutes: 117 }, on_conflict: "update" },
};
const concert = { id: "concert", paths: ["concerts/*"], schema: { required: ["title", "date"] } };

const createRefused: Refused = {
  release_not_found: {
    arguments: { data: { visibility: "draft" }, release: "00000000-0000-4000-8000-000000000000" },
  },
  entry_exists: { arguments: { id: "movies/alien" } },
  entry_not_found: { headers: { "If-Match": "*" } },
  field_invalid: { arguments: { data: { title: "Dune", visibility: "secret" } } },
  data_too_large: { arguments: { data: { content: "x".repeat(1_100_000) } } },
  argument_conflict: {
    arguments: { data: { visibility: "draft" }, release: "00000000-0000-4000-8000-000000000000", on_conflict: "skip" },
  },
  revision_mismatch: { arguments: { id: "movies/alien", on_conflict: "update" }, headers: { "If-Match": '"0"' } },
  data_invalid: {
    arguments: { id: "concerts/late", data: { title: "Late" } },
    given: [{ method: "PUT", url: "/api/types", arguments: concert }],
  },
};

const updateExamples: Examples = [
  { summary: "Some fields", arguments: { id: "movies/alien", data: { minutes: 116, restored: true } } },
  {
    summary: "A merge patch, which removes a field",
    arguments: { id: "movies/solaris", data: { based_on: null } },
    headers: { "Content-Type": "application/merge-patch+json" },
  },
];
const updateRefused: Refused = {
  entry_not_found: { arguments: { id: "movies/nowhere" } },
  field_invalid: { arguments: { data: { published_at: "soon" } } },
  data_too_large: { arguments: { data: { content: "x".repeat(1_100_000) } } },
};

const moveExamples: Examples = [
  { summary: "Rename one", arguments: { id: "movies/alien", new_id: "movies/alien-1979" } },
  { summary: "Move a subtree", arguments: { id: "articles", new_id: "archive/articles" } },
];
const copyExamples: Examples = [{ summary: "Copy one", arguments: { id: "movies/alien", new_id: "movies/aliens" } }];
const placeRefused: Refused = {
  entry_not_found: { arguments: { id: "movies/nowhere" } },
  entry_exists: { arguments: { new_id: "movies/arrival" } },
  move_into_itself: { arguments: { id: "movies", new_id: "movies/science-fiction" } },
};

const deleteExamples: Examples = [
  { summary: "One entry", arguments: { id: "movies/alien" } },
  { summary: "An entry with its descendants", arguments: { id: "articles" } },
  { summary: "For good, without the trash", arguments: { id: "movies/alien", purge: true } },
];
const deleteRefused: Refused = { entry_not_found: { arguments: { id: "movies/nowhere" } } };

/** The writes at one of their two addresses. */
const writesAt = (url: string): Descriptions => ({
  [`POST ${url}`]: {
    description:
      "Stores the keys of `data` under a new id. The service sets the uuid, the times and the slug. `data` may set its " +
      "other fields: `published_at`, `published_by`, `created_by`, `routable` and `visibility`. The parent entry need " +
      "not exist. A request with `If-Match` is refused: a new entry has no ETag. With `release` a draft goes live with that release. " +
      "With `on_conflict` an entry that is there is updated as by PATCH, replaced or left; `If-Match` is compared with it, and " +
      "`Octavo-Outcome` says what was done. What changes nothing writes nothing.",
    examples: [...createExamples, upsertExample],
    refused: createRefused,
  },
  [`PATCH ${url}`]: {
    description:
      "Replaces the top-level keys in `data` and leaves the others as they are. With `application/merge-patch+json` a " +
      "null removes its key; otherwise null is a value. Of the service's own fields only `modified_at` changes.",
    examples: updateExamples,
    refused: updateRefused,
  },
  [`PUT ${url}`]: {
    description:
      "Moves the whole subtree atomically. The uuids and the times stay. The client updates links to the old ids.",
    examples: moveExamples,
    refused: placeRefused,
  },
  [`PUT ${url}/copy`]: {
    description:
      "Copies the whole subtree atomically, with new uuids and new `created_at` and `modified_at`. Answers the copy of " +
      "the named entry.",
    examples: copyExamples,
    refused: placeRefused,
  },
  [`DELETE ${url}`]: {
    description:
      "Moves the whole subtree to the trash atomically: `GET /api/trash` lists it, `POST /api/trash/restore` brings it back. " +
      "With `purge`, or where the setting `trash_keep_days` is 0, deletes it for good, with its history.",
    examples: deleteExamples,
    refused: deleteRefused,
  },
});

export const tags: readonly Tag[] = [
  {
    name: "Entries",
    group: "Content",
    holds: /^\/api\/entries(?!\/(staged|publish|search))/,
    description:
      "An entry is a JSON object under a path-shaped id, its slug: `movies/alien`. The client's own keys are at the top " +
      "level, beside those of the service. Ids form a tree: `movies` may have an entry of its own, and every id below it " +
      "can be read as its collection, moved, copied and deleted with it.",
  },
  {
    name: "Entries by family",
    group: "Content",
    holds: /^\/api\/(delivery|management)\/entries(?!\/search)/,
    description:
      "The same entries under separate URLs: `/api/delivery` always answers public entries only, " +
      "`/api/management` accepts management tokens only.",
  },
];

export const operations: Descriptions = {
  "GET /api/entries": {
    description: `${collectionHelp} A delivery token reads public entries, a management token everything.`,
    examples: readExamples,
    refused: readRefused,
  },
  "GET /api/delivery/entries": {
    description: `${collectionHelp} Here every token, including a management token, reads public entries only.`,
    examples: deliveryExamples,
    refused: readRefused,
  },
  "GET /api/management/entries": {
    description: `${collectionHelp} For management tokens only. With \`revision\` it is the entry with the content of that time, under its present id.`,
    examples: managementExamples,
    refused: { ...readRefused, revision_not_found: { arguments: { revision: 1 } } },
  },
  ...writesAt("/api/entries"),
  ...writesAt("/api/management/entries"),
  "GET /api/entries/recent": {
    description:
      "Lists entries with their newest change, as the newest 5,000 events of the log tell it: updates, working copies and " +
      "publications of one entry; a move is none, so what was moved is listed again when it is changed. With `mine` what the caller changed.",
    examples: [
      {
        summary: "Drafts that were changed last",
        arguments: { visibility: "draft", limit: 5 },
        given: [
          { method: "PATCH", url: "/api/entries", arguments: { id: "articles/unfinished", data: { note: "More" } } },
        ],
      },
    ],
    refused: {},
  },
  "GET /api/management/entries/children": {
    description: "Includes path segments without an entry that have descendants; a collection does not list those.",
    examples: [
      { summary: "Below the root", arguments: { id: "" } },
      { summary: "Below an entry, two at a time", arguments: { id: "movies", limit: 2 } },
    ],
    refused: {
      entry_not_found: { arguments: { id: "nowhere" } },
      argument_invalid: { arguments: { id: "", limit: 0 } },
    },
  },
};
