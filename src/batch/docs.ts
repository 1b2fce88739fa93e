import type { Descriptions, Refused, Tag } from "../../api-docs/example.ts";

/** Batches in the reference; the examples are on the sample site of `octavo serve --demo`. */

const create = (id: string, title: string) => ({ method: "POST", path: "/api/entries", body: { id, data: { title } } });
const hide = (id: string) => ({ method: "PATCH", path: "/api/entries", body: { id, data: { visibility: "hidden" } } });

/** One more than a batch may have. */
const tooMany = Array.from({ length: 1001 }, (_, n) => create(`many/${n}`, "One of many"));
const refused: Refused = {
  operation_refused: { arguments: { operations: [{ method: "GET", path: "/api/entries", body: { id: "movies" } }] } },
  batch_too_large: { arguments: { operations: tooMany } },
  path_invalid: { arguments: { operations: [create("movies/../secret", "Out")] } },
};

export const tags: readonly Tag[] = [
  {
    name: "Batch",
    group: "Content",
    holds: /^\/api\/batch/,
    description: "Many writes of any of these, all of them or none.",
  },
];

export const operations: Descriptions = {
  "POST /api/batch": {
    description:
      "Makes writes in the order of the list, in one transaction: each sees those before it, and all are made or none. " +
      "An operation is a write as it would be sent by itself, without tokens: of entries, working copies, folders, files " +
      "without bytes (move, copy, delete, meta) and the registry. The scopes of all operations, then their forms are " +
      "checked before the first is made. The first failure undoes everything and is the reply: the problem that the " +
      "operation has by itself, with its number as `operation`, from 0. Each operation counts as a call, also when the " +
      "batch fails; all must be left of the limits of the tokens. With `merge_patch` the data of a PATCH " +
      "of an entry or a working copy is a merge patch; `on_conflict` is that of a create, whose result has its `outcome`. With `dry_run` the reply is the same, and nothing is written.",
    examples: [
      {
        summary: "A new section with its entries",
        arguments: { operations: [create("events", "Events"), create("events/opening", "The opening night")] },
      },
      {
        summary: "Hide several entries, if that is possible",
        arguments: { operations: [hide("movies/alien"), hide("movies/solaris")], dry_run: true },
      },
    ],
    refused,
  },
};
