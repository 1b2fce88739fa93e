import {
  type Access,
  accessBelow,
  isOpenAt,
  laysOver,
  reachedBelow,
  readerOf,
  seesPublic,
  sightOf,
} from "../core/access/access.ts";
import {
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
  depthRange,
  hasPattern,
} from "../core/list/list.ts";
import { isWithin, type Path, rootPath } from "../core/path.ts";
import { Problem, problem } from "../core/problem.ts";
import type { IndexedTable } from "../core/sql/index/table.ts";
import { missing } from "../core/sql/index/table.ts";
import { Bound } from "../core/sql/list/bound.ts";
import { answer } from "../core/sql/list/list.ts";
import { depthOfKeys } from "../core/sql/list/order.ts";
import { answerScan, batchSize, type Candidates } from "../core/sql/list/scan.ts";
import { inScopeSql, type Scope, seenSql } from "../core/sql/list/scope.ts";
import {
  type Condition,
  type Effort,
  type Head,
  quick,
  readHead,
  type Source,
  thorough,
  watchOf,
} from "../core/sql/list/source.ts";
import type { ItemsById, Reading, Scanning } from "../core/sql/noun.ts";
import { isBelowSql, type Row, withinAny, withinSql } from "../core/sql/sql.ts";
import { sourceLocale } from "../translation/locale.ts";
import { isListedSql, isOpenSql, isReadableSql } from "./access-store.ts";
import type { Entry } from "./entry.ts";
import { entryItem } from "./item.ts";
import { isDueSql, listing, listingsOf } from "./listing-rows.ts";
import { entryColumns, entryTable, type StoredEntry, toEntry } from "./rows.ts";
import { textConditions } from "./text-store.ts";
import { isListed, isReadable } from "./visibility.ts";

/** Collections of entries. */

/** Answers a collection if it reads only a few entries, otherwise undefined. Throws as listEntries does. */
export async function listQuickly(
  on: Reading,
  query: CollectionQuery,
  access: Access,
): Promise<CollectionAnswer | undefined> {
  // A pattern can use up its whole time on few entries.
  if (hasPattern(query)) return undefined;
  const below = accessBelow(access, query.path);
  return orMissing(on, query, below, async () => {
    const source = await sourceOf(on, query, below, quick);
    return source && answer(source, query, quick);
  });
}

/** Answers a collection at any cost. Throws entry_not_found. */
export async function listEntries(on: Scanning, query: CollectionQuery, reader: Access): Promise<CollectionAnswer> {
  const access = accessBelow(reader, query.path);
  const watch = await watchOf(on, readerOf(access));
  return orMissing(on, query, access, async () => {
    const source = await sourceOf(on, query, access, thorough);
    const answered = source && (await answer({ ...source, watch }, query, thorough));
    return (
      answered ?? answerScan(query, scopeOf(access), scan(on, query, access), { ...on, ...access, watch }, "entry")
    );
  });
}

/**
 * What `work` answers or throws; entry_not_found where it met nothing, or threw a problem, and the caller can see neither
 * the entry nor anything below it. What a list meets exists: so the path is not looked up for each. The root always exists.
 */
async function orMissing<Answered extends CollectionAnswer | undefined>(
  on: Reading,
  { path }: CollectionQuery,
  access: Access,
  work: () => Promise<Answered>,
): Promise<Answered> {
  const refuseMissing = async () => {
    if (!(await exists(on, path, access))) throw problem("entry_not_found", { id: path });
  };
  const answered = await work().catch(async (error: unknown) => {
    if (error instanceof Problem) await refuseMissing();
    throw error;
  });
  if (answered?.isEmpty) await refuseMissing();
  return answered;
}

/** What a cursor is bound to. */
const scopeOf = (access: Access): string => {
  const isWhole = (access.reads === "public" || access.reads === "management") && access.paths === null;
  return isWhole && !access.locale ? readerOf(access) : sightOf(access);
};

/**
 * The entries that a collection for this access may have; undefined when there are more extras than the effort.
 */
