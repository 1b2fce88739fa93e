import { Type } from "../core/lib/json-schema.ts";
import { targets } from "./convert.ts";
import { type DonePlan, maxFirst } from "./migration.ts";

/** Plans on the wire. */

const pointer = (description: string) => Type.Optional(Type.String({ description }));

export const planStep = Type.Object(
  {
    type: Type.String({ description: "The type.", examples: ["movie"] }),
    rename: pointer("The field that gets another name: a JSON pointer, where `*` is each item of a list."),
    move: pointer("The field that goes to another place."),
    convert: pointer(`The field whose values become those of another kind: ${targets.join(", ")}.`),
    default: pointer("The field that gets `value` where it is missing."),
    drop: pointer("The field that is removed."),
    to: Type.Optional(Type.String({ description: "Of `rename` and `move` the new place, of `convert` the kind." })),
    value: Type.Optional(Type.Unknown({ description: "Of `default`: any JSON." })),
  },
  { $id: "MigrationStep", description: "One change of a field: one of rename, move, convert, default, drop." },
);

const count = (description: string) => Type.Integer({ description });
const changed = {
  entries: count("The entries that change."),
  copies: count("The working copies that change."),
  types: Type.Array(Type.String(), { description: "The types whose schema changes." }),
  views: count("The tables whose columns change: saved ones, and those that people chose columns for."),
};

export const donePlanObject = Type.Object(
  {
    group: Type.Union([Type.Integer(), Type.Null()], {
      description: "The sequence of its first event, by which it is undone; null where nothing was written.",
    }),
    ...changed,
    steps: Type.Array(
      Type.Object({
        entries: count("Entries."),
        copies: count("Working copies."),
        failing: count("Entries that fail."),
      }),
      { description: "What each step changes, in their order." },
    ),
    failing: count("Of a dry run: the entries that the plan cannot be done with."),
    first: Type.Array(
      Type.Object({
        id: Type.String({ description: "The entry." }),
        staged: Type.Boolean({ description: "True where its working copy is what fails." }),
        step: Type.Union([Type.Integer(), Type.Null()], {
          description: "The number of the step, from 0; null where the result would not fit the type.",
        }),
        message: Type.String({ description: "Why." }),
      }),
      { description: `The first ${maxFirst} of these by id.` },
    ),
  },
  { $id: "Migration", description: "What a plan changed, or would change." },
);

export const undonePlanObject = Type.Object(
  { group: Type.Integer({ description: "The migration." }), ...changed },
  { $id: "MigrationUndo", description: "What was changed back." },
);

/** Under the names of the wire. */
export const donePlanFields = ({ group, entries, copies, types, views, steps, failing, first }: DonePlan) => ({
  group,
  entries,
  copies,
  types,
  views,
  steps,
  failing,
  first: first.map(({ id, isStaged, step = null, message }) => ({ id, staged: isStaged, step, message })),
});
