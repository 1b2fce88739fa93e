import type { Access } from "../core/access/access.ts";
import type { WriteContext } from "../core/event.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { membersOf, objectOfMembers } from "../core/lib/json-members.ts";
import type { Path, Slug } from "../core/path.ts";
import type { Entry, EntryInput, FaultyEntry } from "../entry/entry.ts";
import { type SettableFields, settableFields } from "../entry/field.ts";
import { isPublic } from "../entry/visibility.ts";
import { hashOf, objectOf } from "../working-copy/staged-base.ts";
import { problem } from "./problems.ts";

/**
 * Translations: what entries say in other locales than the source. One has the shape of an entry, whose data are the
 * translated keys alone, so that its history, working copies and releases are those of entries. Contract §24.
 */
export type Translation<E extends Entry = Entry> = E & Required<Pick<Entry, "locale" | "name" | "sources">>;

/** An entry with its translations. */
export type TranslatedEntry = {
  readonly entry: Entry;
  readonly translations: readonly (Translation & { readonly modifiedBy: string })[];
  /** By locale the keys of its working copy. */
  readonly staged: ReadonlyMap<string, readonly string[]>;
};

/** A write of a translation. Plain data: it is passed to the writer's thread. */
export type TranslationInput = {
  /** Absent: the data stay. */
  readonly input?: EntryInput | undefined;
  /** null takes it away. */
  readonly name?: string | null | undefined;
  /** Keys whose translation still fits the source. */
  readonly checked?: readonly string[] | undefined;
};

/** Where translations are stored. Each write is one transaction and one event, which names the locale. */
export interface TranslationStore {
  /**
   * The entry as the reader sees it, with its locale; undefined where there is none. `byId`: for a read by id, which finds a
   * hidden translation of its own locale.
   */
  findAll(slugs: readonly Slug[], access: Access, byId?: boolean): Promise<(Entry | undefined)[]>;
  /** The entry with all its translations; undefined where there is none. */
  find(slug: Slug): Promise<TranslatedEntry | undefined>;
  /** The id of the entry at a path in the locale of the access; undefined for none. */
  resolve(path: string, access: Access): Promise<Slug | undefined>;
  /** What makes the paths of these entries in all locales, as the reader sees it. */
  names(slugs: readonly Slug[], access: Access): Promise<readonly EntryNames[]>;
  /**
   * Makes or changes a translation. Throws entry_not_found, revision_mismatch, data_too_large, data_invalid, name_taken,
   * argument_invalid (a key to check that it does not have).
   */
  put(slug: Slug, locale: string, input: TranslationInput, context: WriteContext): Promise<FaultyEntry>;
  /** Moves a translation to the trash. Throws entry_not_found, translation_not_found, revision_mismatch. */
  delete(slug: Slug, locale: string, context: WriteContext): Promise<void>;
  /** Sets the locales in which alone the entry is public; null for all. Throws entry_not_found, revision_mismatch. */
  restrict(slug: Slug, onlyLocales: readonly string[] | null, context: WriteContext): Promise<Entry>;
  /** What the store knows of the source that its translations are made against. */
  source(): Promise<KnownSource>;
  /** Says which locale the source is. */
  setSource(locale: string): Promise<void>;
}

/** `locale` is undefined in a store that was never served with locales. */
export type KnownSource = { readonly locale: string | undefined; readonly hasTranslations: boolean };

/** The names of an entry and of those above it, by id and locale, and the locales in which it has a public translation. */
export type EntryNames = {
  readonly names: ReadonlyMap<Path, ReadonlyMap<string, string>>;
  readonly locales: readonly string[];
};

// ---------------------------------------------------------------------------------------------- reads

/** True where a translation of the chain may be used: by a read of its own locale by id a hidden one, too. */
export function isUsable(translation: Translation, { reads, nowSeconds, locale }: Access, byId: boolean): boolean {
  if (reads !== "public" && reads !== "published" && reads !== "release") return reads !== "nothing";
  if (translation.visibility === "hidden" && !(byId && translation.locale === locale?.own)) return false;
  return isPublic(translation, nowSeconds);
}

