import { FaultList } from "./fault-list.ts";
import type { Inspection } from "./media-type.ts";

/**
 * Bytes, immutable and named by their SHA-256 (hex), stored once however many files have them. What there should be is
 * a row of the ledger, what there is lies in the blob store; decision 4 says in which order each is touched.
 */

/** True for the name of a blob. Files and objects are named by it, so no other text may take its place. */
export const isBlobHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Bytes taken in whole and durable, under no name yet. */
export type StagedBlob = {
  readonly hash: string;
  readonly size: number;
  /** Reads what the bytes say they are. Never throws for strange bytes. */
  inspect(): Promise<Inspection>;
  /** Removes what is still there of it; may be called more than once, and never throws. */
  discard(): Promise<void>;
};

/** A part of a blob: first and last byte, both included. */
export type ByteRange = { start: number; end: number };

/**
 * Stored bytes: at once when they are few, else piece by piece. A piece holds until the next one is asked for: its
 * memory may be used again. Leaving the loop early closes what is open.
 */
export type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** The bytes of a blob do not match its hash; they are not handed out. */
export class ChangedBlob extends Error {
  constructor(hash: string) {
    super(`The blob ${hash} holds other bytes than its name says; octavo verify --repair looks for a good copy`);
  }
}

/** Where bytes live. Throws `busy` when the disk or server behind it cannot. */
export interface BlobStore {
  /** Takes bytes in with constant memory. Throws file_too_large past `maxBytes`. When it throws nothing is left of them. */
  stage(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedBlob>;
  /** Makes staged bytes durable under their hash and replaces damaged ones. Racing puts of the same bytes all succeed. */
  put(staged: StagedBlob): Promise<void>;
  /**
   * Throws a plain error when the blob is missing, since rows promise that it is there, and ChangedBlob when it is known
   * to be damaged: small blobs are checked on each read, large ones may be served until a check has found the damage.
   */
  open(hash: string, size: number, range?: ByteRange): Promise<Bytes>;
  /** Looks at every byte. */
  check(hash: string, size: number): Promise<"whole" | "missing" | "changed">;
  /** The hashes of all there are, in no order. */
  list(): AsyncIterable<string>;
}

/**
 * A blob as a file of this machine, for programs that read files only. It stays until it is released. `drop` exists when
 * the file is a cached copy: it removes a damaged copy from the cache, so that the next hold fetches a new one.
 */
export type HeldBlob = { readonly file: string; release(): Promise<void>; drop?(): Promise<void> };

/** Where blobs can be had as files. */
export interface HeldBlobs {
  /** Throws a plain error when the blob is missing, `busy` when it cannot be fetched. Does not check the bytes. */
  hold(hash: string): Promise<HeldBlob>;
}

/** What the ledger knows of a blob. `path` is a file that has these bytes; undefined when none does. */
export type BlobRow = { hash: string; size: number; path: string | undefined };

/**
 * What keeping bytes gave: whether they were unknown, and which of the rows that the hash has had this is. A row that was
 * swept and made again by another upload promises nothing to the first.
 */
export type KeptBlob = { isNew: boolean; generation: number };

/** Which bytes there should be. */
export interface BlobLedger {
  /** Notes that these bytes are about to be put: from now on they have the whole grace before a sweep. */
  keep(hash: string, size: number, nowSeconds: number): Promise<KeptBlob>;
  /**
   * Removes bytes that an upload which came to nothing kept as new at `keptSeconds`, unless a file has them or somebody
   * else has kept them since: a removal that breaks off between bytes and row would leave that upload a promise that
   * nothing holds. Those bytes are a file's soon, or the sweep's.
   */
  drop(hash: string, keptSeconds: number): Promise<void>;
  find(hash: string): Promise<BlobRow | undefined>;
  /** Rows behind the hash `after`, in hash order. */
  list(after: string, limit: number): Promise<BlobRow[]>;
  /** Bytes of all blobs together. */
  size(): Promise<number>;
  /**
   * Removes the bytes, then the rows, of blobs that no file has had since `beforeSeconds`. Each is looked at once more
   * under the store's write lock, so that bytes uploaded again meanwhile stay. Answers how many went.
   */
  sweep(beforeSeconds: number): Promise<number>;
  /**
   * Lets the grace begin now where a clock that was ahead began it, more than a day after `nowSeconds`: it would end too
   * late or never. Answers for how many.
   */
  restartGrace(nowSeconds: number): Promise<number>;
}

const pageRows = 500;

/** Hears how many bytes of all are read. */
export type OnBytes = (done: number, total: number) => void;

/** A blob that files refer to and whose bytes are missing or changed. `path` is one of the files. */
export type FaultyBlob = { hash: string; size: number; path: string; state: "missing" | "changed" };

/** Reads all blobs that files refer to and yields the faulty ones. Safe beside a running service. */
export async function* faultyBlobs(ledger: BlobLedger, blobs: BlobStore, onBytes?: OnBytes): AsyncIterable<FaultyBlob> {
  const total = await ledger.size();
  let done = 0;
  for (let rows = await ledger.list("", pageRows); rows.length > 0; rows = await nextRows(ledger, rows)) {
    for (const { hash, size, path } of rows) {
      // A row without a file may have lost its bytes already: the sweep removes them first. One without a hash names none.
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

/** Sentences about blobs that belong to no row. */
export async function orphanedBlobs(ledger: BlobLedger, blobs: BlobStore): Promise<string[]> {
  const faults = new FaultList();
  for await (const hash of blobs.list()) {
    if (!(await ledger.find(hash)) && (await blobs.check(hash, -1)) !== "missing") {
      faults.add(`The blob ${hash} is orphaned: no row knows it`);
    }
  }
  return faults.all();
}

/** Sentences about blobs that are missing, changed or belong to no row. Reads every byte; safe beside a running service. */
export async function verifyBlobs(ledger: BlobLedger, blobs: BlobStore, onBytes?: OnBytes): Promise<string[]> {
  const orphans = await orphanedBlobs(ledger, blobs);
  const faults = new FaultList();
  for await (const faulty of faultyBlobs(ledger, blobs, onBytes)) faults.add(blobFault(faulty));
  return [...orphans, ...faults.all()];
}

const nextRows = (ledger: BlobLedger, rows: readonly BlobRow[]): Promise<BlobRow[]> =>
  ledger.list(rows.at(-1)?.hash ?? "", pageRows);
