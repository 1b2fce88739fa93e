import { FaultList } from "../fault-list.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Inspection } from "./media-type.ts";

/**
 * Bytes, immutable and named by their SHA-256 (hex), stored once however many files have them. The ledger has a row for
 * each blob that should exist, the blob store has the bytes; decision 4 defines the order in which both are changed.
 */

/** True for the hash of a blob. Files and objects are named by it, so any other text must be refused. */
export const isBlobHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Bytes received completely and durably, not stored under their hash yet. */
export type StagedBlob = {
  readonly hash: string;
  readonly size: number;
  /** Reads the staged bytes. */
  open(): AsyncIterable<Uint8Array>;
  /** Detects the format of the bytes. Never throws for bytes of any content. */
  inspect(): Promise<Inspection>;
  /** Deletes the staged bytes; may be called more than once, and never throws. */
  discard(): Promise<void>;
};

/** A part of a blob: first and last byte, both inclusive. */
export type ByteRange = { start: number; end: number };

/**
 * Stored bytes: one array for small blobs, chunks for large ones. A chunk is valid until the next is requested: its
 * memory may be reused. Leaving the loop early closes the source.
 */
export type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** The bytes of a blob do not match its hash; they are not returned. */
export class ChangedBlob extends Error {
  constructor(hash: string) {
    super(`The bytes of the blob ${hash} do not match its hash; octavo verify --repair looks for a good copy`);
  }
}

/** Where bytes are stored. Throws `busy` when the disk or server behind it is not available. */
export interface BlobStore {
  /**
   * Receives bytes with constant memory. Does not use a chunk any more once it asks for the next. Throws file_too_large
   * above `maxBytes`. Leaves no bytes when it throws.
   */
  stage(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedBlob>;
  /**
   * Makes staged bytes durable under their hash and replaces damaged ones. Racing puts of the same bytes all succeed.
   */
  put(staged: StagedBlob): Promise<void>;
  /**
   * Throws a plain error when the blob is missing, since rows promise that it exists, and ChangedBlob when it is known
   * to be damaged: small blobs are verified on each read, large ones may be served until a check has found the damage.
   */
  open(hash: string, size: number, range?: ByteRange): MaybePromise<Bytes>;
  /** Reads and verifies every byte. */
  check(hash: string, size: number): Promise<"whole" | "missing" | "changed">;
  /** The hashes of all stored blobs, in no order. */
  list(): AsyncIterable<string>;
}

/**
 * A blob as a local file, for programs that read files only. It stays until it is released. `drop` exists when the file
 * is a cached copy: it removes a damaged copy from the cache, so that the next hold fetches a new one.
 */
export type HeldBlob = { readonly file: string; release(): Promise<void>; drop?(): Promise<void> };

/** Provides blobs as local files. */
export interface HeldBlobs {
  /** Throws a plain error when the blob is missing, `busy` when it cannot be fetched. Does not verify the bytes. */
  hold(hash: string): Promise<HeldBlob>;
}

/** The ledger's row of a blob. `path` is a file that has these bytes; undefined when none does. */
export type BlobRow = { hash: string; size: number; path: string | undefined };

/**
 * The result of keeping bytes: whether they were new, and the generation of the hash's row. When a row is swept and
 * created again by another upload, the new row does not protect the bytes of the first upload.
 */
export type KeptBlob = { isNew: boolean; generation: number };

/** Which blobs should exist. */
export interface BlobLedger {
  /** Records that these bytes are about to be put: from now on they have the whole grace period before a sweep. */
  keep(hash: string, size: number, nowSeconds: number): Promise<KeptBlob>;
  /**
   * Removes bytes that a failed upload kept as new at `keptSeconds`, unless a file has them or another upload has kept
   * them since: a removal interrupted between bytes and row would leave that upload a row without bytes. Such bytes
   * soon belong to a file, or the sweep removes them.
   */
  drop(hash: string, keptSeconds: number): Promise<void>;
  find(hash: string): Promise<BlobRow | undefined>;
  /** Rows after the hash `after`, in hash order. */
  list(after: string, limit: number): Promise<BlobRow[]>;
  /** The size of all blobs together, in bytes. */
  size(): Promise<number>;
  /**
   * Removes the bytes, then the rows, of blobs that no file has had since `beforeSeconds`. Checks each again under the
   * store's write lock, so that bytes uploaded meanwhile stay. Returns how many were removed.
   */
  sweep(beforeSeconds: number): Promise<number>;
  /**
   * Restarts the grace period of blobs where it starts more than a day after `nowSeconds`, as set by a clock that was
   * ahead: it would end too late or never. Returns their number.
   */
  restartGrace(nowSeconds: number): Promise<number>;
}

const pageRows = 500;

/** Receives the number of bytes read so far. */
export type OnBytes = (done: number, total: number) => void;

/** A blob that files refer to and whose bytes are missing or changed. `path` is one of the files. */
export type FaultyBlob = { hash: string; size: number; path: string; state: "missing" | "changed" };

/** Reads all blobs that files refer to and yields the faulty ones. Safe while a service is running. */
export async function* faultyBlobs(ledger: BlobLedger, blobs: BlobStore, onBytes?: OnBytes): AsyncIterable<FaultyBlob> {
  const total = await ledger.size();
  let done = 0;
  for (let rows = await ledger.list("", pageRows); rows.length > 0; rows = await nextRows(ledger, rows)) {
    for (const { hash, size, path } of rows) {
      // The bytes of a row without a file may be gone: the sweep removes them first. A row without a valid hash has
      // none.
      if (path === undefined || !isBlobHash(hash)) continue;
      const state = await blobs.check(hash, size);
      done += size;
      onBytes?.(done, Math.max(done, total));
      if (state !== "whole" && (await ledger.find(hash))?.path !== undefined) yield { hash, size, path, state };
    }
  }
}

/** The fault as a sentence. */
export const blobFault = ({ hash, path, state }: FaultyBlob): string =>
  `The blob ${hash} of the file ${path} is ${state}`;

/** Sentences about stored blobs without a row. */
export async function orphanedBlobs(ledger: BlobLedger, blobs: BlobStore): Promise<string[]> {
  const faults = new FaultList();
  for await (const hash of blobs.list()) {
    if (!(await ledger.find(hash)) && (await blobs.check(hash, -1)) !== "missing") {
      faults.add(`The blob ${hash} is orphaned: it has no row`);
    }
  }
  return faults.all();
}

/**
 * Sentences about blobs that are missing, changed or without a row. Reads every byte; safe while a service is running.
 */
export async function verifyBlobs(ledger: BlobLedger, blobs: BlobStore, onBytes?: OnBytes): Promise<string[]> {
  const orphans = await orphanedBlobs(ledger, blobs);
  const faults = new FaultList();
  for await (const faulty of faultyBlobs(ledger, blobs, onBytes)) faults.add(blobFault(faulty));
  return [...orphans, ...faults.all()];
}

const nextRows = (ledger: BlobLedger, rows: readonly BlobRow[]): Promise<BlobRow[]> =>
  ledger.list(rows.at(-1)?.hash ?? "", pageRows);
