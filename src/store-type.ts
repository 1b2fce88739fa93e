import type { RowStore } from "./backup/backup.ts";
import type { CandidateSource, OnRepair } from "./backup/repair.ts";
import type { BlobStore, HeldBlobs, OnBytes } from "./core/bytes/blob.ts";
import type { Staging } from "./core/bytes/disk/staging.ts";
import type { Level } from "./core/lib/log.ts";
import type { Path } from "./core/path.ts";
import type { Ports } from "./core/sql/noun.ts";
import type { StoreParts } from "./core/sql/store.ts";
import type { RenditionStore } from "./image/rendition.ts";
import type { TransferBytes } from "./transfer/transfer.ts";
import type { UploadsTree } from "./upload/tree-store.ts";
import type { UnknownUploads } from "./upload/unknown-store.ts";

/** The open store: one port for each noun of the database, the bytes, and the store's own parts. */
export type Stores = Ports &
  StoreParts & {
    blobs: BlobStore;
    renditions: RenditionStore;
    /** The bytes of uploads that are no files yet. */
    transferBytes: TransferBytes;
    /** The key that signs addresses: from the settings, otherwise the store's own. */
    signingKey: string;
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
