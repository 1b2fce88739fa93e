import type { Example, Refused } from "./example.ts";
import type { ApiRoute } from "./route.ts";

/** The examples of entries in the reference, on the sample site of `octavo serve --demo`. */

type Examples = readonly [Example, ...Example[]];

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
    summary: "A page and how many there are",
    arguments: collection({ limit: 2, total: true, only: ["title", "slug"] }),
  },
  {
    summary: "How many match",
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
    summary: "The articles that are published",
    arguments: {
      id: "articles",
      filter: { order_by: { field: "published_at", direction: "desc" }, only: ["title", "published_at"] },
    },
  },
];

const managementExamples: Examples = [
  { summary: "A draft", arguments: { id: "articles/unfinished" } },
  {
    summary: "Everything that is not public",
    arguments: {
      id: "articles",
      filter: { where: { key: "visibility", expr: "neq", value: "visible" }, only: ["title", "visibility"] },
    },
  },
];

const collectionHelp =
  "Without `filter` and `options[collection]` the answer is one entry. With either it is a list of the entries below it: " +
  "direct children in the order of their ids, unless the arguments say otherwise. When more are left, a `Link` header with " +
  '`rel="next"` leads to them.';

/** The reads at their three addresses. */
type Read = Pick<ApiRoute, "url" | "summary" | "description" | "examples">;
export const read: Read = {
  url: "/api/entries",
  summary: "Fetch one entry or a collection",
  description: `${collectionHelp} A delivery token sees what is public, a management token everything.`,
  examples: readExamples,
};
export const deliveryRead: Read = {
  url: "/api/delivery/entries",
  summary: "Fetch one public entry or a collection of them",
  description: `${collectionHelp} Here every token, a management token too, sees only what is public.`,
  examples: deliveryExamples,
};
export const managementRead: Read = {
  url: "/api/management/entries",
  summary: "Fetch one entry or a collection, drafts included",
  description: `${collectionHelp} Open to management tokens alone.`,
  examples: managementExamples,
};
export const readRefused: Refused = {
  entry_not_found: { arguments: { id: "movies/nowhere" } },
  argument_conflict: { arguments: { filter: { limit: 2, set_max_result: 3 } } },
};

export const createExamples: Examples = [
  {
    summary: "A film",
    arguments: {
      id: "movies/dune",
      data: { title: "Dune", year: 2021, director: "Denis Villeneuve", genres: ["science fiction", "adventure"] },
    },
  },
  {
    summary: "A draft that goes public on a day",
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
export const createRefused: Refused = {
  entry_exists: { arguments: { id: "movies/alien" } },
  entry_not_found: { headers: { "If-Match": "*" } },
  field_invalid: { arguments: { data: { title: "Dune", visibility: "secret" } } },
  data_too_large: { arguments: { data: { content: "x".repeat(1_100_000) } } },
};

export const updateExamples: Examples = [
  { summary: "Some fields", arguments: { id: "movies/alien", data: { minutes: 116, restored: true } } },
  {
    summary: "A merge patch, which removes a field",
    arguments: { id: "movies/solaris", data: { based_on: null } },
    headers: { "Content-Type": "application/merge-patch+json" },
  },
];
export const updateRefused: Refused = {
  entry_not_found: { arguments: { id: "movies/nowhere" } },
  field_invalid: { arguments: { data: { published_at: "soon" } } },
  data_too_large: { arguments: { data: { content: "x".repeat(1_100_000) } } },
};

export const moveExamples: Examples = [
  { summary: "Rename one", arguments: { id: "movies/alien", new_id: "movies/alien-1979" } },
  { summary: "Move all below an id", arguments: { id: "articles", new_id: "archive/articles" } },
];
export const copyExamples: Examples = [
  { summary: "Copy one", arguments: { id: "movies/alien", new_id: "movies/aliens" } },
];
export const placeRefused: Refused = {
  entry_not_found: { arguments: { id: "movies/nowhere" } },
  entry_exists: { arguments: { new_id: "movies/arrival" } },
  move_into_itself: { arguments: { id: "movies", new_id: "movies/science-fiction" } },
};

export const deleteExamples: Examples = [
  { summary: "One entry", arguments: { id: "movies/alien" } },
  { summary: "An entry with all below it", arguments: { id: "articles" } },
];
export const deleteRefused: Refused = { entry_not_found: { arguments: { id: "movies/nowhere" } } };
