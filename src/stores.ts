import { join, resolve } from "node:path";
import { BlobFolder } from "./adapters/disk/blob-folder.ts";
import { RenditionFolder } from "./adapters/disk/rendition-folder.ts";
import { Staging } from "./adapters/disk/staging.ts";
import { UploadsTree } from "./adapters/disk/uploads-tree.ts";
import type { BucketOptions } from "./adapters/s3/bucket.ts";
import type { BucketStores } from "./adapters/s3/stores.ts";
import type { BlobPlace } from "./adapters/sql/blob-remover.ts";
import { openSqliteStore } from "./adapters/sql/sqlite-store.ts";
import type { SqlStore } from "./adapters/sql/store.ts";
import type { RowStore } from "./domain/backup.ts";
import { type BlobLedger, type BlobStore, type OnBytes, verifyBlobs } from "./domain/blob.ts";
import type { EntryStore } from "./domain/entry.ts";
import type { EventStore } from "./domain/event.ts";
import type { FileStore } from "./domain/file.ts";
import type { FolderStore } from "./domain/folder.ts";
import type { Path } from "./domain/path.ts";
import type { RegistryStore } from "./domain/registry.ts";
import type { RenditionStore } from "./domain/rendition.ts";
import type { SessionStore } from "./domain/session.ts";
import type { TokenStore } from "./domain/token.ts";
import type { Settings } from "./settings.ts";

/** What the settings keep data in: which database, which place of bytes. */

/** The open store: one port for each noun. */
export type Stores = {
  entries: EntryStore;
  folders: FolderStore;
  files: FileStore;
  blobs: BlobStore;
  ledger: BlobLedger;
  renditions: RenditionStore;
  tokens: TokenStore;
  sessions: SessionStore;
  registry: RegistryStore;
  events: EventStore;
  /** What signs addresses: the key of the settings, else the store's own. */
  signingKey: string;
  /** Bytes of the database. */
  size(): Promise<number>;
  /** Does the work unless another process of this store is at work of this name; answers whether it did. */
  alone(name: string, work: () => Promise<void>): Promise<boolean>;
  /** Sentences about what is wrong with the stored data; empty when all is well. */
  verify(onBytes?: OnBytes): Promise<string[]>;
  /** All of them as a whole, for backups. */
  rows: RowStore;
  /** Makes the uploads tree on the disk what the store says; hears of each folder. Absent where bytes are in a bucket. */
  rebuildUploads: ((onFolder: (path: Path) => void) => Promise<void>) | undefined;
  close(): Promise<void>;
};

/**
 * Opens the store, makes or migrates it when that is due. The field index stays as it is: only `build` brings it to
 * the setting, so that a command beside a running server cannot rebuild it under the server's feet.
 */
export async function openStores(settings: Settings): Promise<Stores> {
  return toStores(await open(settings, undefined));
}

export type OnError = (what: string, error: unknown) => void;

/** Backups in files. Loaded where there is one to make or to read. */
export const backupFiles = () => import("./adapters/tar/backup.ts");

/** What an open store is made of. */
export type Opened = {
  /** The absolute directory of the uploads tree, whether or not there is one. */
  uploadsRoot: string;
  signingKey: string;
  database: SqlStore;
  bytes: BucketStores;
  staging: Staging;
  tree: UploadsTree | undefined;
};

export async function open(
  settings: Settings,
  indexKeys: readonly string[] | undefined,
  onError: OnError = () => undefined,
): Promise<Opened> {
  const at = (name: string) => resolve(join(settings.data, name));
  const staging = new Staging(at("tmp"));
  const bucket = bucketOptions(settings);
  const bytes = await openBytes(settings, staging, bucket, onError);
  const blobFolder = at("blobs");
  const database = await openDatabase(settings, indexKeys, { blobFolder, blobBucket: bucket });
  const { folders, files, events } = database;
  const root = at("uploads");
  const onTreeError = (error: unknown) => onError("uploads tree", error);
  const tree = new UploadsTree({ root, blobFolder, staging, folders, files, events, onError: onTreeError });
  const signingKey = settings.signingKey || database.signingKey;
  return { uploadsRoot: root, signingKey, database, bytes, staging, tree: bucket ? undefined : tree };
}

