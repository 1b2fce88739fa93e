import { type Path, rootPath, type Slug } from "../core/path.ts";
import { batchSize } from "../core/sql/list/scan.ts";
import { watchOf } from "../core/sql/list/source.ts";
import { noun, type PortParts, type Scanning } from "../core/sql/noun.ts";
import { type ReadSql, type Value, withinAny, withinSql } from "../core/sql/sql.ts";
import { titleOf } from "../entry/next.ts";
import { entryColumns, findEntries, type StoredEntry, toEntry } from "../entry/rows.ts";
import { presentTypes } from "../type/rows.ts";
import { keysByLocale } from "../working-copy/staged.ts";
import { problem } from "./problems.ts";
import type {
  ProgressCounts,
  ProgressPage,
  ProgressQuery,
  ProgressRow,
  ProgressStore,
  StagedTranslation,
  Subtree,
} from "./progress.ts";
import { type StoredTranslation, translationsIn } from "./rows.ts";
import { laidTranslations } from "./seen-store.ts";
import { isInState, statesOf } from "./state.ts";

/** Reads how far the entries of a subtree are translated. */

export const progressNoun = noun({
  scans: { listProgress, summarizeProgress, findPlaces },
  apart: ["listProgress", "summarizeProgress"],
  port: ({ sql, links, scansFor }): ProgressStore => ({
    list: (query, asker) => scansFor(asker).listProgress(query),
    summary: (subtree, locales, asker) => scansFor(asker).summarizeProgress(subtree, locales),
    staged: async (subtree, locale, after, nowSeconds) => {
      if (after === undefined) await refuseNothing(sql, subtree);
      return withTranslations({ sql, links }, await pageOf(sql, subtree, after), locale, nowSeconds);
    },
    stagedAt: async (slugs, locale, nowSeconds) =>
      withTranslations({ sql, links }, await findEntries(sql, slugs), locale, nowSeconds),
    places: async (uuids, asker) => new Map(await scansFor(asker).findPlaces(uuids)),
  }),
});

async function listProgress(on: Scanning, query: ProgressQuery): Promise<ProgressPage> {
  const endMs = performance.now() + on.options.scanBudgetMs.management;
  const { locales, state, limit, after } = query;
  const rows: ProgressRow[] = [];
  const types = await presentTypes(on.sql);
  await refuseNothing(on.sql, query);
  for await (const { entry, translations } of walk(on, query, locales, after?.slug)) {
    const staged = await stagedKeys(on, entry, locales);
    const all = await statesOf(locales, { entry, translations, staged }, types);
    const start = entry.slug === after?.slug ? locales.indexOf(after.locale) + 1 : 0;
    const wanted = all.slice(start).filter((row) => state === undefined || isInState(row, state));
    const title = wanted.length > 0 ? await titleOf(entry) : "";
    rows.push(...wanted.map((row) => ({ id: entry.slug, title, ...row })));
    if (rows.length >= limit) break;
    const last = { slug: entry.slug, locale: locales.at(-1) ?? "" };
    if (on.isStopped() || performance.now() > endMs) return { rows, next: last };
  }
  return { rows: rows.slice(0, limit), next: undefined };
}

async function summarizeProgress(
  on: Scanning,
  subtree: Subtree,
  locales: readonly string[],
): Promise<Record<string, ProgressCounts>> {
  const watch = await watchOf(on, "management", "id");
  const counts = locales.map((): ProgressCounts => ({ entries: 0, done: 0, outdated: 0, missing: 0 }));
  const types = await presentTypes(on.sql);
  await refuseNothing(on.sql, subtree);
  for await (const each of walk(on, subtree, locales, undefined)) {
    watch();
    const states = await statesOf(locales, each, types);
    for (const [i, row] of states.entries()) {
      const own = counts[i] as ProgressCounts;
      own.entries++;
      for (const state of ["done", "outdated", "missing"] as const) if (isInState(row, state)) own[state]++;
    }
  }
  return Object.fromEntries(locales.map((locale, i) => [locale, counts[i] as ProgressCounts]));
}

async function withTranslations(
  on: Looking,
  entries: readonly StoredEntry[],
  locale: string,
  nowSeconds: number,
): Promise<StagedTranslation[]> {
  const found = await laidTranslations(on, entries, locale, nowSeconds);
  return entries.map((entry) => ({ entry, translation: found.get(entry.uuid) }));
}

/** By a scan: no index has the uuids of all entries. */
async function findPlaces({ sql }: Scanning, uuids: readonly string[]): Promise<[uuid: string, slug: Slug][]> {
  const wanted = new Set(uuids);
  const places: [string, Slug][] = [];
  for await (const rows of sql.batches("SELECT uuid, slug FROM entry ORDER BY slug", [], batchSize))
    for (const [uuid, slug] of rows as [string, Slug][]) if (wanted.has(uuid)) places.push([uuid, slug]);
  return places;
}

type Walked = { entry: StoredEntry; translations: readonly StoredTranslation[] };

/** The entries of the subtree from that one on, in the order of their ids, with their translations. */
async function* walk(
  { sql }: Scanning,
  subtree: Subtree,
  locales: readonly string[],
  from: Slug | undefined,
): AsyncGenerator<Walked> {
  const { text, values } = within(subtree, from ?? "", ">=");
  const ordered = `SELECT ${entryColumns} FROM entry WHERE ${text} ORDER BY slug`;
  for await (const rows of sql.batches(ordered, values, entriesAtOnce)) {
    const entries = rows.map(toEntry);
    const found = await translationsIn(sql, entries, locales);
    for (const entry of entries) yield { entry, translations: found.get(entry.uuid) ?? [] };
  }
}

/** Entries may be large. */
const entriesAtOnce = 50;

async function pageOf(sql: ReadSql, subtree: Subtree, after: Slug | undefined): Promise<StoredEntry[]> {
  const { text, values } = within(subtree, after ?? "", ">");
  const page = `SELECT ${entryColumns} FROM entry WHERE ${text} ORDER BY slug LIMIT ${entriesAtOnce}`;
  return (await sql.rows(page, ...values)).map(toEntry);
}

/** Throws entry_not_found where the caller sees nothing at or below the path. */
async function refuseNothing(sql: ReadSql, { path, paths }: Subtree): Promise<void> {
  const { text, values } = within({ path, paths }, "", ">=");
  if (path !== rootPath && !(await sql.row(`SELECT 1 FROM entry WHERE ${text} LIMIT 1`, ...values)))
    throw problem("entry_not_found", { id: path });
}

function within({ path, depth, paths }: Subtree, from: string, comparison: ">" | ">=") {
  const reached = withinAny("slug", paths, 3);
  const levels = "length(slug) - length(replace(slug, '/', ''))";
  const base = path === rootPath ? -1 : levelsOf(path);
  const inDepth =
    depth === undefined ? "1 = 1" : `${levels} > ${base} AND ${levels} <= ${base + Math.min(depth, maxLevels)}`;
  const text = `${withinSql("slug", path)} AND slug ${comparison} ?2 AND ${inDepth} AND ${reached.sql}`;
  return { text, values: [path, from, ...reached.values] as Value[] };
}

const levelsOf = (path: Path): number => path.split("/").length - 1;
/** No path has as many. */
const maxLevels = 10_000;

type Looking = Pick<PortParts<never, never, never>, "links"> & { sql: ReadSql };

async function stagedKeys(
  { sql, links }: Looking,
  entry: StoredEntry,
  locales: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (!entry.translated) return new Map();
  const copies = await links.stagedCopies(
    sql,
    locales.map((locale) => [entry.uuid, locale]),
  );
  return keysByLocale(copies);
}
