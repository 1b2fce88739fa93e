import { JsonError } from "../core/lib/json.ts";
import { Memo } from "../core/lib/memo.ts";
import type { Slug } from "../core/path.ts";
import type { Scanning } from "../core/sql/noun.ts";
import { numberOf, type Row, type Sql } from "../core/sql/sql.ts";
import { entryColumns, type StoredEntry, toEntry } from "../entry/rows.ts";
import { fieldsOf } from "./document.ts";
import { type Page, pagesOf } from "./document-store.ts";
import { formOf } from "./form.ts";
import { formatPlaces } from "./posting.ts";
import { languageOf } from "./query.ts";
import { placeGap } from "./rank.ts";
import { notedAfter, placeOf, type SearchState, searchState, wholeEvent } from "./state-store.ts";
import { loadStemmers, stemOf } from "./stem.ts";
import { type SearchTypes, searchTypes, typesName } from "./types-store.ts";
import { languagesOf, type Way } from "./way.ts";

/**
 * The first half of indexing: what a write of the index needs, made by a reader, so that no other write waits while texts
 * are cut into words.
 */

/** What is to be written, if the index still is where it was: `from`, see `placeOf`. */
export type Prepared = {
  way: Way;
  from: string;
  to: Pick<SearchState, "sequence" | "uuid" | "builtTo" | "types" | "typedTo">;
  log: string;
  /** Of a build: how many hundredths of the entries it has come to. */
  percent?: number;
  /** True where nothing is left to be done after it. */
  isLast?: boolean;
  /** The entries whose documents end. */
  uuids: string[];
  documents: PreparedDocument[];
  lists: PreparedList[];
};

type PreparedDocument = {
  uuid: string;
  entry: number;
  parent: number;
  type: string;
  fieldset: string;
  publishedAt: number;
  shelf: string;
};

/** The documents by their place in the list, ascending, with the places of the word. */
export type PreparedList = {
  shelf: string;
  /** See form.ts. */
  word: string;
  field: string;
  language: string;
  stem: string;
  postings: [document: number, places: string][];
};

/** A write of the index has at most so many entries, and so many places of words, or one entry. */
const maxEntries = 256;
const maxPlaces = 60_000;

/** Whether `prepareSearch` has something to do. A store at rest needs two short reads to know it, and no thread. */
export async function isBehind(sql: Sql, way: Way): Promise<boolean> {
  const state = await searchState(sql, way);
  return state.isVoid || isUnfinished(state) || state.types !== (await typesName(sql));
}

const isUnfinished = ({ builtTo, typedTo, sequence, uuid, newest }: SearchState): boolean =>
  builtTo !== null || typedTo !== null || sequence < newest || uuid !== wholeEvent;

/** Undefined where there is nothing to do. */
export async function prepareSearch(on: Scanning, way: Way): Promise<Prepared | undefined> {
  const { sql } = on;
  const state = await searchState(sql, way);
  const from = placeOf(state);
  await loadStemmers(languagesOf(way));
  const collected: Collected = { documents: [], lists: [] };
  const types = await searchTypes(on);
  const begun = state.isVoid ? voidAt(state.newest, types) : state;
  const { log } = state;
  const { builtTo, sequence: beganAt, uuid: beganWith } = begun;
  const present = { sequence: beganAt, uuid: beganWith, builtTo, types: begun.types, typedTo: begun.typedTo };
  if (builtTo !== null) {
    const rows = await sql.rows(`${select} WHERE entry.id > ?1 ORDER BY entry.id LIMIT ?2`, builtTo, maxEntries);
    const read = rows.map(toPlaced);
    const last = await addEntries(on, read, way, types, collected);
    const isAll = last === rows.length && rows.length < maxEntries;
    const to = { ...present, builtTo: isAll ? null : (read[last - 1]?.entry.id ?? builtTo) };
    const uuids = state.isVoid ? [] : read.slice(0, last).map(({ entry }) => entry.uuid);
    const top = await numberOf(sql, "SELECT coalesce(max(id), 0) FROM entry");
    const percent = to.builtTo === null ? 100 : Math.floor((100 * to.builtTo) / top);
    return { way, from, to, log, uuids, percent, ...collected };
  }
  if (state.types !== types.name || state.typedTo !== null) {
    const { uuids, ids, typedTo } = await otherwiseTyped(sql, state, types);
    const rows = (await sql.rowsAll(`${select} WHERE entry.id = ?1`, ids, ["integer"])).flat();
    await addEntries(on, rows.map(toPlaced), way, types, collected, Number.POSITIVE_INFINITY);
    return { way, from, to: { ...present, types: types.name, typedTo }, log, uuids, ...collected };
  }
  if (!isUnfinished(state)) return undefined;
  const noted = await notedAfter(sql, begun, maxEntries);
  const ids = new Map(noted.map(({ uuid, id }) => [uuid, id]));
  const uuids = [...ids.keys()];
  // What was deleted left its id to others.
  const slugs = [...new Set(ids.values())].map((id) => [id ?? ""]);
  const found = (await sql.rowsAll(`${select} WHERE entry.slug = ?1`, slugs, ["text"])).flat();
  const read = found.map(toPlaced).filter(({ entry }) => ids.get(entry.uuid) === entry.slug);
  const taken = await addEntries(on, read, way, types, collected);
  const left = new Set(read.slice(taken).map(({ entry }) => entry.uuid));
  const firstLeft = noted.findIndex(({ uuid }) => left.has(uuid));
  const done = firstLeft === -1 ? noted : noted.slice(0, firstLeft);
  // Also past events that say nothing of entries, which each search would read, and which the log forgets after a time.
  const isLast = done.length === noted.length && noted.length < maxEntries;
  const { sequence, uuid } = isLast ? { sequence: state.newest, uuid: wholeEvent } : (done.at(-1) ?? begun);
  return {
    way,
    from,
    to: { ...present, sequence, uuid },
    log,
    isLast,
    uuids: uuids.filter((each) => !left.has(each)),
    ...collected,
  };
}

