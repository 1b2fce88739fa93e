import { describeJson, type Json } from "../lib/json.ts";
import { type TObject, type TSchema, Type } from "../lib/json-schema.ts";
import { parseTime } from "../lib/time.ts";
import { type Path, parsePath, parsePathBelowRoot } from "../path.ts";
import { problem } from "../problem.ts";
import { argument, bounded, pathOrRoot, textReader } from "./route.ts";

/**
 * What arguments and objects on the wire of several features share, in the contract's terms. The objects themselves are in
 * the `wire.ts` of their features; `$id` is a schema's name in the OpenAPI description.
 */

const pathSchema = (description: string, examples: string[]) =>
  Type.Unsafe<Path>({ type: "string", description, examples });
/** A path below the root. */
export const pathBelowRoot = (description: string, read = textReader(parsePathBelowRoot)) =>
  argument(pathSchema(description, ["movies/alien"]), read);
/** The entry to write. */
export const slug = (description: string) =>
  bounded(pathBelowRoot(description), (_name, id) => problem("entry_not_found", { id }));
/** A path to read, which may be the root; `description` without its full stop. */
export const slugOrRoot = (description: string, read = textReader(parsePath, pathOrRoot)) =>
  argument(pathSchema(`${description}; empty for the root.`, ["movies/alien", ""]), read);
/** A time. */
export const time = (description: string) => Type.Integer({ description: `${description} Unix seconds.` });
/** Reads a time. Throws argument_invalid. */
export function readTime(argument: string, value: Json, accepted = "Unix seconds or a date"): number {
  const seconds = typeof value === "number" || typeof value === "string" ? parseTime(value) : undefined;
  if (seconds !== undefined) return seconds;
  throw problem("argument_invalid", { argument, received: describeJson(value), accepted });
}

/** On the deletes of what would go to the trash. */
export const purge = Type.Optional(
  Type.Boolean({ description: "True deletes for good at once, with the history, instead of moving to the trash." }),
);
export const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: "string", enum: [...values], description });

/** An object in which `only` and `except` may omit fields. */
export const someFields = (object: TObject) =>
  Type.Partial(object, {
    $id: `Partial${(object as { $id?: string }).$id}`,
    additionalProperties: true,
    description: "The fields that `only` and `except` leave.",
  });

/** What a collection's `return` selects instead of its items. */
export const otherReturns = [
  Type.Boolean({ description: "With `return=exists`." }),
  Type.Integer({ description: "With `return=count`." }),
  Type.Null({ description: "With `return=first`, `last`, `next` or `random`, when nothing matches." }),
];

/** One item, or what a collection's `return` selects instead of `many`. */
export const oneOrMany = (one: TObject, many: TSchema) =>
  Type.Unsafe({
    $id: `${(one as { $id?: string }).$id}Result`,
    description: "One, or the result of a collection read.",
    anyOf: [one, someFields(one), many, ...otherReturns],
  });

export const writer = (what: string) =>
  Type.String({ description: `The id of the token that ${what}, or \`person:\` and the id of a person.` });
/** Beside an actor. */
export const actorName = Type.Optional(
  Type.String({ description: "The person's name; absent for tokens and the service." }),
);
