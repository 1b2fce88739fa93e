import type { EventKind, WriteContext } from "../core/event.ts";
import type { Path } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import type { ItemsById, Writing } from "../core/sql/noun.ts";
import { insertOf, namesOf } from "../core/sql/rows.ts";
import { type ReadSql, type Row, type Value, withinSql } from "../core/sql/sql.ts";
import type { Entry } from "../entry/entry.ts";
import { keptChange } from "../entry/listing-rows.ts";
import { entryNames, type StoredEntry, toEntry } from "../entry/rows.ts";
import {
  formatAuthors,
  formatRemoved,
  formatStagedFields,
  laidOver,
  parseAuthors,
  parseRemoved,
  parseStagedFields,
  releasedEntry,
  type StagedEntry,
  type UnsavedCopy,
  type WorkingCopy,
} from "./staged.ts";
import { formatBase, outdatedKeys, parseBase } from "./staged-base.ts";
import { stagedRule } from "./staged-row-rules.ts";

/** Conversions between a working copy and its row, and how it is written. */

export const copyNames = namesOf(stagedRule);
export const copyColumns = copyNames.join(", ");

type CopyRow = readonly [
  uuid: string,
  revision: number,
  data: string,
  removed: string,
  fields: string,
  stagedAt: number,
  stagedBy: string,
  publishAt: number | null,
  scheduledBy: string | null,
  authors: string,
  base: string,
  release: string | null,
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

const insert = insertOf(stagedRule);

const valuesOf = (copy: WorkingCopy): Value[] => [
  copy.uuid,
  copy.revision,
  copy.data,
  formatRemoved(copy.removed),
  formatStagedFields(copy.fields),
  copy.stagedAtSeconds,
  copy.stagedBy,
  copy.publishAtSeconds,
  copy.scheduledBy,
  formatAuthors(copy.authors),
  formatBase(copy.base),
  copy.release,
];

/** Inserts the rows of copies alone, without waiting for them. */
export const insertCopies = (sql: Writing["sql"], copies: readonly WorkingCopy[]): void =>
  sql.later(insert, copies.map(valuesOf));

/** Writes the copy, with an event of this kind. */
export async function saveCopy(
  on: Writing,
  kind: EventKind,
  entry: StoredEntry,
  unsaved: UnsavedCopy,
  context: WriteContext,
): Promise<StagedEntry> {
  const { sql } = on;
  const revision = await appendWrite(on, kind, entry.slug, null, 1, context, keptChange(entry, context));
  const copy = { ...unsaved, revision };
  await sql.run("DELETE FROM staged WHERE uuid = ?1", copy.uuid);
  await sql.run(insert.text, ...valuesOf(copy));
  await sql.run("UPDATE entry SET staged_revision = ?1 WHERE id = ?2", revision, entry.id);
  return viewOf({ ...entry, stagedRevision: revision }, copy);
}

/** What a read of the staged view has. */
export const viewOf = async (entry: Entry, copy: WorkingCopy | undefined): Promise<StagedEntry> => ({
  entry: await laidOver(entry, copy),
  copy,
  outdated: await outdatedKeys(entry, copy),
});
