import type { Entry, EntryChange } from "../api/entry.ts";
import { isNumber, isSame, type Json, type JsonObject } from "../api/json.ts";

/** What of an entry can be edited: the client's own keys, and those of the service's that it may set. */
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

/** The service's keys among these that say something else than the entry does: they are not changed with the others. */
export const foreignKeys = (fields: JsonObject, entry: JsonObject): string[] =>
  Object.keys(fields).filter((key) => !isOwn(key) && !isSame(fields[key], entry[key]));

/** The draft with its own keys replaced by those of the JSON view. */
export const withOwnFields = (draft: Draft, fields: JsonObject): Draft => ({
  ...ownFields(fields),
  ...Object.fromEntries(Object.entries(draft).filter(([key]) => serviceKeys.has(key))),
});

/** What must be written to get from one to the other. */
export function changesOf(before: Draft, after: Draft): EntryChange {
  const set = Object.fromEntries(Object.entries(after).filter(([key, value]) => !isSame(before[key], value)));
  return { set, removed: Object.keys(before).filter((key) => !(key in after)) };
}

export const isChanged = ({ set, removed }: EntryChange): boolean => removed.length + Object.keys(set).length > 0;

/** Keys that a change touches. */
export const changedKeys = ({ set, removed }: EntryChange): string[] => [...Object.keys(set), ...removed];

export type FieldKind = "text" | "number" | "switch" | "list" | "json";
export const fieldKinds: Record<FieldKind, { label: string; initial: Json }> = {
  text: { label: "Text", initial: "" },
  number: { label: "Number", initial: 0 },
  switch: { label: "Yes or no", initial: false },
  list: { label: "List of texts", initial: [] },
  json: { label: "JSON", initial: {} },
};

export function kindOf(value: Json): FieldKind {
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "switch";
  if (isNumber(value)) return "number";
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? "list" : "json";
}

/** The value as another kind, as far as it goes. */
export function convert(value: Json, kind: FieldKind): Json {
  if (kind === kindOf(value)) return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (kind === "text") return value === null ? "" : text;
  if (kind === "number") return Number.isFinite(Number(text)) ? Number(text) : 0;
  if (kind === "switch") return ["true", "1", "yes"].includes(text.toLowerCase());
  if (kind === "list") return text === "" || value === null ? [] : text.split(/\s*,\s*/);
  return value;
}
