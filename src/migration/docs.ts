import { type Descriptions, type Given, sampleGroup } from "../../api-docs/example.ts";

/** Migrations in the reference; the examples are on the sample site of `octavo serve --demo`. */

const url = "/api/types/migrate";

const typeOf = (id: string): Given => ({
  method: "PUT",
  url: "/api/types",
  arguments: { id, paths: [`${id}s/*`], schema: { properties: { hall: { type: "string" } } } },
});
const concert: Given = {
  method: "POST",
  url: "/api/entries",
  arguments: { id: "concerts/opening", data: { title: "Opening", hall: "Small hall" } },
};
const rename = { type: "concert", rename: "/hall", to: "/venue" };
const convert = { type: "concert", convert: "/title", to: "integer" };
/** A type without entries: its migration is one event. */
const migrated: Given = {
  method: "POST",
  url,
  arguments: { steps: [{ ...rename, type: "lecture" }] },
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
      {
        summary: "What a rename would change",
        arguments: { steps: [rename], dry_run: true },
        given: [typeOf("concert"), concert],
      },
      { summary: "A rename", arguments: { steps: [rename] }, given: [typeOf("concert"), concert] },
    ],
    refused: {
      type_not_found: { arguments: { steps: [{ ...rename, type: "nothing" }] } },
      data_too_large: {
        arguments: { steps: [{ type: "concert", default: "/notes", value: "x".repeat(300_000) }] },
        given: [typeOf("concert")],
      },
      migration_invalid: { arguments: { steps: [convert], dry_run: undefined }, given: [typeOf("concert"), concert] },
    },
  },
  [`POST ${url}/undo`]: {
    description:
      "Gives entries, working copies, schemas and saved tables what they had before the migration. Refused where one of them " +
      "changed since, or where the history of an entry does not reach back.",
    examples: [{ summary: "The newest one", arguments: { group: sampleGroup }, given: [typeOf("lecture"), migrated] }],
    refused: {
      migration_not_found: { arguments: { group: 999_999 } },
    },
  },
};
