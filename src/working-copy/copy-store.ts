import type { Sight } from "../core/access/access.ts";
import type { Slug } from "../core/path.ts";
import { columnsOf, type Sql, withinAny } from "../core/sql/sql.ts";
import { type Entry, existingEntry, inOrderOf } from "../entry/entry.ts";
import { laidOver, titleOf } from "../entry/next.ts";
import { entryNames, findEntries, findEntry, type StoredEntry, toEntry } from "../entry/rows.ts";
import { stateIn } from "../translation/rows.ts";
import { findReplaced } from "../version/version-store.ts";
import { seenEntries } from "./seen-store.ts";
import {
  type ReleaseReader,
  releasedEntry,
  type StagedEntry,
  type StagedQuery,
  type StagedRow,
  type WorkingCopy,
} from "./staged.ts";
import { type OutdatedKey, outdatedKeys, outdatedTexts } from "./staged-base.ts";
import { copyNames, fromStaged, joinStaged, stagedCopyText, toCopy, viewOf } from "./staged-rows.ts";

/** Reads of working copies, beside what is live. */

/** The columns of an entry joined with its copy: first those of the entry. */
export const joinedEntry = columnsOf("entry", entryNames);
export const joinedCopy = columnsOf("staged", copyNames);

export type EntryAndCopy = { entry: StoredEntry; copy: WorkingCopy | undefined };

/** The entry and its copy, in one statement: of two the second could find another state. In a locale its translation. */
async function findBoth(sql: Sql, slug: Slug, locale = "", nowSeconds = 0): Promise<EntryAndCopy | undefined> {
  if (locale !== "") {
    const entry = await findEntry(sql, slug);
    return entry && withCopy(sql, await stateIn(sql, entry, locale, nowSeconds));
  }
  const row = await sql.row(
    `SELECT ${joinedEntry}, ${joinedCopy}
     FROM entry LEFT JOIN ${joinStaged} WHERE entry.slug = ?1`,
    slug,
  );
  if (!row) return undefined;
  const entry = toEntry(row);
  return { entry, copy: entry.stagedRevision === null ? undefined : toCopy(row.slice(entryNames.length)) };
}

export async function findStaged(
  sql: Sql,
  slug: Slug,
  reader: ReleaseReader | undefined,
  locale: string | undefined,
): Promise<StagedEntry | undefined> {
  const found = await findBoth(sql, slug, locale);
  if (!found || reader?.release === undefined) return found && viewOf(found.entry, found.copy);
  return { entry: await releasedEntry(found.entry, found.copy, reader), copy: undefined, outdated: [] };
}

export async function findOutdated(sql: Sql, slug: Slug, locale?: string): Promise<OutdatedKey[]> {
  const found = await findBoth(sql, slug, locale);
  const entry = existingEntry(found?.entry, slug, undefined);
  if (!found?.copy) return [];
  const thing = { noun: "entry", thing: entry.uuid, locale } as const;
  return outdatedTexts(entry, found.copy, (revision) => findReplaced(sql, thing, revision));
}

export async function findAllLaidOver(sql: Sql, slugs: readonly Slug[], reader: Sight): Promise<(Entry | undefined)[]> {
  return inOrderOf(slugs, await seenEntries(sql, await findEntries(sql, slugs), reader));
}

/** With a release those that are in it. */
export async function listStaged(
  sql: Sql,
  { paths, after, limit, locale }: StagedQuery,
  release?: string,
): Promise<StagedRow[]> {
  const within = withinAny("entry.slug", paths, 6);
  const rows = await sql.rows(
    `SELECT entry.slug, staged.locale FROM ${fromStaged} AND (entry.slug, staged.locale) > (?1, ?2) AND ${within.sql}
       AND coalesce(?4, staged.locale) = staged.locale AND (CAST(?5 AS TEXT) IS NULL OR staged.release = ?5)
     ORDER BY entry.slug, staged.locale LIMIT ?3`,
    after?.slug ?? "",
    after?.locale ?? "",
    limit,
    locale ?? null,
    release ?? null,
    ...within.values,
  );
  const listed: StagedRow[] = [];
  // One at a time: the data of an entry may be large.
  for (const [slug, of] of rows as [Slug, string][]) {
    const { entry, copy } = (await findBoth(sql, slug, of)) ?? {};
    if (!entry || !copy) continue;
    const title = await titleOf(await laidOver(entry, copy));
    listed.push({ slug, title, copy, outdated: await outdatedKeys(entry, copy) });
  }
  return listed;
}

/** What an entry says, in one locale, and its copy there. */
export async function withCopy(sql: Pick<Sql, "row">, state: StoredEntry): Promise<EntryAndCopy> {
  const isKnown = state.locale === undefined ? state.stagedRevision !== null : state.translated;
  const row = isKnown ? await sql.row(stagedCopyText, state.uuid, state.locale ?? "") : undefined;
  const copy = row && toCopy(row);
  return { entry: { ...state, stagedRevision: copy?.revision ?? null }, copy };
}