const voidAt = (newest: number, { name }: SearchTypes) => ({
  sequence: newest,
  uuid: wholeEvent,
  builtTo: 0,
  types: name,
  typedTo: null,
});

/** So many documents are looked at for those of another type, and so many entries get new ones for it in a write. */
const maxLooked = 10_000;
const maxRetyped = 64;

/**
 * The entries, from where this has come to, that types changed in which entries they have gave another type than their
 * documents have; null for the place when these are all.
 */
async function otherwiseTyped(sql: Scanning["sql"], state: SearchState, types: SearchTypes) {
  const after = (state.types === types.name ? state.typedTo : null) ?? state.base;
  const rows = await sql.rows(typedRows, after, maxLooked);
  const found = new Map<string, number>();
  let last = after;
  for (const [number, uuid, entry, type, fieldset, slug] of rows as unknown as TypedRow[]) {
    if (found.size >= maxRetyped) break;
    if (types.typeOf(slug, fieldset) !== type) found.set(uuid, entry);
    last = number;
  }
  const isAll = rows.length < maxLooked && found.size < maxRetyped;
  return { uuids: [...found.keys()], ids: [...found.values()].map((id) => [id]), typedTo: isAll ? null : last };
}

type TypedRow = [number: number, uuid: string, entry: number, type: string, fieldset: string, slug: Slug];
/** One whose entry is gone since ends by its event. */
const typedRows = `SELECT number, search_document.uuid, entry, type, fieldset, slug
  FROM search_document JOIN entry ON entry.id = search_document.entry AND entry.uuid = search_document.uuid
  WHERE number > ?1 AND ended IS NULL ORDER BY number LIMIT ?2`;

const select = `SELECT ${entryColumns
  .split(", ")
  .map((name) => `entry.${name}`)
  .join(", ")}, entry.parent FROM entry`;

/** An entry and the number of its parent. */
type Placed = { entry: StoredEntry; parent: number };
const toPlaced = (row: Row): Placed => ({ entry: toEntry(row), parent: row.at(-1) as number });

type Collected = Pick<Prepared, "documents" | "lists">;

/** Adds entries until there is enough; answers how many. */
async function addEntries(
  { sql }: Pick<Scanning, "sql">,
  read: readonly Placed[],
  way: Way,
  types: SearchTypes,
  { documents, lists }: Collected,
  most = maxPlaces,
): Promise<number> {
  const known = new Map<string, PreparedList>();
  let places = 0;
  let count = 0;
  for (const { entry, parent } of read) {
    if (count > 0 && places > most) break;
    count++;
    for (const page of await readablePages(sql, entry, way)) {
      const named = page.data.get("fieldset");
      const fieldset = typeof named === "string" ? named : "";
      documents.push({
        uuid: entry.uuid,
        entry: entry.id,
        parent,
        type: types.typeOf(entry.slug, fieldset),
        fieldset,
        publishedAt: entry.publishedAt,
        shelf: page.shelf,
      });
      places += addPage(page, documents.length - 1, known, lists);
    }
  }
  return count;
}

/** None for one that is damaged, which is reported elsewhere. */
async function readablePages(sql: Scanning["sql"], entry: StoredEntry, way: Way): Promise<Page[]> {
  try {
    return await pagesOf(sql, entry, way);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonError) return [];
    throw error;
  }
}

/** Adds the words of a page; answers how many. */
function addPage(page: Page, document: number, known: Map<string, PreparedList>, lists: PreparedList[]): number {
  const words = new Map<string, { field: string; language: string; word: string; stem: string; places: number[] }>();
  const ends = new Map<string, number>();
  let count = 0;
  for (const { key, locale, text, words: own } of fieldsOf(page.data, {
    weightOf: anyWeight,
    localeOf: page.localeOf,
  })) {
    const begin = ends.get(key) ?? 0;
    const language = languageOf(locale);
    for (const [i, { word, from, to }] of own.entries()) {
      const stem = stems.of(text.slice(from, to), word, language);
      const form = formOf(word, stem, language === "" ? word : stems.of(word, word, language));
      const name = `${key}\0${language}\0${form}`;
      let found = words.get(name);
      if (!found) {
        found = { field: key, language, word: form, stem, places: [] };
        words.set(name, found);
      }
      found.places.push(begin + i);
      count++;
    }
    ends.set(key, begin + own.length + placeGap);
  }
  for (const [name, { places, ...rest }] of words) {
    const id = `${page.shelf}\0${name}`;
    let list = known.get(id);
    if (!list) {
      list = { ...rest, shelf: page.shelf, postings: [] };
      known.set(id, list);
      lists.push(list);
    }
    list.postings.push([document, formatPlaces(places)]);
  }
  return count;
}

/** The stems of words as they are written, of which a page has most several times. */
const stems = {
  known: new Memo<string, string>(50_000),
  of(written: string, word: string, language: string): string {
    return language === "" ? word : this.known.get(`${language} ${written}`, () => stemOf(written, language));
  },
};

/** Types decide when it is read: see types-store.ts. */
const anyWeight = () => 1;