/** The entry with the translations laid over, the first of which has the last word. */
export function layTranslations<E extends Entry>(
  entry: E,
  layers: readonly Translation[],
  isStrict: boolean,
  sharedKeys?: ReadonlySet<string>,
): E {
  if (layers.length === 0) return isStrict ? { ...entry, layers } : entry;
  const members = membersOf(entry.data);
  if (isStrict) for (const key of members.keys()) if (!sharedKeys?.has(key)) members.delete(key);
  for (const { data } of layers.toReversed()) for (const [key, text] of membersOf(data)) members.set(key, text);
  if (!members.has(contentKey)) members.set(contentKey, '"content":""');
  return { ...entry, data: objectOfMembers(members), layers };
}

const contentKey = '"content"';

/** The keys of the source, of those that can be translated, that the first translation does not have; an empty content is none. */
export function fallbackKeys(
  source: string,
  own: Pick<Entry, "data"> | undefined,
  isTranslatable: (key: string) => boolean,
): string[] {
  const translated = own ? membersOf(own.data) : new Map<string, string>();
  const keys = [...membersOf(source)].filter(([key, text]) => !translated.has(key) && text !== '"content":""');
  return keys.map(([key]) => JSON.parse(key) as string).filter(isTranslatable);
}

// ---------------------------------------------------------------------------------------------- what is outdated

type Sources = Readonly<Record<string, string>>;

const sourcesOf = ({ sources }: Pick<Translation, "sources">): Sources => JSON.parse(sources) as Sources;

/** The hashes of what these keys of the source say. */
export async function hashesOf(source: Pick<Entry, "data">, keys: Iterable<string>): Promise<Record<string, string>> {
  const data = await objectOf(source.data);
  const hashes: Record<string, string> = {};
  for (const key of keys) hashes[key] = await hashOf(data.get(key));
  return hashes;
}

/**
 * What each key was written against after a write: what was sent, what changed and what was checked fits what the source says
 * now. Throws argument_invalid for a key to check that it does not have.
 */
export async function changedSources(
  present: Translation,
  source: Pick<Entry, "data">,
  { data, sent, checked }: { data: JsonObject; sent: Pick<EntryInput, "data">; checked: readonly string[] },
): Promise<string> {
  const absent = checked.find((key) => !data.has(key));
  if (absent !== undefined) {
    const accepted = `keys of the translation: ${[...data.keys()].join(", ")}`;
    throw problem("argument_invalid", { argument: "checked", received: absent, accepted });
  }
  const keys = [...(await objectOf(sent.data)).keys(), ...checked].filter((key) => data.has(key));
  return JSON.stringify({ ...sourcesOf(present), ...(await hashesOf(source, keys)) });
}

/** Of these translated keys those whose source says something else than when they were translated. */
export async function outdatedKeysOf(
  keys: readonly string[],
  translation: Pick<Translation, "sources">,
  hashNow: (key: string) => Promise<string>,
): Promise<string[]> {
  const sources = sourcesOf(translation);
  const outdated: string[] = [];
  for (const key of keys) if (sources[key] !== undefined && sources[key] !== (await hashNow(key))) outdated.push(key);
  return outdated;
}

/** Refuses fields of the service that all locales share. Throws field_invalid. */
export function refuseSharedFields(fields: SettableFields): void {
  const shared = settableFields.find(({ key }) => fields[key] !== undefined && !ownFields.has(key));
  if (!shared) return;
  const accepted = "a field of the translation itself: visibility, published_at";
  throw problem("field_invalid", { argument: `data.${shared.name}`, received: "a value", accepted });
}

const ownFields: ReadonlySet<string> = new Set(["visibility", "publishedAt"]);
