import type { WriteContext } from "../core/event.ts";
import { formatJson, isJsonObject, isSameJson, type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import type { Asker } from "../core/list/query.ts";
import { isProblem, type NamedEntry } from "../core/problem.ts";
import { problem } from "./problems.ts";
import type { ContentType, StoredType } from "./type.ts";
import { segmentOf, walkSchema } from "./walk.ts";

/** All types of a store as one model, which is applied as a whole: what that changes, and which entries refuse it. */
export type Model = {
  readonly types: readonly ContentType[];
  /** Whether types that are not among them are removed. */
  readonly prune: boolean;
};

/** One place in a type that changes: a JSON pointer into its object, with the JSON texts before and after. */
export type Difference = {
  readonly pointer: string;
  readonly change: "added" | "removed" | "changed" | "reordered";
  readonly before?: string;
  readonly after?: string;
};

/** A type that changes. One that is added or removed has no differences. */
export type TypeChange = {
  readonly id: string;
  readonly change: "added" | "changed" | "removed";
  readonly differences: readonly Difference[];
};

/** What a model changes: the types in the order of their ids, and how many stay as they are. */
export type ModelChange = { readonly changes: readonly TypeChange[]; readonly unchanged: number };

/** A model that is tried or applied. */
export type ModelOptions = { readonly isDryRun: boolean; readonly asker?: Asker | undefined };

/** Writes of types as a whole. Each is one transaction, in force from the next write on. */
export interface ModelStore {
  /**
   * Makes the types those of the model, all of them or none, as one group of events; answers what that changes. A dry run
   * answers the same and stores nothing. Throws schema_invalid, type_in_use, too_many_types, type_too_costly;
   * types_refused when an entry that is there would have a fault by it that it has not now, also one that a racing write
   * stores; busy when other writes of types keep coming between.
   */
  apply(model: Model, options: ModelOptions, context: WriteContext): Promise<ModelChange>;
  /**
   * Gives the type another id, which the types that refer to it, entries and working copies whose `fieldset` names it
   * follow, as one group of events. What is in the trash, and history, keep the old one. Answers it unchanged where it has
   * this id. Throws type_not_found, revision_mismatch, type_exists, plan_too_large; argument_invalid for an id that would
   * give entries to, or take them from, a type whose patterns are as specific.
   */
  rename(id: string, newId: string, context: WriteContext): Promise<StoredType>;
}

/** Entries that a model would refuse: how many, of how many that were looked at, and the first of them. */
export type RefusedEntries = { checked: number; failing: number; first: NamedEntry[] };

/** What a model makes of the types that there are. */
export type ModelPlan = ModelChange & {
  /** The types as they will be, by id. */
  readonly after: ReadonlyMap<string, ContentType>;
  /** Those that are written, and the ids of those that are removed. */
  readonly puts: readonly ContentType[];
  readonly removed: readonly string[];
};

/** Compares the model with the types that there are. What only stands in another order of keys is no change. */
export function planOf(before: ReadonlyMap<string, ContentType>, { types, prune }: Model): ModelPlan {
  const after = new Map(prune ? [] : before);
  const puts: ContentType[] = [];
  const changes: TypeChange[] = [];
  for (const type of types) {
    const present = before.get(type.id);
    const differences = present ? differencesOf(present, type) : [];
    const isSame = present !== undefined && differences.length === 0;
    after.set(type.id, isSame ? present : type);
    if (isSame) continue;
    puts.push(type);
    changes.push({ id: type.id, change: present ? "changed" : "added", differences });
  }
  const removed = [...before.keys()].filter((id) => !after.has(id));
  for (const id of removed) changes.push({ id, change: "removed", differences: [] });
  changes.sort((one, other) => (one.id < other.id ? -1 : 1));
  return { after, puts, removed, changes, unchanged: after.size - puts.length };
}

// ---------------------------------------------------------------------------------------------- references

/** These types, and those whose schemas refer to them, also by way of others. */
export function withUsers(ids: readonly string[], types: ReadonlyMap<string, ContentType>): Set<string> {
  const refersTo = new Map(
    [...types.values()]
      .filter(({ schema }) => schema.includes("/types/"))
      .map(({ id, schema }) => [id, referencesOf(schema)]),
  );
  const found = new Set(ids);
  for (const used of found) for (const [each, of] of refersTo) if (of.has(used)) found.add(each);
  return found;
}

/** Throws type_in_use where the type `by` does not compile any more by what is taken from `id`; rethrows anything else. */
export function throwInUse(error: unknown, id: string, by: string): never {
  if (!isProblem(error, "schema_invalid")) throw error;
  throw problem("type_in_use", { id, by, pointer: String(error.params.pointer) });
}

/** None for a schema that is not accepted: compiling it says why. */
function referencesOf(schema: string): ReadonlySet<string> {
  try {
    return walkSchema(parseJson(schema)).types;
  } catch (error) {
    if (!isProblem(error, "schema_invalid")) throw error;
    return new Set();
  }
}

// ---------------------------------------------------------------------------------------------- differences

/** Where two types differ, in the order of the later one's keys. */
export const differencesOf = (before: ContentType, after: ContentType): Difference[] => [
  ...differences(objectOf(before), objectOf(after), ""),
];

/** The type without its id, in the order of files. */
export const objectOf = ({ title, description, paths, mode, schema }: ContentType): JsonObject =>
  new Map<string, Json>([
    ["title", title],
    ["description", description],
    ["paths", [...paths]],
    ["mode", mode],
    ["schema", parseJson(schema)],
  ]);

function* differences(before: Json, after: Json, pointer: string): Generator<Difference> {
  if (isJsonObject(before) && isJsonObject(after)) yield* ofObjects(before, after, pointer);
  else if (Array.isArray(before) && Array.isArray(after)) yield* ofLists(before, after, pointer);
  else if (!isSameJson(before, after)) yield changed(pointer, before, after);
}

const changed = (pointer: string, before: Json, after: Json): Difference => ({
  pointer,
  change: "changed",
  before: formatJson(before),
  after: formatJson(after),
});
const added = (pointer: string, value: Json): Difference => ({ pointer, change: "added", after: formatJson(value) });
const removed = (pointer: string, value: Json): Difference => ({
  pointer,
  change: "removed",
  before: formatJson(value),
});

function* ofObjects(before: JsonObject, after: JsonObject, pointer: string): Generator<Difference> {
  for (const [key, value] of before) if (!after.has(key)) yield removed(pointer + segmentOf(key), value);
  for (const [key, value] of after) {
    const at = pointer + segmentOf(key);
    if (before.has(key)) yield* differences(before.get(key) as Json, value, at);
    else yield added(at, value);
  }
  // Forms have fields in the order of their schema.
  if (pointer.endsWith("/properties") && isReordered([...before.keys()], [...after.keys()]))
    yield { pointer, change: "reordered" };
}

/** True where what both have stands in another order. */
function isReordered(before: readonly string[], after: readonly string[]): boolean {
  const [known, kept] = [new Set(before), new Set(after)];
  const order = after.filter((key) => known.has(key));
  return before.filter((key) => kept.has(key)).some((key, i) => key !== order[i]);
}

function* ofLists(before: readonly Json[], after: readonly Json[], pointer: string): Generator<Difference> {
  if (isSameJson([...before], [...after])) return;
  if (areWords(before) && areWords(after)) return yield* ofWords(before, after, pointer);
  for (const [i, value] of after.entries()) {
    const at = `${pointer}/${i}`;
    if (i < before.length) yield* differences(before[i] as Json, value, at);
    else yield added(at, value);
  }
  for (const [i, value] of before.entries()) if (i >= after.length) yield removed(`${pointer}/${i}`, value);
}

/** Scalars, each once, as in `required`, `enum` and `paths`: they are compared by what they are, not by where they stand. */
const areWords = (list: readonly Json[]): boolean =>
  list.every((item) => !isJsonObject(item) && !Array.isArray(item)) &&
  new Set(list.map(formatJson)).size === list.length;

function* ofWords(before: readonly Json[], after: readonly Json[], pointer: string): Generator<Difference> {
  const [known, kept] = [before.map(formatJson), after.map(formatJson)];
  for (const text of known) if (!kept.includes(text)) yield { pointer, change: "removed", before: text };
  for (const text of kept) if (!known.includes(text)) yield { pointer, change: "added", after: text };
  if (isReordered(known, kept)) yield { pointer, change: "reordered" };
}