async function sourceOf(
  on: Reading,
  query: CollectionQuery,
  access: Access,
  effort: Effort,
): Promise<Source<StoredEntry> | undefined> {
  const { path } = query;
  const scope = { path, depth: query.find.depth, paths: reachedBelow(access, path) };
  const within: Scope = { ...scope, listings: listingsOf(access, query.filter, false) };
  const { chains = [] } = on.options;
  const asked: HeadQuery = {
    within,
    access,
    hasLayers: chains.length > 0,
    lacking: missing.from(depthOfKeys({ ...on, table: entryTable }, query)),
  };
  const { layered } = on.presumed ?? {};
  const wasTranslated = layered?.get(entryTable.name) ?? false;
  const toFound = (row: Row): EntryHead => {
    const [size, ...has] = row as number[];
    const [partial = false, due = false, staged = false, ...locales] = has.map((each) => each === 1);
    const [translated = false, unlisted = false, restricted = false] = locales;
    layered?.set(entryTable.name, translated);
    const isPlain = !partial && !due && !staged && translated === wasTranslated && !restricted;
    return { size: size ?? 0, isPlain, partial, due, staged, translated, unlisted, restricted };
  };
  const hasOwn = depthRange(query).min === 0 && path !== rootPath;
  const none = { partial: false, due: false, staged: false, unlisted: false, restricted: false };
  // What is laid over is read apart: in a transaction.
  const isApart = hasOwn || laysOver(access) || (wasTranslated && Boolean(access.locale?.chain.length));
  const presumed = isApart ? undefined : { ...none, translated: wasTranslated };
  const found = await readHead(on, entryTable, (b) => headSql(b, asked), toFound, presumed);
  const seen = on.links.seenItems(on.sql, on.itemsById, access);
  const { chain = [], isStrict = false, state } = access.locale ?? {};
  const isTested = state !== undefined;
  const isLaid = isTested || (chain.length > 0 && (found.translated || isStrict));
  const itemsById = isLaid ? laidItems(on, seen, access) : seen;
  const extras = await readExtras(on, itemsById, query, asked, { ...found, own: hasOwn }, effort);
  if (!extras) return undefined;
  const further: Condition[] = [];
  if (found.partial) further.push(() => `NOT (${lackingSql(asked)})`);
  if (found.staged) further.push((b) => `(entry.staged_revision IS NULL OR NOT ${openSql(b, access)})`);
  const listed = found.restricted ? [listing.listed, listing.elsewhere] : [listing.listed];
  if (hasBorder(access)) further.push((b) => `(entry.listing IN (${listed}) OR ${openSql(b, access)})`);
  if (found.restricted)
    further.push((b) => `(${isListedSql(access, b.whole(access.nowSeconds), () => openSql(b, access))})`);
  if (found.unlisted) further.push((b) => `NOT (${unlistedSql(b, asked)})`);
  if (isStrict) further.push((b) => isTranslatedSql(b, access));
  return {
    ...on,
    itemsById,
    // The index has what falls back, too, and no state of a translation.
    table: isStrict || isTested ? unindexedTable : entryTable,
    layer: found.translated ? (access.locale?.own ?? sourceLocale) : undefined,
    isTested,
    scope: scopeOf(access),
    nowSeconds: access.nowSeconds,
    within: found.restricted ? { ...scope, listings: listingsOf(access, query.filter, true) } : within,
    further,
    extras,
    head: found,
    toCollectionItem: entryItem,
  };
}

/** Lists of it test what each entry says. */
const unindexedTable: IndexedTable<StoredEntry> = { ...entryTable, fields: undefined, texts: undefined };

/** Reads entries by number as they are in the locale of the reader. */
const laidItems = ({ sql, links }: Reading, itemsById: ItemsById, access: Access): ItemsById =>
  async function* (table, ids) {
    for await (const some of itemsById(table, ids)) {
      const laid = await links.inLocale({ sql, links }, some as unknown as StoredEntry[], access);
      yield laid.filter((entry) => isListed(entry, access)) as unknown as typeof some;
    }
  };

/**
 * SQL that is true for what may be read in the locale otherwise than the index has it: what is public by its time since, or,
 * for who sees more, what is not public, and working copies.
 */
const unlistedSql = (b: Bound, { access }: HeadQuery): string => {
  const chain = (access.locale?.chain ?? []).map((locale) => b.text(locale)).join(", ");
  const isDue = () => `listing = ${listing.scheduled} AND published_at <= ${b.whole(access.nowSeconds)}`;
  const isOther = seesPublic(access) ? isDue() : `listing <> ${listing.listed}`;
  const live = `entry.uuid IN (SELECT uuid FROM translation WHERE ${isOther} AND locale IN (${chain}))`;
  const copy = `entry.uuid IN (SELECT uuid FROM working_copy WHERE published_revision = 0 AND locale IN (${chain}))`;
  return `entry.translated = 1 AND (${laysOver(access) ? `${live} OR ${copy}` : live})`;
};

