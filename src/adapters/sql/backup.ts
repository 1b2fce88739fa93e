import {
  type BackupBlob,
  type BackupEnd,
  BackupError,
  type BackupRow,
  type RowBatch,
  type RowNoun,
  type RowSnapshot,
  type RowStore,
  rowNouns,
} from "../../domain/backup.ts";
import { type Path, parentOf, rootPath } from "../../domain/path.ts";
import { notEmpty } from "../../domain/restore.ts";
import { rowName, type StoredNoun } from "../../domain/row.ts";
import { entryColumns, toEntry } from "./noun/entry.ts";
import { EntryLoader } from "./noun/entry-load.ts";
import { eventColumns } from "./noun/event.ts";
import { ownFileColumns } from "./noun/file-row.ts";
import { tokenColumns } from "./noun/token.ts";
import { relationFaults } from "./relation.ts";
import type { Row, SnapshotSql, Sql, Value } from "./sql.ts";

/** All rows of the store, out of it and into it: what they refer to by path, never by number. Decision 17. */

type Table = { name: string; columns: readonly string[]; select: string; insert: string };

function table(name: string, columnText: string, key: string): Table {
  const columns = columnText.split(", ");
  return {
    name,
    columns,
    select: `SELECT ${columnText} FROM ${name} ORDER BY ${key}`,
    insert: `INSERT INTO ${name} (${columnText}) VALUES (${columns.map((_, i) => `?${i + 1}`).join()})`,
  };
}

const folderTable = table("folder", "path, created_at, modified_at, revision", "path");
const fileTable = table("file", ownFileColumns, "folder, name");

/**
 * A column that a migration adds is to be added here and in domain/row.ts. What is left out is made anew (the field
 * index, parents), or is this machine's own (how far its followers of the log have come).
 */
const tables: Readonly<Record<RowNoun, Table>> = {
  state: table("store_state", "name, value", "name"),
  // ?5 is the path above; the root comes first and has none.
  folder: {
    ...folderTable,
    insert: `INSERT INTO folder (path, created_at, modified_at, revision, parent)
      VALUES (?1, ?2, ?3, ?4, (SELECT id FROM folder WHERE path = ?5))`,
  },
  file: {
    ...fileTable,
    select: `SELECT folder.path, ${fileTable.columns.slice(1).map((column) => `file.${column}`)}
      FROM file JOIN folder ON folder.id = file.folder ORDER BY folder.path, file.name`,
    insert: fileTable.insert.replace("?1,", "(SELECT id FROM folder WHERE path = ?1),"),
  },
  entry: table("entry", entryColumns.replace("id, ", ""), "slug"),
  registry_item: table("registry_item", "key, value", "key"),
  token: table("token", `hash, ${tokenColumns}`, "id"),
  event: table("event", eventColumns, "sequence"),
};

/** In no backup: a restore makes its rows of the bytes. */
const blobTable = table("blob", "hash, size, unreferenced_since, generation", "hash");

