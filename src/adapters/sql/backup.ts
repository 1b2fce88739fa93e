import {
  type BackupBlob,
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
import { entryColumns, toEntry } from "./entry.ts";
import { EntryLoader } from "./entry-load.ts";
import { eventColumns } from "./event.ts";
import { ownFileColumns } from "./file-row.ts";
import type { Row, SnapshotSql, Sql, Value } from "./sql.ts";
import type { Engine } from "./store.ts";
import { tokenColumns } from "./token.ts";

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
 * A column that a migration adds is to be added here. What is left out is made anew (the field index, parents), or is
 * this machine's own (how far its followers of the log have come).
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

export const rowStore = ({ sql, snapshot, transaction }: Engine): RowStore => ({
  snapshot: (work) => snapshot((reading) => work(rowSnapshot(reading))),
  isEmpty: () => isEmpty(sql),
  load: (batches, counts) => transaction((writing) => load(writing, batches, counts)),
});

// ------------------------------------------------------------------------------------------------------------- out of it

/** Rows may be large: as many as this are in memory. */
const batchRows = 100;
const batchBlobs = 10_000;
const ofFiles = "FROM blob WHERE EXISTS (SELECT 1 FROM file WHERE file.blob = blob.hash)";

function rowSnapshot(sql: SnapshotSql): RowSnapshot {
  return {
    count: (noun) => count(sql, noun),
    async *rows(noun) {
      const { select, columns } = tables[noun];
      for await (const batch of sql.batches(select, [], batchRows)) yield batch.map((row) => toBackupRow(columns, row));
    },
    async blobTotals() {
      const row = await sql.row(`SELECT count(*), coalesce(sum(size), 0) ${ofFiles}`);
      return { count: row?.[0] as number, bytes: row?.[1] as number };
    },
    async *blobs() {
      for await (const batch of sql.batches(`SELECT hash, size ${ofFiles} ORDER BY hash`, [], batchBlobs)) {
        yield batch.map(([hash, size]) => ({ hash, size }) as BackupBlob);
      }
    },
  };
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

async function load(
  sql: Sql,
  batches: AsyncIterable<RowBatch>,
  counts: Readonly<Record<RowNoun, number>>,
): Promise<void> {
  if (!(await isEmpty(sql))) throw new BackupError(notEmpty);
  // What every new store has is in the backup as well: the root, the key that signs, which keys are indexed.
  await sql.run("DELETE FROM folder");
  await sql.run("DELETE FROM store_state");
  const entries = new EntryLoader(sql);
  for await (const { noun, rows } of batches) {
    const values = rows.map((row) => valuesOf(noun, row));
    if (noun === "entry") await entries.add(values.map((row) => toEntry([0, ...row])));
    else await sql.runAll(tables[noun].insert, values);
  }
  for (const noun of rowNouns) await compare(sql, noun, counts[noun]);
}

function valuesOf(noun: RowNoun, row: BackupRow): Value[] {
  const values = tables[noun].columns.map((column) => row[column] ?? null);
  if (noun !== "folder") return values;
  return [...values, row.path === rootPath ? null : parentOf(row.path as Path)];
}

async function compare(sql: Sql, noun: RowNoun, expected: number): Promise<void> {
  const found = await count(sql, noun);
  if (found !== expected) throw new BackupError(`${found} rows of ${noun} are in the store instead of ${expected}`);
}