/** SQL that is true for what has a translation, or a working copy of one, in the locale itself. */
const isTranslatedSql = (b: Bound, access: Access): string => {
  const isOwn = () => `uuid = entry.uuid AND locale = ${b.text(access.locale?.own ?? "")}`;
  const found = (rows: string) => `(SELECT 1 FROM ${rows} LIMIT 1) IS NOT NULL`;
  const isSeen = seesPublic(access)
    ? `AND visibility = 'visible' AND published_at <= ${b.whole(access.nowSeconds)}`
    : "";
  const live = found(`translation WHERE ${isOwn()} ${isSeen}`);
  const copy = () => found(`working_copy WHERE published_revision = 0 AND ${isOwn()}`);
  return `(entry.translated = 1 AND (${laysOver(access) ? `${live} OR ${copy()}` : live}))`;
};

/** `lacking`: items for which `index_partial` is at most that lack rows of the keys that are asked for. */
type HeadQuery = { within: Scope; access: Access; lacking: number; hasLayers: boolean };

const lackingSql = ({ lacking }: HeadQuery): string => `entry.index_partial > 0 AND entry.index_partial <= ${lacking}`;
/** Where what is not public shows, it is listed as it is. */
const dueSql = (b: Bound, { access }: HeadQuery): string =>
  isDueSql(b.whole(access.nowSeconds)) + (hasBorder(access) ? ` AND NOT ${openSql(b, access)}` : "");
const stagedSql = (b: Bound, { within, access }: HeadQuery): string =>
  `staged_revision IS NOT NULL AND ${openSql(b, access)} AND ${inScopeSql(b, entryTable, anyListing(within), "entry")}`;
const partialSql = (b: Bound, asked: HeadQuery): string =>
  `${lackingSql(asked)} AND ${inScopeSql(b, entryTable, asked.within, "entry")}`;

const openSql = (b: Bound, access: Access): string => isOpenSql(access, (path) => b.text(path));
/** True for a list in a part of which a preview shows all that is there, and elsewhere what is public. */
const hasBorder = (access: Access): boolean => !seesPublic(access) && Boolean(access.unpublished);

/** There are such entries in scope; translated ones, and such as are public in some locales alone, anywhere. */
type EntryHead = Head & Record<"partial" | "due" | "staged" | "translated" | "unlisted" | "restricted", boolean>;

/** SQL for 1 when there is such an entry, otherwise 0. */
const anySql = (rest: string): string => `(SELECT count(*) FROM (SELECT 1 FROM entry WHERE ${rest} LIMIT 1) AS found)`;

/** What must be known first. */
function headSql(b: Bound, asked: HeadQuery): string[] {
  const { access } = asked;
  return [
    "(SELECT max(id) FROM entry)",
    asked.lacking > 1 ? anySql(partialSql(b, asked)) : "0",
    seesPublic(access) || hasBorder(access) ? anySql(dueSql(b, asked)) : "0",
    laysOver(access) ? anySql(stagedSql(b, asked)) : "0",
    asked.hasLayers ? anySql("translated = 1") : "0",
    asked.hasLayers && access.locale?.chain.length ? anySql(unlistedSql(b, asked)) : "0",
    access.locale ? anySql("only_locales IS NOT NULL") : "0",
  ];
}

/** True where the caller sees something at or below the path, or would once the release of its access is published. */
export async function exists(on: Reading, path: Path, access: Access): Promise<boolean> {
  if (path === rootPath) return true;
  const b = new Bound();
  const [found] = (await on.sql.row(`SELECT ${existsSql(b, path, access)}`, ...b.values)) ?? [];
  return found === 1 || (access.release !== undefined && (await isInRelease(on, path, access)));
}

/** SQL for 1 where there is such an entry, apart from what a release makes of it. */
function existsSql(b: Bound, path: Path, access: Access): string {
  const paths = reachedBelow(access, path);
  const now = b.whole(access.nowSeconds);
  const { release } = access;
  const isOpen = () => openSql(b, access);
  const other =
    release === undefined
      ? ""
      : `AND NOT (${isOpen()} AND uuid IN
          (SELECT uuid FROM working_copy WHERE release = ${b.text(release)} AND published_revision = 0 AND locale = ''))`;
  const isSeen = `${isListedSql(access, now, isOpen)} ${other}`;
  if (paths) return anySql(`${seenSql(b, entryTable, { path, depth: [], paths }).join(" AND ")} AND ${isSeen}`);
  return `CASE WHEN ${anySql(`slug = ${b.text(path)} AND ${isReadableSql(access, now, isOpen)} ${other}`)} = 1 THEN 1
    ELSE ${anySql(`${isBelowSql("slug", b.text(path))} AND ${isSeen}`)} END`;
}

