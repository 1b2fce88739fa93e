import { createHash } from "node:crypto";
import { formatJson, type Json, type JsonObject } from "../core/lib/json.ts";
import { formatJsonLater, parseJsonLater } from "../core/lib/json-slices.ts";
import { type Entry, maxDataDepth } from "../entry/entry.ts";
import { type SettableFields, settableFields, withFields } from "../entry/field.ts";
import { entryIn, type Version } from "../version/version.ts";

/**
 * What the keys of a working copy were when they were staged. A key is outdated when it was changed live since, to
 * something else than the copy has: a publish would put that back. Decision 53.
 */

/** One key: the content revision of the entry, and a hash of its value; "" where the entry did not have it. */
export type KeyBase = { readonly revision: number; readonly hash: string };
/** By key. A key that is not in it was staged before bases were kept: it is never outdated. */
export type StagedBase = ReadonlyMap<string, KeyBase>;

/** Of a working copy: its keys, its fields, and what they were. */
type Based = { readonly data: string; readonly fields: SettableFields; readonly base: StagedBase };

/** A key in three texts. A value is undefined where the entry has none. */
export type OutdatedKey = {
  readonly key: string;
  /** The content that it was staged on; null when the history has that no longer, and `base` is not known. */
  readonly revision: number | null;
  readonly base: Json | undefined;
  readonly live: Json | undefined;
  readonly staged: Json | undefined;
};

/** An object of data, parsed. */
export const objectOf = async (text: string): Promise<JsonObject> =>
  (await parseJsonLater(text, maxDataDepth)) as JsonObject;

const fieldNames = new Map<string, (typeof settableFields)[number]>(settableFields.map((field) => [field.name, field]));

/** Reads the value of a key, the client's or one of the service's fields; undefined where there is none. */
type ValueOf = (key: string) => Json | undefined;
const valuesOf =
  (entry: Pick<Entry, (typeof settableFields)[number]["key"]>, data: JsonObject): ValueOf =>
  (key) => {
    const field = fieldNames.get(key);
    return field ? entry[field.key] : data.get(key);
  };

/** Of the keys of a copy, as they will be. */
const stagedValues = async (entry: Entry, { data, fields }: Based): Promise<ValueOf> =>
  valuesOf(withFields(entry, fields), await objectOf(data));

const hashBytes = 12;

/** Base64url of the first bytes of the SHA-256 of its text. */
export async function hashOf(value: Json | undefined): Promise<string> {
  if (value === undefined) return "";
  const text = await formatJsonLater(value);
  return createHash("sha256").update(text).digest().subarray(0, hashBytes).toString("base64url");
}

/** The base of these keys as the entry is now. */
export async function baseOf(entry: Entry, keys: readonly string[]): Promise<StagedBase> {
  const liveOf = valuesOf(entry, await objectOf(entry.data));
  const base = new Map<string, KeyBase>();
  for (const key of keys) base.set(key, { revision: entry.contentRevision, hash: await hashOf(liveOf(key)) });
  return base;
}

/** The keys of the copy that are outdated. Of an entry that has not changed since nothing is parsed. */
export async function outdatedKeys(entry: Entry, copy: Based | undefined): Promise<string[]> {
  const changed = [...(copy?.base ?? [])].filter(([, { revision }]) => revision !== entry.contentRevision);
  if (!copy || changed.length === 0) return [];
  const [liveOf, stagedOf] = [valuesOf(entry, await objectOf(entry.data)), await stagedValues(entry, copy)];
  const outdated: string[] = [];
  for (const [key, { hash }] of changed) {
    const live = await hashOf(liveOf(key));
    if (live !== hash && live !== (await hashOf(stagedOf(key)))) outdated.push(key);
  }
  return outdated;
}

/**
 * The copy with these values of keys, which a move of what they refer to has changed, as it changes those of the entry to `live`;
 * undefined for one that the copy removes. What was not outdated is not outdated then.
 */
export async function movedCopy<T extends Based & { readonly removed: readonly string[] }>(
  entry: Entry,
  copy: T,
  values: ReadonlyMap<string, Json | undefined>,
  live: JsonObject,
): Promise<T> {
  const outdated = new Set(await outdatedKeys(entry, copy));
  const data = await objectOf(copy.data);
  const base = new Map(copy.base);
  for (const [key, value] of values) {
    const isNew = !data.has(key) && !copy.removed.includes(key);
    const isKnown = isNew || (base.has(key) && !outdated.has(key));
    if (isKnown) base.set(key, { revision: entry.contentRevision, hash: await hashOf(live.get(key)) });
    if (value !== undefined) data.set(key, value);
  }
  return { ...copy, data: await formatJsonLater(data), base };
}

/** The outdated keys with their values. `stateAt` finds what the entry was at a revision, if that is kept. */
export async function outdatedTexts(
  entry: Entry,
  copy: Based,
  stateAt: (revision: number) => Promise<Version | undefined>,
): Promise<OutdatedKey[]> {
  const [liveOf, stagedOf] = [valuesOf(entry, await objectOf(entry.data)), await stagedValues(entry, copy)];
  const bases = new Map<number, ValueOf | undefined>();
  const baseAt = async (revision: number): Promise<ValueOf | undefined> => {
    const state = await stateAt(revision);
    return state && valuesOf(entryIn(entry, state), await objectOf(state.data));
  };
  const texts: OutdatedKey[] = [];
  for (const key of await outdatedKeys(entry, copy)) {
    const { revision } = copy.base.get(key) as KeyBase;
    if (!bases.has(revision)) bases.set(revision, await baseAt(revision));
    const known = bases.get(revision);
    texts.push({
      key,
      revision: known ? revision : null,
      base: known?.(key),
      live: liveOf(key),
      staged: stagedOf(key),
    });
  }
  return texts;
}

/** A text as JSON under the wire's names; a value that is not there is left out. */
export const formatOutdated = ({ key, revision, ...values }: OutdatedKey): string => {
  const members: [string, Json][] = [
    ["key", key],
    ["revision", revision],
  ];
  for (const name of ["base", "live", "staged"] as const) {
    const value = values[name];
    if (value !== undefined) members.push([name, value]);
  }
  return formatJson(new Map(members));
};

// ---------------------------------------------------------------------------------------------- as stored

/** As a JSON object text: by revision an object of the hashes by key. */
export function formatBase(base: StagedBase): string {
  const byRevision = Map.groupBy(base, ([, { revision }]) => revision);
  return JSON.stringify(
    Object.fromEntries(
      [...byRevision].map(([revision, keys]) => [
        revision,
        Object.fromEntries(keys.map(([key, { hash }]) => [key, hash])),
      ]),
    ),
  );
}

/** The inverse. */
export const parseBase = (text: string): StagedBase =>
  new Map(
    Object.entries(JSON.parse(text) as Record<string, Record<string, string>>).flatMap(([revision, hashes]) =>
      Object.entries(hashes).map(([key, hash]) => [key, { revision: Number(revision), hash }] as const),
    ),
  );
