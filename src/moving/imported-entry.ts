import type { JsonObject } from "../core/lib/json.ts";
import { parseJsonLater } from "../core/lib/json-slices.ts";
import type { Slug } from "../core/path.ts";
import {
  type ChangedEntry,
  createdEntry,
  type Entry,
  type EntryInput,
  type EntryState,
  maxDataDepth,
  mergedData,
  type PutOutcome,
  refuseTooLarge,
  refuseTooManyKeys,
  type WrittenEntry,
} from "../entry/entry.ts";
import { hasSameFields, settableFields, withFields } from "../entry/field.ts";

/** The rules of an import: an entry becomes what a file states. Contract, part two, §15; decision 56. */

type Stamp = { nowSeconds: number };

/** The entry that an import creates. Rejects with data_too_large. */
export async function importedEntry(slug: Slug, state: EntryState, uuid: string): Promise<WrittenEntry> {
  const { fields, fileSeconds, createdAt = fileSeconds, modifiedAt = fileSeconds, onlyLocales } = state;
  const { entry, data } = await createdEntry(undefined, slug, inputOf(state), undefined, {
    nowSeconds: fields.publishedAt ?? fileSeconds,
    uuid: state.uuid ?? uuid,
  });
  return { entry: { ...entry, createdAt, modifiedAt, onlyLocales: onlyLocales && JSON.stringify(onlyLocales) }, data };
}

const inputOf = ({ data, fields, maxKeys }: EntryState): EntryInput => ({
  data,
  fields,
  isMergePatch: false,
  ...(maxKeys !== undefined && { maxKeys }),
});

/** What an import does with an entry that is there. */
export function importOutcome(entry: Entry, state: EntryState): PutOutcome | "conflict" {
  const stated = statedEntry(entry, state);
  const isSame = stated.data === entry.data && hasSameFields(stated, entry);
  if (isSame && (state.modifiedAt ?? 0) <= entry.modifiedAt) return "unchanged";
  if (state.onConflict === "fail") return "conflict";
  return state.onConflict === "skip" ? "skipped" : "replaced";
}

const notTimes = settableFields.filter(({ kind }) => kind !== "date");
const unset = Object.fromEntries(notTimes.map(({ key }) => [key, null]));

/** The entry with what the file states: absent fields have their defaults, absent times are kept. */
const statedEntry = (entry: Entry, { data, fields }: EntryState): Entry => ({
  ...withFields(entry, { ...unset, ...fields }),
  data,
});

/**
 * The entry that an import has replaced. Its time of modification is that of the file, or now if the file does not state
 * a later one than the entry has. Rejects with data_too_large.
 */
export async function replacedEntry(entry: Entry, state: EntryState, { nowSeconds }: Stamp): Promise<ChangedEntry> {
  const { object, text } = await mergedData(undefined, inputOf(state));
  const before = (await parseJsonLater(entry.data, maxDataDepth)) as JsonObject;
  refuseTooLarge(text);
  refuseTooManyKeys(object, text, before, state.maxKeys);
  const { revision: _, contentRevision: __, ...unchanged } = statedEntry(entry, { ...state, data: text });
  const { modifiedAt: stated = 0 } = state;
  const modifiedAt = stated > entry.modifiedAt ? stated : Math.max(nowSeconds, entry.modifiedAt);
  return { entry: { ...unchanged, modifiedAt }, before, data: object };
}
