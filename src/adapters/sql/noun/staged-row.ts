import type { Entry } from "../../../domain/entry.ts";
import type { Path } from "../../../domain/path.ts";
import {
  laidOver,
  parseAuthors,
  parseRemoved,
  parseStagedFields,
  releasedEntry,
  type WorkingCopy,
} from "../../../domain/staged.ts";
import { parseBase } from "../../../domain/staged-base.ts";
import type { ItemsById } from "../noun.ts";
import { namesOf } from "../rows.ts";
import { type ReadSql, type Row, withinSql } from "../sql.ts";
import { entryNames, type StoredEntry, toEntry } from "./entry-row.ts";

/** Conversions between a working copy and its row. */

export const copyNames = namesOf("staged");
export const copyColumns = copyNames.join(", ");

type CopyRow = readonly [
  ...[uuid: string, revision: number, data: string, removed: string, fields: string],
  ...[stagedAt: number, stagedBy: string, publishAt: number | null, scheduledBy: string | null],
  ...[authors: string, base: string, release: string | null],
];

export function toCopy(row: Row): WorkingCopy {
  const [uuid, revision, data, removed, fields, stagedAtSeconds, ...rest] = row as CopyRow;
  const [stagedBy, publishAtSeconds, scheduledBy, authors, base, release] = rest;
  return {
    uuid,
    revision,
    data,
    removed: parseRemoved(removed),
    fields: parseStagedFields(fields),
    stagedAtSeconds,
    stagedBy,
    publishAtSeconds,
    scheduledBy,
    authors: parseAuthors(authors),
    base: parseBase(base),
    release,
  };
}

/** The entries with their copies laid over; with a release as if that were published, with no other copies. */
export async function allLaidOver(
  sql: ReadSql,
  entries: readonly StoredEntry[],
  release: string | undefined,
): Promise<StoredEntry[]> {
  const staged = entries.filter(({ stagedRevision }) => stagedRevision !== null);
  if (staged.length === 0) return [...entries];
  const uuids = staged.map(({ uuid }) => [uuid]);
  const rows = await sql.rowsAll(`SELECT ${copyColumns} FROM staged WHERE uuid = ?1`, uuids, ["text"]);
  const copies = new Map(
    rows
      .flat()
      .map(toCopy)
      .map((copy) => [copy.uuid, copy]),
  );
  const laid = (entry: StoredEntry, copy: WorkingCopy | undefined) =>
    release === undefined ? laidOver(entry, copy) : releasedEntry(entry, copy, release);
  return Promise.all(entries.map(async (entry) => ({ ...entry, ...(await laid(entry, copies.get(entry.uuid))) })));
}

const [entryFacts, copyFacts] = [entryNames, copyNames].map((names, i) =>
  names.map((name) => (name === "data" ? "'{}'" : `${["entry", "staged"][i]}.${name}`)).join(", "),
);

/** The entries of a release at and below a path as they would be once it is published, without their data. */
export async function entriesInRelease(sql: ReadSql, release: string, path: Path): Promise<Entry[]> {
  const rows = await sql.rows(
    `SELECT ${entryFacts}, ${copyFacts} FROM staged JOIN entry ON entry.uuid = staged.uuid
     WHERE staged.release = ?2 AND entry.staged_revision IS NOT NULL AND ${withinSql("entry.slug", path)}`,
    path,
    release,
  );
  return Promise.all(rows.map((row) => releasedEntry(toEntry(row), toCopy(row.slice(entryNames.length)), release)));
}

/** Reads entries by number, laid over as `allLaidOver` does. */
export const itemsLaidOver = (sql: ReadSql, itemsById: ItemsById, release: string | undefined): ItemsById =>
  async function* (table, ids) {
    for await (const some of itemsById(table, ids)) {
      yield (await allLaidOver(sql, some as unknown as StoredEntry[], release)) as unknown as typeof some;
    }
  };