/** What the rows need of an engine. */
type RowEngine = {
  sql: Sql;
  /** Lets the work read one state of the store, on a connection of its own. */
  snapshot<T>(work: (sql: SnapshotSql) => Promise<T>): Promise<T>;
  /** Lets the work write, on a connection of its own: all of it is committed, or, when it throws, nothing. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
};

export const rowStore = ({ sql, snapshot, transaction }: RowEngine): RowStore => ({
  snapshot: (work) => snapshot((reading) => work(rowSnapshot(reading))),
  isEmpty: () => isEmpty(sql),
  load: (batches, end) => transaction((writing) => load(writing, batches, end)),
});

// ------------------------------------------------------------------------------------------------------------- out of it

/** Rows may be large: as many as this are in memory. */
const batchRows = 100;
const batchBlobs = 10_000;
const ofFiles = "FROM blob WHERE EXISTS (SELECT 1 FROM file WHERE file.blob = blob.hash)";

function rowSnapshot(sql: SnapshotSql): RowSnapshot {
  return {
    count: (noun) => count(sql, noun),
    rows: (noun) => rowsOf(sql, noun),
    blobTotals: () => blobTotals(sql),
    async *blobs() {
      for await (const batch of sql.batches(`SELECT hash, size ${ofFiles} ORDER BY hash`, [], batchBlobs)) {
        yield batch.map(([hash, size]) => ({ hash, size }) as BackupBlob);
      }
    },
  };
}

/** The rows of the noun in batches, as a backup holds them. */
export async function* rowsOf(sql: SnapshotSql, noun: StoredNoun): AsyncGenerator<BackupRow[]> {
  const { select, columns } = noun === "blob" ? blobTable : tables[noun];
  for await (const batch of sql.batches(select, [], batchRows)) yield batch.map((row) => toBackupRow(columns, row));
}

async function blobTotals(sql: Sql): Promise<{ count: number; bytes: number }> {
  const row = await sql.row(`SELECT count(*), coalesce(sum(size), 0) ${ofFiles}`);
  return { count: row?.[0] as number, bytes: row?.[1] as number };
}

const toBackupRow = (columns: readonly string[], row: Row): BackupRow =>
  Object.fromEntries(columns.map((column, i) => [column, row[i] as Value]));

async function count(sql: Sql, noun: RowNoun): Promise<number> {
  return (await sql.row(`SELECT count(*) FROM ${tables[noun].name}`))?.[0] as number;
}

// --------------------------------------------------------------------------------------------------------------- into it

async function isEmpty(sql: Sql): Promise<boolean> {
  const filled = ["file", "entry", "registry_item", "token", "event"].map((name) => `EXISTS (SELECT 1 FROM ${name})`);
  const row = await sql.row(`SELECT 1 WHERE ${filled.join(" OR ")} OR EXISTS (SELECT 1 FROM folder WHERE path <> '')`);
  return row === undefined;
}

async function load(sql: Sql, batches: AsyncIterable<RowBatch>, end: BackupEnd): Promise<void> {
  if (!(await isEmpty(sql))) throw new BackupError(notEmpty);
  // What every new store has is in the backup as well: the root, the key that signs, which keys are indexed.
  await sql.run("DELETE FROM folder");
  await sql.run("DELETE FROM store_state");
  let entries = new EntryLoader(sql);
  for await (const { noun, rows } of batches) {
    await sql.run("SAVEPOINT batch");
    try {
      await add(sql, entries, noun, rows);
    } catch (error) {
      await sql.run("ROLLBACK TO SAVEPOINT batch");
      // The numbers that it knows were given in what is undone.
      entries = new EntryLoader(sql);
      await refuseFirst(sql, entries, noun, rows);
      throw error;
    }
    await sql.run("RELEASE SAVEPOINT batch");
  }
  await compare(sql, end);
}

async function add(sql: Sql, entries: EntryLoader, noun: RowNoun, rows: readonly BackupRow[]): Promise<void> {
  const values = rows.map((row) => valuesOf(noun, row));
  if (noun === "entry") await entries.add(values.map((row) => toEntry([0, ...row])));
  else await sql.runAll(tables[noun].insert, values);
}

function valuesOf(noun: RowNoun, row: BackupRow): Value[] {
  const values = tables[noun].columns.map((column) => row[column] ?? null);
  if (noun !== "folder") return values;
  return [...values, row.path === rootPath ? null : parentOf(row.path as Path)];
}

/** Adds rows of which the database refused one, one by one, up to that one. Throws BackupError, which names it. */
async function refuseFirst(sql: Sql, entries: EntryLoader, noun: RowNoun, rows: readonly BackupRow[]): Promise<void> {
  for (const row of rows) {
    for (const [reason, query, ...columns] of refusals[noun]) {
      const found = await sql.row(query, ...columns.map((column) => row[column] ?? null));
      if (found) throw new BackupError(`${rowName(noun, row)} is not accepted: ${reason}`);
    }
    await add(sql, entries, noun, [row]);
  }
}

type Refusal = [reason: string, query: string, ...columns: string[]];

const isTwice = "there is another one before it";

/** Why the database can refuse a row that is good by itself: a query that finds something where that is so. */
const refusals: Readonly<Record<RowNoun, readonly Refusal[]>> = {
  state: [[isTwice, "SELECT 1 FROM store_state WHERE name = ?1", "name"]],
  folder: [[isTwice, "SELECT 1 FROM folder WHERE path = ?1", "path"]],
  file: [
    ["there is no such folder", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM folder WHERE path = ?1)", "folder"],
    ["its bytes are missing", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM blob WHERE hash = ?1)", "blob"],
    [
      isTwice,
      "SELECT 1 FROM file JOIN folder ON folder.id = file.folder WHERE folder.path = ?1 AND file.name = ?2",
      "folder",
      "name",
    ],
  ],
  entry: [[isTwice, "SELECT 1 FROM entry WHERE slug = ?1", "slug"]],
  registry_item: [[isTwice, "SELECT 1 FROM registry_item WHERE key = ?1", "key"]],
  token: [
    [isTwice, "SELECT 1 FROM token WHERE id = ?1", "id"],
    ["another token has its secret", "SELECT 1 FROM token WHERE hash = ?1", "hash"],
  ],
  event: [[isTwice, "SELECT 1 FROM event WHERE sequence = ?1", "sequence"]],
};

/** Throws BackupError for rows that do not belong together, and when the store does not hold what the backup says. */
async function compare(sql: Sql, end: BackupEnd): Promise<void> {
  const [fault, ...others] = await relationFaults(sql);
  if (fault !== undefined) throw new BackupError(fault + (others.length > 0 ? `; ${others.length} more faults` : ""));
  for (const noun of rowNouns) {
    const [found, expected] = [await count(sql, noun), end.counts[noun]];
    if (found !== expected) throw new BackupError(`${found} rows of ${noun} are in the store instead of ${expected}`);
  }
  const { count: blobs, bytes } = await blobTotals(sql);
  if (blobs !== end.blobs.count || bytes !== end.blobs.bytes) {
    const held = `${end.blobs.count} blobs of ${end.blobs.bytes} bytes`;
    throw new BackupError(`its files have ${blobs} blobs of ${bytes} bytes, and it holds ${held}`);
  }
}
