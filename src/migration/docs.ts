import { type Descriptions, type Given, sampleGroup } from "../../api-docs/example.ts";

/** Migrations in the reference; the examples are on the sample site of `octavo serve --demo`. */

const url = "/api/types/migrate";

const type = { id: "movie", paths: ["movies/*"], schema: { properties: { year: { type: "integer" } } } };
const put: Given = { method: "PUT", url: "/api/types", arguments: { ...type } };
const rename = { type: "movie", rename: "/year", to: "/released" };
const convert = { type: "movie", convert: "/title", to: "integer" };
/** It has no entries, so that its migration is one event. */
const concert: Given = {
  method: "PUT",
  url: "/api/types",
  arguments: { id: "concert", paths: ["concerts/*"], schema: { properties: { hall: { type: "string" } } } },
};
const migrated: Given = {
  method: "POST",
  url,
  arguments: { steps: [{ type: "concert", rename: "/hall", to: "/venue" }] },
};

export const operations: Descriptions = {
  [`POST ${url}`]: {
    description:
      "Does all steps of a plan, or nothing: the schema of the type changes with `required` and the order of its fields, and so " +
      "do all its entries, their working copies and the columns of saved tables. History stays as it was. A value that " +
      "cannot be converted, and a place that is taken, fail the whole plan. A step that is done already does nothing, so the " +
      "same plan again changes nothing. Its events are one group, by whose number it can be undone for 30 days. At most 100,000 " +
      "entries and working copies change at once. [The guide](/docs/types) says what each step does.",
    examples: [
      { summary: "What a rename would change", arguments: { steps: [rename], dry_run: true }, given: [put] },
      { summary: "A rename", arguments: { steps: [rename] }, given: [put] },
    ],
    refused: {
      type_not_found: { arguments: { steps: [{ ...rename, type: "nothing" }] } },
      migration_invalid: { arguments: { steps: [convert] }, given: [put] },
    },
  },
  [`POST ${url}/undo`]: {
    description:
      "Gives entries, working copies, schemas and saved tables what they had before the migration. Refused where one of them " +
      "changed since, or where the history of an entry does not reach back.",
    examples: [{ summary: "The newest one", arguments: { group: sampleGroup }, given: [concert, migrated] }],
    refused: {
      migration_not_found: { arguments: { group: 999_999 } },
      migration_changed: {
        given: [concert, migrated, { ...concert, arguments: { ...concert.arguments, schema: {} } }],
      },
    },
  },
};
