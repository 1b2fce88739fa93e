import type { RowStore } from "./backup/backup.ts";
import type { CandidateSource, OnRepair } from "./backup/repair.ts";
import type { BlobStore, HeldBlobs, OnBytes } from "./core/bytes/blob.ts";
import type { Staging } from "./core/bytes/disk/staging.ts";
import type { ClockFacts } from "./core/clock.ts";
import type { Level } from "./core/lib/log.ts";
import type { Path } from "./core/path.ts";
import type { Ports } from "./core/sql/noun.ts";
import type { StoreFigures } from "./core/sql/store.ts";
import type { RenditionStore } from "./image/rendition.ts";
import type { TransferBytes } from "./transfer/transfer.ts";
import type { UploadsTree } from "./upload/tree-store.ts";
import type { UnknownUploads } from "./upload/unknown-store.ts";

/** The open store: one port for each noun of the database, the bytes, and the store's own parts. */
export type Stores = Ports & {
  blobs: BlobStore;
  renditions: RenditionStore;
  /** The bytes of uploads that are no files yet. */
  transferBytes: TransferBytes;
  /** The key that signs addresses: from the settings, otherwise the store's own. */
  signingKey: string;
  /** Changes with every write that a delivery read must see; undefined while that is not known. Never waits. */
  version(): number | undefined;
  /** The newest event that reads are certain to see, out of caches too. Never waits. */
  sequence(): number;
  /** Waits, at most so long, until all reads see the event with this sequence; answers whether they do. */
  reached(sequence: number, withinMs: number): Promise<boolean>;
  /** The size of the database in bytes. */
  size(): Promise<number>;
  /** What the database did in this process since its start. */
  figures(): StoreFigures;
  /** Does the work unless another process of this store is doing work of this name; returns whether it did. */
  alone(name: string, work: () => Promise<void>): Promise<boolean>;
  /** Sentences about faults of the stored data; empty when there are none. */
  verify(onBytes?: OnBytes): Promise<string[]>;
  /**
   * Like verify, and repairs blobs from good copies in the data folder, then from `more`. Returns the remaining faults.
   */
  repair(nowSeconds: number, onRepair: OnRepair, onBytes?: OnBytes, more?: CandidateSource): Promise<string[]>;
  /** Throws what prevents the store from accepting writes: store_damaged, busy. */
  refuseUnready(): Promise<void>;
  /** Throws busy where the bucket does not answer; most of the service does without it. */
  reachBucket(): Promise<void>;
  /** Sentences about known damage of the database; while there are any, writes are refused. */
  damage(): readonly string[];
  /** Checks the whole database file in the background, for `damage`. Does nothing on PostgreSQL. */
  check(): Promise<void>;
  /** Compares the store's times with a clock that says `nowSeconds`. */
  clock(nowSeconds: number): Promise<ClockFacts>;
  /** When the last such check of this process ended, in Unix seconds; 0 for never, undefined on PostgreSQL. */
  checkedAt(): number | undefined;
  /** All rows, for backups. */
  rows: RowStore;
  /** Rebuilds the uploads tree on the disk; calls `onFolder` for each folder. Absent where bytes are in a bucket. */
  rebuildUploads: ((onFolder: (path: Path) => void) => Promise<void>) | undefined;
  /** Files in the uploads tree that the service did not create. */
  unknownUploads: UnknownUploads;
  /** The uploads tree on the disk; undefined where bytes are in a bucket. */
  tree: UploadsTree | undefined;
  /** The bytes that pictures are drawn from. */
  sources: HeldBlobs;
  staging: Staging;
  close(): Promise<void>;
};

/** Receives an error that no caller gets, or a sentence for the operator, which is a warning unless it says otherwise. */
export type OnError = (what: string, error: unknown, level?: Level) => void;