/** Whether there is something at or below the path once the release of the access is published: one of its entries. */
async function isInRelease({ sql, links }: Reading, path: Path, access: Access): Promise<boolean> {
  const entries = await links.entriesInRelease(sql, access, path);
  const isSeen = (entry: Entry) => (entry.slug === path ? isReadable(entry, access) : isListed(entry, access));
  // Elsewhere the preview of the release has what is live.
  return entries.some((entry) => isOpenAt(access, entry.slug) && isSeen(entry));
}

/** A working copy may change the listing. */
const anyListing = ({ listings: _, ...scope }: Scope): Scope => scope;

async function readExtras(
  { sql }: Reading,
  itemsById: ItemsById,
  query: CollectionQuery,
  asked: HeadQuery,
  found: EntryHead & { own: boolean },
  effort: Effort,
): Promise<StoredEntry[] | undefined> {
  if (!found.partial && !found.due && !found.staged && !found.unlisted && !found.own) return [];
  const b = new Bound();
  const selects: string[] = [];
  if (found.partial) selects.push(partialSql(b, asked));
  if (found.due) selects.push(dueSql(b, asked));
  if (found.staged) selects.push(stagedSql(b, asked));
  if (found.unlisted) selects.push(`${unlistedSql(b, asked)} AND ${inScopeSql(b, entryTable, asked.within, "entry")}`);
  if (found.own) selects.push(`slug = ${b.text(query.path)}`);
  const each = selects.map((rest) => `SELECT id FROM entry WHERE ${rest}`).join(" UNION ");
  const limit = b.whole(effort.extras + 1);
  const rows = await sql.rows(`SELECT id FROM (${each}) AS extras LIMIT ${limit}`, ...b.values);
  if (rows.length > effort.extras) return undefined;
  const extras: StoredEntry[] = [];
  const ids = rows.map(([id]) => id as number);
  for await (const some of itemsById(entryTable, ids))
    extras.push(...some.filter((entry) => isInScope(entry, query, asked.access)));
  return extras;
}

const isInScope = (entry: StoredEntry, { path }: CollectionQuery, access: Access): boolean =>
  isWithin(entry.slug, path) && isListed(entry, access);

/** Every entry in scope, in path order where the query has no other. */
function scan({ sql, links }: Scanning, query: CollectionQuery, access: Access): Candidates {
  const isOrdered = query.order.length === 0;
  const b = new Bound([query.path, access.nowSeconds]);
  // What is live says nothing of an entry with a copy.
  const orStaged = (test: string) => (laysOver(access) ? `(staged_revision IS NOT NULL OR ${test})` : test);
  const orTranslated = (test: string) => (access.locale?.chain.length ? `(translated = 1 OR ${test})` : test);
  const isSeen = isListedSql(access, "CAST(?2 AS BIGINT)", () => openSql(b, access));
  const conditions = [withinSql("slug", query.path), orStaged(isSeen)];
  const within = withinAny("slug", reachedBelow(access, query.path), b.values.length + 1);
  conditions.push(within.sql);
  b.values.push(...within.values);
  const texts = textConditions(query, b.values.length + 1);
  conditions.push(...texts.sql.map(orStaged).map(orTranslated));
  b.values.push(...texts.values);
  const order = isOrdered ? "ORDER BY slug" : "";
  const text = `SELECT ${entryColumns} FROM entry WHERE ${conditions.join(" AND ")} ${order}`;
  return {
    batches: toItems({ sql, links }, sql.batches(text, b.values, batchSize), access),
    arrival: isOrdered ? "ordered" : "any",
  };
}

async function* toItems(
  { sql, links }: Pick<Scanning, "sql" | "links">,
  batches: Iterable<Row[]> | AsyncIterable<Row[]>,
  access: Access,
): AsyncGenerator<CollectionItem[]> {
  for await (const rows of batches) {
    const seen = await links.inLocale({ sql, links }, await links.seenEntries(sql, rows.map(toEntry), access), access);
    // The statement did not ask it of those with a copy.
    yield seen.filter((entry) => isListed(entry, access)).map(entryItem);
  }
}
