import { type Reach, reaches } from "../core/access/access.ts";
import type { EntryChange, WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import { inGroups, pagesBy } from "../core/lib/in-groups.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { formatJsonLater } from "../core/lib/json-slices.ts";
import type { Path } from "../core/path.ts";
import { compareText, type Slug } from "../core/path.ts";
import { appendChanges } from "../core/sql/event.ts";
import { gramsOfPart } from "../core/sql/index/gram.ts";
import { rowsByNumber } from "../core/sql/index/table.ts";
import { itemsWithGrams } from "../core/sql/list/text.ts";
import { noun, type Scanning, type Writing } from "../core/sql/noun.ts";
import { likeSql, partPattern, type ReadSql, type Value, withinAny } from "../core/sql/sql.ts";
import { type ChangedEntry, refuseTooLarge } from "../entry/entry.ts";
import { changeOf } from "../entry/listing-rows.ts";
import { dataOf, laidOverData } from "../entry/next.ts";
import { entryColumns, entryTable, findEntries, type StoredEntry, toEntry } from "../entry/rows.ts";
import { savedAtOnce, saveEntry } from "../entry/save-store.ts";
import { isPublic } from "../entry/visibility.ts";
import { spellingsOf } from "../render/prose-link.ts";
import { allTranslations, type StoredTranslation, stateIn } from "../translation/rows.ts";
import { typesTogether } from "../type/cache-store.ts";
import { refuseFaults, refuseWrittenFaults, type Types } from "../type/check.ts";
import type { Marked } from "../type/mark.ts";
import { presentTypes } from "../type/rows.ts";
import type { WorkingCopy } from "../working-copy/staged.ts";
import { hashOf, movedCopy, objectOf } from "../working-copy/staged-base.ts";
import { copyColumns, entriesOfCopies, saveCopy, toCopy } from "../working-copy/staged-rows.ts";
import { followRenamedType } from "./fieldset-store.ts";
import { problem } from "./problems.ts";
import {
  type FoundReferences,
  isPartOf,
  maxNamedReferences,
  maxUpdatedReferences,
  placesOf,
  type Reference,
  type ReferenceQuery,
  type ReferenceStore,
  redirected,
  redirectedEntry,
  referenceFrom,
  refuseInUse,
  refusePublic,
  type Target,
  withContent,
} from "./reference.ts";

/**
 * Finds entries that refer to a thing: the text index or a scan finds those whose data has the path as a text or in one,
 * their types say which of these texts are references, or prose that may link to it. Decision 59.
 */

export const referenceNoun = noun({
  links: { refuseReferred, refusePublicUse, redirectReferences, followRenamedType },
  scans: { listReferences },
  apart: ["listReferences"],
  port: ({ scansFor }): ReferenceStore => ({ list: (query, asker) => scansFor(asker).listReferences(query) }),
});

async function listReferences({ sql, isStopped, options }: Scanning, query: ReferenceQuery): Promise<FoundReferences> {
  const endMs = performance.now() + options.scanBudgetMs.management;
  const references: Reference[] = [];
  const types = await presentTypes(sql);
  for await (const { entry, places } of byEntry(referring(sql, types, query))) {
    if (places.length > 0) references.push(referenceFrom(entry.slug, places));
    if (references.length === query.limit) break;
    if (isStopped() || performance.now() > endMs) return { references, last: entry.slug };
  }
  return { references };
}

/** Throws in_use where `scope` says that the target must not be in use. */
export async function refuseReferred(on: Writing, target: Target, scope: Reach | undefined): Promise<void> {
  if (!scope) return;
  const types = await typesTogether(on);
  const found: Reference[] = [];
  for await (const { entry, places } of byEntry(referring(on.sql, types, { target, paths: scope.paths }))) {
    if (places.length === 0) continue;
    found.push(referenceFrom(entry.slug, places));
    if (found.length > maxNamedReferences) break;
  }
  const live = new Set(found.map(({ id }) => id));
  for await (const { entry, places } of stagedReferring(on.sql, types, { target, paths: scope.paths })) {
    if (found.length > maxNamedReferences) break;
    if (!live.has(entry.slug)) found.push({ ...referenceFrom(entry.slug, places), isStaged: true });
    live.add(entry.slug);
  }
  refuseInUse(target, found);
}

/** Throws in_use where something that is public refers to the target; names what is within reach. */
export async function refusePublicUse(on: Writing, target: Target, reach: Reach, nowSeconds: number): Promise<void> {
  const types = await typesTogether(on);
  const found: Reference[] = [];
  const all = referring(on.sql, types, { target, paths: null }, (entry) => isPublic(entry, nowSeconds));
  for await (const { entry, places } of byEntry(all)) {
    if (places.length === 0) continue;
    found.push(referenceFrom(entry.slug, places));
    if (found.length > maxNamedReferences) break;
  }
  refusePublic(target, found, reach);
}

/**
 * Redirects the references to a target that was moved, where `scope` says so: an update of each entry. Throws
 * too_many_references, data_invalid, data_too_large, path_invalid.
 */
export async function redirectReferences(
  on: Writing,
  target: Target,
  to: Path,
  scope: Reach | undefined,
  context: WriteContext,
): Promise<void> {
  if (!scope) return;
  const types = await typesTogether(on);
  // Before the entries: what is outdated of a copy is judged by them as they were.
  await redirectStaged(on, types, target, to, scope, context);
  let count = 0;
  // What was moved refers to its own parts by their old paths, too.
  const referrers = placed(referring(on.sql, types, { target, paths: scope.paths }));
  for await (const group of inGroups(referrers, ({ entry }) => entry.data.length, savedAtOnce)) {
    count += group.length;
    if (count > maxUpdatedReferences) throw problem("too_many_references", { limit: maxUpdatedReferences });
    await redirect(on, types, group, target, to, context);
  }
}

async function redirect(
  on: Writing,
  types: Types | undefined,
  referrers: readonly Referrer[],
  target: Target,
  to: Path,
  context: WriteContext,
): Promise<void> {
  const updates: Update[] = [];
  for (const { entry: current, data: before, places } of referrers) {
    const data = redirected(before, places, target, to);
    const { revision: _, contentRevision: __, ...unchanged } = current;
    const moved = redirectedEntry(unchanged, await formatJsonLater(data), context.nowSeconds);
    const isTranslation = current.locale !== undefined;
    const entry = isTranslation ? { ...moved, sources: await movedSources(types, current, target, to) } : moved;
    const written = { entry, before, data };
    if (isTranslation) await on.links.refuseTranslationFaults(types, current, written);
    else await refuseWrittenFaults(types, written, current);
    const { slug, locale } = current;
    updates.push({ slug, locale, current, written, change: changeOf(current, entry, context) });
  }
  const revisions = await appendChanges(on, "entry.update", updates, context);
  await allSettled(
    updates.map(({ current, written }, i) =>
      saveEntry(on, current, written, context, async () => revisions[i] as number),
    ),
  );
}

type Update = {
  slug: Slug;
  locale: string | undefined;
  current: StoredEntry;
  written: ChangedEntry;
  change: EntryChange;
};

/** What the keys of a translation were written against, where the source refers to the target as well: what fitted still does. */
async function movedSources(
  types: Types | undefined,
  translation: StoredEntry,
  target: Target,
  to: Path,
): Promise<string> {
  const { of, sources } = translation as StoredTranslation;
  const source = await dataOf(of);
  const places = await placesIn(types, of, source, target);
  const moved = redirected(source, places, target, to);
  const hashes = JSON.parse(sources) as Record<string, string>;
  const keys = Object.keys(hashes).filter((key) => places.some(({ path }) => path[0] === key));
  for (const key of keys)
    if (hashes[key] === (await hashOf(source.get(key)))) hashes[key] = await hashOf(moved.get(key));
  return JSON.stringify(hashes);
}

/** An entry, or a translation of one, that may refer to the target, and where. */
type Referrer = { entry: StoredEntry; data: JsonObject; places: Marked[] };

/** Entries may be large: this many are read at a time. */
const pageEntries = 50;

async function* placed(all: AsyncIterable<Referrer>): AsyncGenerator<Referrer> {
  for await (const each of all) if (each.places.length > 0) yield each;
}

/** The places of an entry and of its translations as one. */
async function* byEntry(all: AsyncIterable<Referrer>): AsyncGenerator<Pick<Referrer, "entry" | "places">> {
  let last: Pick<Referrer, "entry" | "places"> | undefined;
  for await (const { entry, places } of all) {
    if (last && last.entry.slug === entry.slug) {
      const known = new Set(last.places.map(({ path }) => JSON.stringify(path)));
      last.places.push(...places.filter(({ path }) => !known.has(JSON.stringify(path))));
    } else {
      if (last) yield last;
      last = { entry, places: [...places] };
    }
  }
  if (last) yield last;
}

/**
 * Those that may refer to the target, also those that do not, in the order of their ids, each with its translations after it.
 * `isMeant`: of which entries and translations.
 */
async function* referring(
  sql: ReadSql,
  types: Types | undefined,
  query: Pick<ReferenceQuery, "target" | "paths"> & { after?: Slug | undefined },
  isMeant: (state: StoredEntry) => boolean = () => true,
): AsyncGenerator<Referrer> {
  const { target } = query;
  for await (const entries of candidates(sql, query)) {
    for (const entry of entries) {
      if (isPartOf(entry.slug, target) || !isMeant(entry)) continue;
      for (const state of [entry, ...(await allTranslations(sql, entry)).filter(isMeant)]) {
        const data = await dataOf(state);
        yield { entry: state, data, places: await placesIn(types, state, data, target) };
      }
    }
  }
}

/** Where these data of an entry refer to the target; of a translation in its own keys, which the type of its entry marks. */
async function placesIn(
  types: Types | undefined,
  state: StoredEntry,
  data: JsonObject,
  target: Target,
): Promise<Marked[]> {
  const places = await placesInData(types, state.slug, await wholeData(state, data), target);
  return state.locale === undefined ? places : places.filter(({ path }) => data.has(path[0] as string));
}

/** The data of an entry; those of a translation over what the source says. */
async function wholeData(state: StoredEntry, data: JsonObject): Promise<JsonObject> {
  return state.locale === undefined ? data : new Map([...(await dataOf((state as StoredTranslation).of)), ...data]);
}

async function placesInData(types: Types | undefined, slug: Slug, data: JsonObject, target: Target): Promise<Marked[]> {
  const type = types?.typeOf(slug, data.get("fieldset"));
  const marks = type === undefined ? undefined : await types?.marksOf(type, data);
  return placesOf(withContent(data, marks?.marked ?? [], marks?.namesContent ?? false), target);
}

// ---------------------------------------------------------------------------------------------- working copies

/** An entry, or a translation, whose copy refers to the target: its data with the copy laid over, and where. */
type StagedReferrer = Referrer & { live: JsonObject; copy: WorkingCopy };

/** Those whose publish would make a reference to the target live. Live data alone may be one under another `fieldset`. */
async function* stagedReferring(
  sql: ReadSql,
  types: Types | undefined,
  { target, paths }: Pick<ReferenceQuery, "target" | "paths">,
): AsyncGenerator<StagedReferrer> {
  const likely = likelySql(target);
  const text = `SELECT ${copyColumns} FROM working_copy WHERE published_revision = 0
    AND (uuid, locale) > (?${likely.values.length + 1}, ?${likely.values.length + 2}) AND (${likely.sql} OR data LIKE '%"fieldset"%' OR removed LIKE '%"fieldset"%') ORDER BY uuid, locale LIMIT ${pageEntries}`;
  const read = async (last?: WorkingCopy) =>
    (await sql.rows(text, ...likely.values, last?.uuid ?? "", last?.locale ?? "")).map(toCopy);
  for await (const copies of pagesBy(pageEntries, read)) {
    const entries = await entriesOfCopies(sql, copies);
    for (const [i, copy] of copies.entries()) {
      const found = entries[i];
      if (!found || !reaches({ paths }, found.slug) || isPartOf(found.slug, target)) continue;
      const entry = await stateIn(sql, found, copy.locale, copy.stagedAtSeconds);
      const live = await dataOf(entry);
      const data = await laidOverData(live, copy, entry.locale !== undefined);
      const places = await placesIn(types, entry, data, target);
      if (places.length > 0) yield { entry, copy, live, data, places };
    }
  }
}

/** Those of working copies: a write of each copy, which stays who made it, and when it is published. */
async function redirectStaged(
  on: Writing,
  types: Types | undefined,
  target: Target,
  to: Path,
  { paths }: Reach,
  context: WriteContext,
): Promise<void> {
  for await (const { entry, copy, live, data, places } of stagedReferring(on.sql, types, { target, paths })) {
    const livePlaces = await placesIn(types, entry, live, target);
    const own = await objectOf(copy.data);
    const isOfEntry = (key: string) => !own.has(key) && livePlaces.some(({ path }) => path[0] === key);
    const changed = redirected(data, places, target, to);
    const keys = new Set(places.map(({ path }) => path[0] as string));
    const values = new Map([...changed].filter(([key]) => keys.has(key) && !isOfEntry(key)));
    if (values.size === 0) continue;
    const draft = { slug: entry.slug, visibility: "draft" } as const;
    const stateOf = async (own: JsonObject) => ({ ...draft, data: await wholeData(entry, own) });
    await refuseFaults(types, await stateOf(changed), await stateOf(data));
    const moved = await movedCopy(entry, copy, values, redirected(live, livePlaces, target, to));
    const saved = await saveCopy(on, "entry.stage", entry, moved, context);
    refuseTooLarge(saved.entry.data);
  }
}

/** What the text index may read; with more candidates a scan is faster. */
const maxCandidates = 20_000;

/** Entries whose data has the path as a text, or as the beginning of one, and some others; in the order of their ids. */
async function* candidates(
  sql: ReadSql,
  { target, paths, after = "" as Slug }: Pick<ReferenceQuery, "target" | "paths"> & { after?: Slug | undefined },
): AsyncGenerator<StoredEntry[]> {
  const likely = likelySql(target);
  const ids = await itemsWithAny(sql, [target.path, ...spellingsOf(target.path, target.kind)]);
  if (!ids) return yield* scan(sql, likely, paths, after);
  const slugs: Slug[] = [];
  const within = withinAny("slug", paths, likely.values.length + 1);
  const further = { sql: [likely.sql, within.sql], values: [...likely.values, ...within.values] };
  for await (const rows of rowsByNumber(sql, "entry", "SELECT slug FROM entry", [...ids], further))
    slugs.push(...rows.map(([slug]) => slug as Slug));
  const translated = await sql.rows(
    `SELECT entry.slug FROM translation JOIN entry ON entry.uuid = translation.uuid
    AND entry.translated = 1 WHERE ${likely.ofTranslation} AND ${within.sql}`,
    ...further.values,
  );
  slugs.push(...translated.map(([slug]) => slug as Slug));
  const wanted = [...new Set(slugs)].toSorted(compareText).filter((slug) => compareText(slug, after) > 0);
  for (let at = 0; at < wanted.length; at += pageEntries) {
    yield findEntries(sql, wanted.slice(at, at + pageEntries));
  }
}

/** Entries that have one of these texts, and some others; undefined when the index cannot narrow them. */
async function itemsWithAny(sql: ReadSql, texts: readonly string[]): Promise<Set<number> | undefined> {
  const ids = new Set<number>();
  // A text that holds another one is found by that one.
  const least = texts.filter((text, i) => !texts.some((other, j) => i !== j && text.includes(other)));
  for (const text of least) {
    const grams = { grams: gramsOfPart(text), pairs: [] };
    const found = await itemsWithGrams({ sql, table: entryTable }, grams, maxCandidates);
    if (!found) return undefined;
    for (const id of found) ids.add(id);
  }
  return ids;
}

function scan(sql: ReadSql, likely: Likely, paths: readonly Path[] | null, after: Slug): AsyncGenerator<StoredEntry[]> {
  const first = likely.values.length + 1;
  const within = withinAny("slug", paths, first + 1);
  const text = `SELECT ${entryColumns} FROM entry
    WHERE slug > ?${first} AND (${likely.sql} OR translated = 1 AND EXISTS
      (SELECT 1 FROM translation WHERE translation.uuid = entry.uuid AND ${likely.ofTranslation})) AND ${within.sql} ORDER BY slug LIMIT ${pageEntries}`;
  return pagesBy(pageEntries, async (last?: StoredEntry) =>
    (await sql.rows(text, ...likely.values, last?.slug ?? after, ...within.values)).map(toEntry),
  );
}

/** `ofTranslation`: the same of the data of a translation. */
type Likely = { sql: string; ofTranslation: string; values: Value[] };

/** SQL that is true for data with the path as a text, or in the address of a link: it stands there as JSON. */
function likelySql({ kind, path, isSubtree }: Target): Likely {
  const text = JSON.stringify(path).slice(0, -1);
  const links = spellingsOf(path, kind).map((spelling) => JSON.stringify(spelling).slice(1, -1));
  const values = [`${text}"`, ...(isSubtree ? [`${text}/`] : []), ...links].map(partPattern);
  const sqlOf = (column: string) => `(${values.map((_, i) => likeSql(column, i + 1)).join(" OR ")})`;
  return { sql: sqlOf("data"), ofTranslation: sqlOf("translation.data"), values };
}
