import type { EventKind, WriteContext } from "../core/event.ts";
import { appendWrite } from "../core/sql/event.ts";
import type { Writing } from "../core/sql/noun.ts";
import { insertOf, namesOf } from "../core/sql/rows.ts";
import type { ReadSql, Row, Value } from "../core/sql/sql.ts";
import type { Entry } from "../entry/entry.ts";
import { keptChange } from "../entry/listing-rows.ts";
import { laidOver } from "../entry/next.ts";
import { entryColumns, type StoredEntry, toEntry } from "../entry/rows.ts";
import {
  formatAuthors,
  formatRemoved,
  formatStagedFields,
  parseAuthors,
  parseCopySources,
  parseRemoved,
  parseStagedFields,
  type StagedEntry,
  type UnsavedCopy,
  type WorkingCopy,
} from "./staged.ts";
import { formatBase, outdatedKeys, parseBase } from "./staged-base.ts";
import { workingCopyRule } from "./staged-row-rules.ts";

/** Conversions between a working copy and its row, and how it is written. */

export const copyNames = namesOf(workingCopyRule);
export const copyColumns = copyNames.join(", ");

/** SQL that is true for a copy, as `staged`, that is a staged one of its entry, and for one of the source. */
const isOfEntry = "staged.published_revision = 0 AND staged.uuid = entry.uuid";
const isStagedOfEntry = `${isOfEntry} AND staged.locale = ''`;
/**
 * The staged copies joined with their entries, with a condition to go on from. What is in the trash waits there. Copies are
 * few, entries many: CROSS tells SQLite, which has no statistics, to begin with the copies.
 */
export const fromStaged = `working_copy AS staged CROSS JOIN entry
  WHERE ${isOfEntry} AND (entry.staged_revision IS NOT NULL OR entry.translated = 1)`;
/** To join the staged copy of each entry. */
export const joinStaged = `working_copy AS staged ON ${isStagedOfEntry}`;
/** SQL that is true for the staged copy of the entry with the uuid ?1 in the locale ?2. */
export const isStagedOf = "published_revision = 0 AND uuid = ?1 AND locale = ?2";
export const stagedCopyText = `SELECT ${copyColumns} FROM working_copy WHERE ${isStagedOf}`;

type CopyRow = readonly [
  publishedRevision: number,
  uuid: string,
  locale: string,
  slug: string,
  revision: number,
  removed: string,
  fields: string,
  stagedAt: number,
  stagedBy: string,
  publishAt: number | null,
  scheduledBy: string | null,
  authors: string,
  base: string,
  release: string | null,
  data: string,
];

export function toCopy(row: Row): WorkingCopy {
  const own = row as CopyRow;
  return {
    uuid: own[1],
    locale: own[2],
    revision: own[4],
    removed: parseRemoved(own[5]),
    fields: parseStagedFields(own[6]),
    sources: parseCopySources(own[6]),
    stagedAtSeconds: own[7],
    stagedBy: own[8],
    publishAtSeconds: own[9],
    scheduledBy: own[10],
    authors: parseAuthors(own[11]),
    base: parseBase(own[12]),
    release: own[13],
    data: own[14],
  };
}

/** By the uuid of an entry the row of its staged copy, for those of these entries that have one. */
export async function copyRowsOf(sql: ReadSql, entries: readonly StoredEntry[]): Promise<ReadonlyMap<string, Row>> {
  const uuids = entries.filter(({ stagedRevision }) => stagedRevision !== null).map(({ uuid }) => uuid);
  if (uuids.length === 0) return new Map();
  const found = await sql.rowsAll(
    stagedCopyText,
    uuids.map((uuid) => [uuid, ""]),
    ["text", "text"],
  );
  return new Map(uuids.flatMap((uuid, i) => (found[i]?.[0] ? [[uuid, found[i][0]]] : [])));
}

// The second condition is that of the index from copies to entries.
const entryOfCopy = `SELECT ${entryColumns} FROM entry WHERE uuid = ?1 AND (staged_revision IS NOT NULL OR translated = 1)`;

/** The entry of each of these staged copies; undefined for what is in the trash. */
export async function entriesOfCopies(
  sql: ReadSql,
  copies: readonly WorkingCopy[],
): Promise<(StoredEntry | undefined)[]> {
  if (copies.length === 0) return [];
  const found = await sql.rowsAll(
    entryOfCopy,
    copies.map(({ uuid }) => [uuid]),
    ["text"],
  );
  return found.map(([row]) => row && toEntry(row));
}

const insert = insertOf(workingCopyRule);

const valuesOf = (copy: WorkingCopy): Value[] => [
  0,
  copy.uuid,
  copy.locale,
  "",
  copy.revision,
  formatRemoved(copy.removed),
  formatStagedFields(copy.fields, copy.sources),
  copy.stagedAtSeconds,
  copy.stagedBy,
  copy.publishAtSeconds,
  copy.scheduledBy,
  formatAuthors(copy.authors),
  formatBase(copy.base),
  copy.release,
  copy.data,
];

/** Writes the copy, with an event of this kind. */
export async function saveCopy(
  on: Writing,
  kind: EventKind,
  entry: StoredEntry,
  unsaved: UnsavedCopy,
  context: WriteContext,
): Promise<StagedEntry> {
  const { sql } = on;
  const { locale } = entry;
  const revision = await appendWrite(on, kind, entry.slug, null, 1, { ...context, locale }, keptChange(entry, context));
  const copy = { ...unsaved, revision };
  await sql.run(`DELETE FROM working_copy WHERE ${isStagedOf}`, copy.uuid, copy.locale);
  await sql.run(insert.text, ...valuesOf(copy));
  if (locale === undefined) await sql.run("UPDATE entry SET staged_revision = ?1 WHERE id = ?2", revision, entry.id);
  else if (!entry.translated) await sql.run("UPDATE entry SET translated = 1 WHERE id = ?1", entry.id);
  return viewOf({ ...entry, stagedRevision: revision }, copy);
}

/** What a read of the staged view has. */
export const viewOf = async (entry: Entry, copy: WorkingCopy | undefined): Promise<StagedEntry> => ({
  entry: await laidOver(entry, copy),
  copy,
  outdated: await outdatedKeys(entry, copy),
});
