import { randomInt } from "node:crypto";
import { type BlobLedger, type BlobRow, isBlobHash, type KeptBlob } from "../bytes/blob.ts";
import { blobRule } from "../bytes/blob-row.ts";
import { noun, type Scanning, type Writing } from "./noun.ts";
import { type Refusal, rowTable } from "./rows.ts";
import { firstColumn, numberOf, type Row, type Sql } from "./sql.ts";

/** The ledger of blobs: which bytes must exist. Decision 4. */
export const blobNoun = noun({
  writes: { keepBlob, restartGrace, sweepBlob },
  scans: { listAhead, listSweepable },
  // A restore creates its rows from the bytes.
  rows: [rowTable(blobRule, "hash", { isFilled: "FALSE", isInBackup: false })],
  port: ({ sql, writes, scans }): BlobLedger => ({
    keep: writes.keepBlob,
    drop: async (hash, keptSeconds) => void (await writes.sweepBlob(hash, keptSeconds + 1)),
    find: (hash) => findBlob(sql, hash),
    list: (after, limit) => listBlobs(sql, after, limit),
    size: () => sizeOfBlobs(sql),
    restartGrace: async (nowSeconds) => {
      const hashes = await scans.listAhead(nowSeconds);
      for (const hash of hashes) await writes.restartGrace(hash, nowSeconds);
      return hashes.length;
    },
    sweep: async (beforeSeconds) => {
      const hashes = await scans.listSweepable(beforeSeconds);
      let swept = 0;
      // One by one: each is a short transaction, and other writes run in between.
      for (const hash of hashes) if (await writes.sweepBlob(hash, beforeSeconds)) swept++;
      return swept;
    },
  }),
});

/** Every keep advances the clock of an existing row, so that a drop sees that another caller kept the bytes, too. */
async function keepBlob({ sql }: Writing, hash: string, size: number, nowSeconds: number): Promise<KeptBlob> {
  const known = await sql.row("SELECT generation, unreferenced_since FROM blob WHERE hash = ?1", hash);
  if (!known) {
    const generation = randomInt(2 ** 47);
    await sql.run(
      "INSERT INTO blob (hash, size, unreferenced_since, generation) VALUES (?1, ?2, ?3, ?4)",
      hash,
      size,
      nowSeconds,
      generation,
    );
    return { isNew: true, generation };
  }
  const [generation, since] = known as [number, number];
  await sql.run("UPDATE blob SET unreferenced_since = ?2 WHERE hash = ?1", hash, Math.max(nowSeconds, since + 1));
  return { isNew: false, generation };
}

export async function isBlobKept(sql: Sql, hash: string, generation: number): Promise<boolean> {
  return (await sql.row("SELECT 1 FROM blob WHERE hash = ?1 AND generation = ?2", hash, generation)) !== undefined;
}

/** Why the database refuses a row that refers to bytes. */
export const bytesAreMissing: Refusal = [
  "its bytes are missing",
  "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM blob WHERE hash = ?1)",
  "blob",
];

/** Starts the grace period of blobs that something has just let go of. Never sets it back. */
export async function unreferenceBlobs(sql: Sql, hashes: readonly string[], nowSeconds: number): Promise<void> {
  const sets = [...new Set(hashes)].map((hash) => [hash, nowSeconds]);
  await sql.runAll("UPDATE blob SET unreferenced_since = ?2 WHERE hash = ?1 AND unreferenced_since < ?2", sets);
}

/** The columns that refer to blobs. Bytes stay as long as one of them has their hash. */
const references = ["file.blob", "version.blob"];
/** SQL that is true for a blob that something refers to. */
export const isReferencedSql = `(${references
  .map((column) => `EXISTS (SELECT 1 FROM ${column.split(".")[0]} WHERE ${column} = blob.hash)`)
  .join(" OR ")})`;

const pathIn = (folder: string, name: string) =>
  `CASE WHEN ${folder} = '' THEN ${name} ELSE ${folder} || '/' || ${name} END`;
/** A file with the bytes, in a few words. */
const fileOf = `coalesce(
  (SELECT ${pathIn("folder.path", "file.name")} FROM file JOIN folder ON folder.id = file.folder
   WHERE file.blob = blob.hash LIMIT 1),
  (SELECT ${pathIn("folder", "name")} || ' (in the trash)' FROM version
   JOIN trash_file ON trash_file.item = version.next_revision AND trash_file.uuid = version.thing
   WHERE version.blob = blob.hash AND version.is_deleted = 1 LIMIT 1),
  (SELECT '(earlier bytes, in the history)' FROM version WHERE version.blob = blob.hash LIMIT 1))`;

function toBlobRow(row: Row): BlobRow {
  const [hash, size, path] = row as readonly [hash: string, size: number, path: string | null];
  return { hash, size, path: path ?? undefined };
}

export async function findBlob(sql: Sql, hash: string): Promise<BlobRow | undefined> {
  const row = await sql.row(`SELECT hash, size, ${fileOf} FROM blob WHERE hash = ?1`, hash);
  return row && toBlobRow(row);
}

export async function listBlobs(sql: Sql, after: string, limit: number): Promise<BlobRow[]> {
  const text = `SELECT hash, size, ${fileOf} FROM blob WHERE hash > ?1 ORDER BY hash LIMIT ?2`;
  return (await sql.rows(text, after, limit)).map(toBlobRow);
}

export async function sizeOfBlobs(sql: Sql): Promise<number> {
  return numberOf(sql, "SELECT coalesce(sum(size), 0) FROM blob");
}

const isSweepable = `unreferenced_since < ?1 AND NOT ${isReferencedSql}`;

/** Blobs that may be swept, as far as is known without the write lock. */
async function listSweepable({ sql }: Scanning, beforeSeconds: number): Promise<string[]> {
  const rows = await sql.rows(`SELECT hash FROM blob WHERE ${isSweepable}`, beforeSeconds);
  return firstColumn(rows);
}

const daySeconds = 24 * 3600;
/** By more than a day: a keep advances the clock of a row by a second, so that a drop sees it. */
const isAhead = "unreferenced_since > ?1";

/** Blobs whose grace period was started by a clock that was ahead: without a correction it would never end. */
async function listAhead({ sql }: Scanning, nowSeconds: number): Promise<string[]> {
  const rows = await sql.rows(`SELECT hash FROM blob WHERE ${isAhead}`, nowSeconds + daySeconds);
  return firstColumn(rows);
}

/** Restarts the grace period of such a blob now. */
async function restartGrace({ sql }: Writing, hash: string, nowSeconds: number): Promise<void> {
  await sql.run(
    `UPDATE blob SET unreferenced_since = ?2 WHERE hash = ?3 AND ${isAhead}`,
    nowSeconds + daySeconds,
    nowSeconds,
    hash,
  );
}

/**
 * Checks again, under the write lock, and removes the bytes, then the row. In this order: a crash in between leaves a
 * row without bytes that no file refers to, which the next sweep or the next upload of the same bytes repairs.
 */
async function sweepBlob({ sql, removeBytes }: Writing, hash: string, beforeSeconds: number): Promise<boolean> {
  // The hash becomes a file or object name: any other text could lead out of the folder.
  if (!isBlobHash(hash)) return false;
  const row = await sql.row(`SELECT 1 FROM blob WHERE ${isSweepable} AND hash = ?2`, beforeSeconds, hash);
  if (!row) return false;
  await removeBytes(hash);
  await sql.run("DELETE FROM blob WHERE hash = ?1", hash);
  return true;
}
