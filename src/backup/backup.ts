import { createHash } from "node:crypto";
import { type BlobStore, type Bytes, ChangedBlob } from "../core/bytes/blob.ts";
import { Problem } from "../core/problem.ts";
import type { RowRules } from "../core/row.ts";
import type { BackupRow } from "../core/row-column.ts";

export type { BackupRow } from "../core/row-column.ts";

/**
 * The room of backups: one file with everything that the service would answer with, in an engine-independent format, so
 * that it can be restored to any engine. Decision 17 defines its contents and their order.
 */

export type BackupBlob = { readonly hash: string; readonly size: number };

/** A consistent snapshot of the store's rows. */
export interface RowSnapshot {
  count(noun: string): Promise<number>;
  /** The rows in batches, in an order that is the same on every engine. */
  rows(noun: string): AsyncIterable<BackupRow[]>;
  /** The number of blobs that files refer to, and their total bytes. */
  blobTotals(): Promise<{ count: number; bytes: number }>;
  /** The blobs that files refer to, each once, by hash, in batches. */
  blobs(): AsyncIterable<BackupBlob[]>;
}

export type RowBatch = { readonly noun: string; readonly rows: readonly BackupRow[] };

/** How the rows of a file become those of a store. */
export type Format = {
  /** The rules of the file's nouns, in its order. */
  readonly rules: RowRules;
  /** The rows of the store that a batch of the file becomes. Asked in the order of the file. */
  convert(batch: RowBatch): readonly RowBatch[];
  /** How many rows of each noun of the store the file becomes. */
  countsOf(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>>;
};

/** All rows of a store as a whole. */
export interface RowStore {
  /** The rules of its nouns, in the order of a backup. */
  readonly rules: RowRules;
  /** How backups of this format are read; undefined for one that is not. */
  formatOf(number: unknown): Format | undefined;
  /** Runs the work on a snapshot of all rows, while other writes continue. */
  snapshot<T>(work: (rows: RowSnapshot) => Promise<T>): Promise<T>;
  /** True when the store holds only what every new store has. Blobs do not count: nothing refers to them. */
  isEmpty(): Promise<boolean>;
  /**
   * Adds the rows of all batches in one transaction: when it or a batch throws, the store is unchanged. The caller has
   * validated each row and put its blobs in the ledger. Throws BackupError when the store is not empty, also because of
   * a racing write, for a row that conflicts with others (a duplicate, one without its folder or its bytes), and when
   * the store does not hold what `end` says.
   */
  load(batches: AsyncIterable<RowBatch>, end: BackupEnd): Promise<void>;
}

/** Where a backup is written. Members keep their order. */
export interface BackupWriter {
  /** Takes exactly `size` bytes, with constant memory. */
  add(name: string, size: number, bytes: Bytes): Promise<void>;
  /** Appends blobs to a list beside the backup, which may be larger than memory. */
  list(blobs: readonly BackupBlob[]): Promise<void>;
  /** The list, in order, once it is complete. */
  listed(): AsyncIterable<BackupBlob>;
  /** Makes all of it durable; until then the backup does not exist under its name. */
  finish(): Promise<void>;
  /** Removes what was written. Never throws; does nothing after `finish`. */
  discard(): Promise<void>;
}

export type Member = { readonly name: string; readonly size: number; readonly bytes: AsyncIterable<Uint8Array> };

/** A finished backup. */
export interface BackupReader {
  /** The size of the whole, in bytes. */
  readonly size: number;
  /**
   * The members from the first; each is read to its end before the next. Throws BackupError where the file is truncated
   * or damaged.
   */
  members(): AsyncIterable<Member>;
}

/** The reason why a backup cannot be created or restored, for a person. */
export class BackupError extends Error {}

/** What the last member says about all members before it. */
export type BackupEnd = {
  readonly counts: Readonly<Record<string, number>>;
  /** Of the bytes of all members below `rows/`, in order. */
  readonly rows_sha256: string;
  /** `sha256` is of their names, each with a line feed, in order. */
  readonly blobs: { readonly count: number; readonly bytes: number; readonly sha256: string };
};

/** Increases when a reader of the current version could not read the new format. */
export const backupFormat = 3;
/** In words. */
export const readableFormats = "1, 2 and 3";

export const memberNames = {
  about: "octavo.json",
  rows: (noun: string, number: number): string => `rows/${noun}-${String(number).padStart(6, "0")}.jsonl`,
  blob: (hash: string): string => `blobs/${hash}`,
  end: "end.json",
};

/** Counts and hashes a backup's contents, both when writing and when reading. */
export class Tally {
  private readonly counts: Map<string, number>;
  private readonly rowBytes = createHash("sha256");
  private readonly blobNames = createHash("sha256");
  private readonly blobs = { count: 0, bytes: 0 };

  constructor(rules: RowRules) {
    this.counts = new Map([...rules.keys()].map((noun) => [noun, 0]));
  }

  /** Adds bytes of rows; each row ends with a line feed. */
  addRows(noun: string, bytes: Uint8Array): void {
    this.rowBytes.update(bytes);
    let count = this.counts.get(noun) ?? 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
    this.counts.set(noun, count);
  }

  addBlob({ hash, size }: BackupBlob): void {
    this.blobNames.update(`${hash}\n`);
    this.blobs.count++;
    this.blobs.bytes += size;
  }

  get rows(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  get blobBytes(): number {
    return this.blobs.bytes;
  }

  /** The totals so far. */
  end(): BackupEnd {
    return {
      counts: Object.fromEntries(this.counts),
      rows_sha256: this.rowBytes.copy().digest("hex"),
      blobs: { ...this.blobs, sha256: this.blobNames.copy().digest("hex") },
    };
  }
}

/** Reports progress: `done` of `total` rows or bytes. */
export type OnProgress = (what: "rows" | "bytes", done: number, total: number) => void;

export type About = { version: string; nowSeconds: number };

/**
 * Writes a snapshot of the store. The rows' snapshot ends before the first blob is copied; the caller ensures that no
 * sweep runs meanwhile. Throws BackupError when bytes are missing or changed; then no backup is left.
 */
export async function writeBackup(
  stores: { rows: RowStore; blobs: BlobStore },
  writer: BackupWriter,
  about: About,
  onProgress: OnProgress,
): Promise<BackupEnd> {
  const tally = new Tally(stores.rows.rules);
  try {
    await addText(writer, memberNames.about, formatAbout(about));
    const { bytes } = await stores.rows.snapshot((snapshot) =>
      writeRows([...stores.rows.rules.keys()], snapshot, writer, tally, onProgress),
    );
    for await (const blob of writer.listed()) {
      await writer.add(memberNames.blob(blob.hash), blob.size, bytesOf(stores.blobs, blob));
      tally.addBlob(blob);
      onProgress("bytes", tally.blobBytes, bytes);
    }
    await addText(writer, memberNames.end, `${JSON.stringify(tally.end(), null, 2)}\n`);
    await writer.finish();
    return tally.end();
  } finally {
    await writer.discard();
  }
}

const formatAbout = ({ version, nowSeconds }: About): string => {
  const made_at = new Date(nowSeconds * 1000).toISOString();
  return `${JSON.stringify({ what: "backup of Octavo", format: backupFormat, made_at, version }, null, 2)}\n`;
};

async function writeRows(
  nouns: readonly string[],
  snapshot: RowSnapshot,
  writer: BackupWriter,
  tally: Tally,
  onProgress: OnProgress,
) {
  let total = 0;
  for (const noun of nouns) total += await snapshot.count(noun);
  for (const noun of nouns) {
    let number = 0;
    for await (const piece of pieces(snapshot.rows(noun))) {
      await writer.add(memberNames.rows(noun, ++number), piece.length, piece);
      tally.addRows(noun, piece);
      onProgress("rows", tally.rows, total);
    }
  }
  for await (const blobs of snapshot.blobs()) await writer.list(blobs);
  return snapshot.blobTotals();
}

/** The approximate size of one member, in characters. */
const pieceLength = 1024 * 1024;

/** The rows as lines of JSON. */
async function* pieces(batches: AsyncIterable<BackupRow[]>): AsyncGenerator<Buffer> {
  let lines: string[] = [];
  let length = 0;
  for await (const batch of batches) {
    for (const row of batch) {
      const line = `${JSON.stringify(row)}\n`;
      lines.push(line);
      length += line.length;
      if (length < pieceLength) continue;
      yield Buffer.from(lines.join(""));
      lines = [];
      length = 0;
    }
  }
  if (length > 0) yield Buffer.from(lines.join(""));
}

/**
 * The blob's bytes, verified while they are read: a backup that cannot be restored must not look like a good one. Throws
 * BackupError at their end where they are others, or missing.
 */
export async function* bytesOf(blobs: BlobStore, { hash, size }: BackupBlob): AsyncGenerator<Uint8Array> {
  const sha256 = createHash("sha256");
  let seen = 0;
  for await (const chunk of await openBlob(blobs, hash, size)) {
    seen += chunk.length;
    if (seen > size) break;
    sha256.update(chunk);
    yield chunk;
  }
  if (seen !== size || sha256.digest("hex") !== hash) throw faultyBlob(hash, "changed");
}

async function openBlob(blobs: BlobStore, hash: string, size: number) {
  try {
    const bytes = await blobs.open(hash, size);
    return bytes instanceof Uint8Array ? [bytes] : bytes;
  } catch (error) {
    // A store that is unreachable does not mean that the blob is missing.
    if (error instanceof Problem) throw error;
    throw faultyBlob(hash, error instanceof ChangedBlob ? "changed" : "missing");
  }
}

const faultyBlob = (hash: string, state: "missing" | "changed"): BackupError =>
  new BackupError(`the bytes of the blob ${hash} are ${state}; octavo verify names the files that have them`);

const addText = (writer: BackupWriter, name: string, text: string): Promise<void> => {
  const bytes = Buffer.from(text);
  return writer.add(name, bytes.length, bytes);
};
