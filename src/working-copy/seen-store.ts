import { type Access, isOpenAt, laysOver, type Sight } from "../core/access/access.ts";
import type { Path } from "../core/path.ts";
import type { ItemsById } from "../core/sql/noun.ts";
import { type ReadSql, type Row, withinSql } from "../core/sql/sql.ts";
import type { Entry } from "../entry/entry.ts";
import { laidOver } from "../entry/next.ts";
import { entryNames, type StoredEntry, toEntry } from "../entry/rows.ts";
import { releasedEntry, type WorkingCopy } from "./staged.ts";
import { copyColumns, copyNames, copyRowsOf, fromStaged, stagedCopyText, toCopy } from "./staged-rows.ts";

/**
 * Which version of entries a reader sees: the live one; that with its working copy laid over; or, with a release, what it
 * will be once that is published, without other copies. Lists, includes, renders and reads take it from here.
 */

/** The entries as the reader sees them, in their order. */
export async function seenEntries(
  sql: ReadSql,
  entries: readonly StoredEntry[],
  access: Sight,
): Promise<readonly StoredEntry[]> {
  // A staged view of a translation has the copy of that alone.
  if (!laysOver(access) || (access.locale?.own && access.reads === "staged")) return entries;
  const { release } = access;
  const staged = entries.filter(({ stagedRevision, slug }) => stagedRevision !== null && isOpenAt(access, slug));
  if (staged.length === 0) return entries;
  const rows = await copyRowsOf(sql, staged);
  const laid = (entry: StoredEntry, copy: WorkingCopy | undefined) =>
    release === undefined ? laidOver(entry, copy) : releasedEntry(entry, copy, access);
  const seen = async (entry: StoredEntry) =>
    isOpenAt(access, entry.slug) ? { ...entry, ...(await laid(entry, copyIn(rows.get(entry.uuid)))) } : entry;
  return Promise.all(entries.map(seen));
}

const copyIn = (row: Row | undefined): WorkingCopy | undefined => row && toCopy(row);

const [entryFacts, copyFacts] = [entryNames, copyNames].map((names, i) =>
  names.map((name) => (name === "data" ? "'{}'" : `${["entry", "staged"][i]}.${name}`)).join(", "),
);

/** The entries of a release at and below a path as they would be once it is published, without their data. */
export async function entriesInRelease(sql: ReadSql, reader: Sight, path: Path): Promise<Entry[]> {
  const rows = await sql.rows(
    `SELECT ${entryFacts}, ${copyFacts} FROM ${fromStaged}
     AND staged.locale = '' AND staged.release = ?2 AND ${withinSql("entry.slug", path)}`,
    path,
    reader.release ?? "",
  );
  return Promise.all(rows.map((row) => releasedEntry(toEntry(row), toCopy(row.slice(entryNames.length)), reader)));
}

/** Reads entries by number as the reader sees them. */
export const seenItems = (sql: ReadSql, itemsById: ItemsById, access: Access): ItemsById =>
  laysOver(access)
    ? async function* (table, ids) {
        for await (const some of itemsById(table, ids))
          yield (await seenEntries(sql, some as unknown as StoredEntry[], access)) as unknown as typeof some;
      }
    : itemsById;

/** The staged copies of uuids in locales, those that there are. */
export async function stagedCopies(sql: ReadSql, keys: readonly string[][]): Promise<WorkingCopy[]> {
  return (await sql.rowsAll(stagedCopyText, keys, ["text", "text"])).flat().map(toCopy);
}

/** The staged copies of the translations of an entry. */
export async function copiesOfTranslations(sql: ReadSql, uuid: string): Promise<WorkingCopy[]> {
  const text = `SELECT ${copyColumns} FROM working_copy WHERE published_revision = 0 AND uuid = ?1 AND locale <> ''`;
  return (await sql.rows(text, uuid)).map(toCopy);
}
