import type { Descriptions, Given, Refused, Tag } from "../../api-docs/example.ts";

/** Content types in the reference; the examples are on the sample site of `octavo serve --demo`. */

const url = "/api/types";

const movie = {
  id: "movie",
  paths: ["movies/*"],
  schema: { required: ["title"], properties: { year: { type: "integer", minimum: 1888 } } },
};
const person = {
  id: "person",
  title: "Person",
  schema: { $defs: { name: { type: "string" } }, properties: { name: { type: "string" } } },
};
const credit = { id: "credit", schema: { properties: { who: { $ref: "/types/person#/$defs/name" } } } };

const earlyOnly = { properties: { year: { maximum: 1926 } } };

const twice = { properties: { one: { $ref: "/types/person" }, other: { $ref: "person" } } };

const put = (type: object): Given => ({ method: "PUT", url, arguments: { ...type } });
const missing: Refused = { type_not_found: { arguments: { id: "nothing" } } };
const invalid = { type: "object", properties: { year: { type: "number", minimum: "early" } } };

export const tags: readonly Tag[] = [
  {
    name: "Types",
    group: "Content",
    holds: /^\/api\/types/,
    description:
      "Which data entries have: a JSON Schema with the patterns of their ids. A write whose data does not fit is refused; " +
      "entries without a type may have any data.",
  },
];

export const operations: Descriptions = {
  [`GET ${url}`]: {
    description:
      "With `id` the type, whose ETag the PUT and the DELETE take in `If-Match`. Without it a list in the order of the ids. A " +
      "type with a `fault` was stored by an earlier version, and its schema would not be accepted any more.",
    examples: [
      { summary: "One type", arguments: { id: "movie" }, given: [put(movie)] },
      { summary: "The types", arguments: { limit: 10 }, given: [put(movie)] },
    ],
    refused: { ...missing, cursor_invalid: { arguments: { id: undefined, cursor: "unknown" } } },
  },
  [`PUT ${url}`]: {
    description:
      "Creates the type or replaces all of it. It is in force from the next write on. Entries that are there already stay as " +
      "they are: an update of one is refused only for faults that it brings. `$ref` may name another type as " +
      "`/types/person`. A schema that names a field of the service, such as `slug`, is refused. [The guide](/docs/types) says what a schema may have.",
    examples: [{ summary: "A type for the entries below movies", arguments: movie }],
    refused: {
      type_not_found: { arguments: { id: "nothing" }, headers: { "If-Match": '"1"' } },
      revision_mismatch: { given: [put(movie)], headers: { "If-Match": '"0"' } },
      schema_invalid: { arguments: { schema: invalid } },
      type_in_use: {
        arguments: { id: "person", schema: { properties: { name: { type: "string" } } } },
        given: [put(person), put(credit)],
      },
      data_too_large: { arguments: { title: "x".repeat(1001) } },
    },
  },
  [`PATCH ${url}`]: {
    description:
      "Gives the type another id. Types that refer to it, by `$ref` or `x-octavo-types`, and entries and working copies whose " +
      "`fieldset` names it follow, at most 100,000 of these, in one transaction and one group of events. What is in the trash " +
      "and in history keeps the old name.",
    examples: [{ summary: "Another id", arguments: { id: "movie", new_id: "film" }, given: [put(movie)] }],
    refused: {
      type_not_found: { arguments: { id: "nothing" } },
      type_exists: { arguments: { new_id: "person" }, given: [put(movie), put(person)] },
      type_in_use: {
        arguments: { id: "person" },
        given: [put(person), put({ id: "credit", schema: twice })],
      },
      revision_mismatch: { given: [put(movie)], headers: { "If-Match": '"0"' } },
    },
  },
  [`POST ${url}/apply`]: {
    description:
      "Makes the types those of the list, in one transaction and one group of events, or changes nothing. They may refer to each " +
      "other in any order; types that are not in the list stay, or are removed with `prune`. All entries are looked at first: " +
      "422 `types_refused` names those that would have a fault that they have not now. With `dry_run` the reply is the same, " +
      "and nothing is stored. [The guide](/docs/environments) does this from a repository.",
    examples: [
      {
        summary: "What a type would change",
        arguments: { types: [{ id: "page", title: "Page", schema: { required: ["title"] } }], dry_run: true },
      },
    ],
    refused: {
      schema_invalid: { arguments: { types: [{ id: "movie", schema: invalid }] } },
      type_in_use: {
        arguments: { types: [{ id: "person", schema: { properties: { name: { type: "string" } } } }] },
        given: [put(person), put(credit)],
      },
      types_refused: { arguments: { types: [{ id: "movie", paths: movie.paths, schema: earlyOnly }] } },
      data_too_large: { arguments: { types: [{ id: "movie", title: "x".repeat(1001), schema: true }] } },
    },
  },
  [`DELETE ${url}`]: {
    description: "Deletes the type. Entries stay as they are, and are no longer checked.",
    examples: [{ summary: "One type", arguments: { id: "movie" }, given: [put(movie)] }],
    refused: {
      ...missing,
      revision_mismatch: { given: [put(movie)], headers: { "If-Match": '"0"' } },
      type_in_use: { arguments: { id: "person" }, given: [put(person), put(credit)] },
    },
  },
  [`POST ${url}/check`]: {
    description:
      "Answers which entries would be of the type and have data that does not fit. Nothing is stored. Where its time (setting `scan_management_ms`) is not enough, `has_more` is true, and `after` goes on behind `last`.",
    examples: [{ summary: "A type that is tried", arguments: { id: "movie", paths: movie.paths, schema: earlyOnly } }],
    refused: { schema_invalid: { arguments: { schema: invalid } }, path_invalid: { arguments: { after: "a//b" } } },
  },
};
