import type { Entry, EntryPatch } from "../../api/entry.ts";
import { isObject, isSame, type Json, type JsonObject } from "../../api/json.ts";

/** The editable part of an entry: the client's keys, and the service's keys that a client may set. */
export type Draft = JsonObject;

/** Set by the service alone. */
export const kept = new Set(["slug", "uuid", "created_at", "modified_at"]);
/** Edited beside the fields. */
const serviceKeys = new Set(["visibility", "published_at", "published_by", "created_by", "routable"]);
/** Have their own places in the form. */
const placed = new Set(["title", "content"]);

export const draftOf = (entry: Entry): Draft =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !kept.has(key)));

const isOwn = (key: string): boolean => !serviceKeys.has(key) && !kept.has(key);

/** The client's own keys, as the JSON view shows them. */
export const ownFields = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => isOwn(key)));

/** The keys of the form's list of fields. */
export const listedFields = (draft: Draft): [string, Json][] =>
  Object.entries(ownFields(draft)).filter(([key]) => !placed.has(key));

/** The service's keys among these whose values differ from the entry's: they are not saved. */
export const foreignKeys = (fields: JsonObject, entry: JsonObject): string[] =>
  Object.keys(fields).filter((key) => !isOwn(key) && !isSame(fields[key], entry[key]));

/** The draft with its own keys replaced by those of the JSON view. */
export const withOwnFields = (draft: Draft, fields: JsonObject): Draft => ({
  ...ownFields(fields),
  ...Object.fromEntries(Object.entries(draft).filter(([key]) => serviceKeys.has(key))),
});

export const withoutField = (draft: Draft, key: string): Draft =>
  Object.fromEntries(Object.entries(draft).filter(([name]) => name !== key));

/** The draft with a field restored from an earlier draft, at its former position. */
export function withField(draft: Draft, key: string, earlier: Draft): Draft {
  const value = earlier[key];
  if (value === undefined || Object.hasOwn(draft, key)) return draft;
  const keys = Object.keys(earlier);
  const next = keys.slice(keys.indexOf(key)).find((name) => Object.hasOwn(draft, name));
  const fields = Object.entries(draft);
  const at = next === undefined ? fields.length : fields.findIndex(([name]) => name === next);
  return Object.fromEntries(fields.toSpliced(at, 0, [key, value]));
}

const own = (fields: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(fields, key) ? fields[key] : undefined;

export type Change = { set: JsonObject; removed: string[] };

/** The changes that lead from one draft to the other. */
export function changesOf(before: JsonObject, after: JsonObject): Change {
  const set = Object.fromEntries(Object.entries(after).filter(([key, value]) => !isSame(own(before, key), value)));
  return { set, removed: Object.keys(before).filter((key) => !Object.hasOwn(after, key)) };
}

export const withChange = (draft: Draft, { set, removed }: Change): Draft =>
  Object.fromEntries(Object.entries({ ...draft, ...set }).filter(([key]) => !removed.includes(key)));

/** The writes of a change: one, unless keys are removed and a merge patch cannot express the other values. */
export function patchesOf(before: JsonObject, change: Change): EntryPatch[] {
  const { set, removed } = change;
  if (removed.length === 0) return [{ data: set, isMergePatch: false }];
  const merged = mergePatchOf(before, change);
  if (merged) return [{ data: merged, isMergePatch: true }];
  return [
    { data: set, isMergePatch: false },
    { data: Object.fromEntries(removed.map((key) => [key, null])), isMergePatch: true },
  ];
}

/** Undefined for a null in an object, which would remove its key, and for a changed key order of an object. */
function mergePatchOf(before: JsonObject, { set, removed }: Change): JsonObject | undefined {
  const patch: [string, Json][] = removed.map((key) => [key, null]);
  for (const [key, value] of Object.entries(set)) {
    const part = isObject(value) ? mergedInto(own(before, key), value) : value;
    if (part === undefined || part === null) return undefined;
    patch.push([key, part]);
  }
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(patch);
}

function mergedInto(value: Json | undefined, after: JsonObject): JsonObject | undefined {
  const before = isObject(value) ? value : {};
  const stay = Object.keys(before).filter((key) => Object.hasOwn(after, key));
  const isInOrder = Object.keys(after)
    .slice(0, stay.length)
    .every((key, i) => key === stay[i]);
  return isInOrder ? mergePatchOf(before, changesOf(before, after)) : undefined;
}

/** A change without what it does to these keys. */
export const withoutKeys = ({ set, removed }: Change, keys: readonly string[]): Change => ({
  set: Object.fromEntries(Object.entries(set).filter(([key]) => !keys.includes(key))),
  removed: removed.filter((key) => !keys.includes(key)),
});

export const isChanged = ({ set, removed }: Change): boolean => removed.length + Object.keys(set).length > 0;

/** Keys that a change touches. */
export const changedKeys = ({ set, removed }: Change): string[] => [...Object.keys(set), ...removed];