/** The database: PostgreSQL where the settings name one, else SQLite in the data folder. */
async function openDatabase(
  settings: Settings,
  indexKeys: readonly string[] | undefined,
  place: BlobPlace,
): Promise<SqlStore> {
  const options = {
    ...place,
    pageBytes: settings.collectionPageBytes,
    regexpBudgetMs: settings.regexpTimeMs,
    indexKeys,
    cacheBytes: settings.entryCacheBytes,
    maxPendingWrites: settings.writeQueueMax,
  };
  if (!settings.postgresUrl) {
    const { data: folder, busyTimeoutMs } = settings;
    return openSqliteStore({ ...options, folder, busyTimeoutMs });
  }
  // Loaded only where there is a server: a start has no time for it.
  const { openPostgresStore } = await import("./adapters/sql/postgres-store.ts");
  return openPostgresStore({
    ...options,
    url: settings.postgresUrl,
    readUrl: settings.postgresReadUrl,
    statementMs: settings.postgresTimeoutSeconds * 1000,
    maxConnections: settings.postgresConnections,
  });
}

/** Where bytes live, and what is made of them: the disk, or a bucket with the disk in front of it. */
async function openBytes(
  settings: Settings,
  staging: Staging,
  bucket: BucketOptions | undefined,
  onError: OnError,
): Promise<BucketStores> {
  const at = (name: string) => resolve(join(settings.data, name));
  const { blobCacheBytes: cacheBytes, workers: processes } = settings;
  const kept = { folder: at("renditions"), maxBytes: settings.renditionCacheBytes, processes };
  const renditions = new RenditionFolder(kept, cacheBytes);
  if (!bucket) {
    const blobs = new BlobFolder(at("blobs"), staging, cacheBytes);
    return { blobs, originals: blobs, renditions, reach: async () => undefined, close: () => blobs.close() };
  }
  // Loaded only where there is a bucket: a start has no time for it.
  const { openBucketStores } = await import("./adapters/s3/stores.ts");
  return openBucketStores({
    ...{ bucket, staging, cacheBytes, renditions },
    originals: { folder: at("originals"), maxBytes: settings.originalCacheBytes, processes },
    keepsRenditions: settings.renditionsStore === "s3",
    onError: (error) => onError("renditions", error),
  });
}

const bucketTries = 4;

/** The bucket of the settings, which name all of it or nothing. */
function bucketOptions(settings: Settings): BucketOptions | undefined {
  const { s3Endpoint: endpoint } = settings;
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    bucket: settings.s3Bucket,
    region: settings.s3Region,
    accessKey: settings.s3AccessKey,
    secretKey: settings.s3SecretKey,
    prefix: settings.s3Prefix,
    isPathStyle: settings.s3PathStyle === "on",
    timeoutMs: settings.s3TimeoutSeconds * 1000,
    tries: bucketTries,
  };
}

export function toStores({ signingKey, database, bytes, tree }: Opened): Stores {
  const { entries, folders, files, ledger, tokens, sessions, registry, events, rows } = database;
  const { blobs, renditions } = bytes;
  return {
    ...{ entries, folders, files, blobs, ledger, renditions, tokens, sessions, registry, events, rows, signingKey },
    size: async () => database.size(),
    alone: (name, work) => database.alone(name, work),
    verify: async (onBytes) => [...(await database.verify()), ...(await verifyBlobs(ledger, blobs, onBytes))],
    rebuildUploads: tree && ((onFolder) => tree.rebuild(onFolder)),
    close: async () => {
      await database.close();
      await bytes.close();
    },
  };
}
