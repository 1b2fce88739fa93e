import { laidOver, parseAuthors, parseRemoved, parseStagedFields, type WorkingCopy } from "../../../domain/staged.ts";
import { parseBase } from "../../../domain/staged-base.ts";
import type { ItemsById } from "../noun.ts";
import { namesOf } from "../rows.ts";
import type { ReadSql, Row } from "../sql.ts";
import type { StoredEntry } from "./entry-row.ts";

/** Conversions between a working copy and its row. */

export const copyNames = namesOf("staged");
export const copyColumns = copyNames.join(", ");

type CopyRow = readonly [
  ...[uuid: string, revision: number, data: string, removed: string, fields: string],
  ...[stagedAt: number, stagedBy: string, publishAt: number | null, scheduledBy: string | null],
  ...[authors: string, base: string],
];

export function toCopy(row: Row): WorkingCopy {
  const [uuid, revision, data, removed, fields, stagedAtSeconds, ...rest] = row as CopyRow;
  const [stagedBy, publishAtSeconds, scheduledBy, authors, base] = rest;
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
  };
}

/** The entries with their copies laid over. */
export async function allLaidOver(sql: ReadSql, entries: readonly StoredEntry[]): Promise<StoredEntry[]> {
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
  return Promise.all(entries.map(async (entry) => ({ ...entry, ...(await laidOver(entry, copies.get(entry.uuid))) })));
}

/** Reads entries by number with their copies laid over. */
export const itemsLaidOver = (sql: ReadSql, itemsById: ItemsById): ItemsById =>
  async function* (table, ids) {
    for await (const some of itemsById(table, ids)) {
      yield (await allLaidOver(sql, some as unknown as StoredEntry[])) as unknown as typeof some;
    }
  };
