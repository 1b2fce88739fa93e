import { join, resolve } from "node:path";
import { goodCopies } from "./backup/good-copies-store.ts";
import { type CandidateSource, type OnRepair, repairBlobs } from "./backup/repair.ts";
import { bucketOptions } from "./bucket-options.ts";
import type { BucketStores } from "./bucket-stores.ts";
import type { Companions } from "./companions.ts";
import {
  blobFault,
  type FaultyBlob,
  faultyBlobs,
  type OnBytes,
  orphanedBlobs,
  verifyBlobs,
} from "./core/bytes/blob.ts";
import { type BlobCallbacks, BlobFolder } from "./core/bytes/disk/blob-folder.ts";
import { makeDataFolder, tightenDataFolder } from "./core/bytes/disk/data-folder.ts";
import { nodeDisk } from "./core/bytes/disk/disk.ts";
import { refuseFullDisk, refuseFullStart } from "./core/bytes/disk/room.ts";
import { Staging } from "./core/bytes/disk/staging.ts";
import type { BucketOptions } from "./core/bytes/s3/bucket.ts";
import { say } from "./core/lib/log.ts";
import { rootPath, uploadsUrl } from "./core/path.ts";
import { isProblem, type Problem } from "./core/problem.ts";
import type { BlobLocation } from "./core/sql/blob-remover.ts";
import { faultsOfFile } from "./core/sql/engine/sqlite/store.ts";
import type { OnBuilt } from "./core/sql/index/build.ts";
import type { OnMigration } from "./core/sql/migration.ts";
import { openPostgresStore, openSqliteStore, type SqlStore } from "./database.ts";
import { RenditionFolder } from "./image/rendition-folder-store.ts";
import type { Settings } from "./settings.ts";
import type { OnError, Stores } from "./store-type.ts";
import { TransferFolder } from "./transfer/folder-store.ts";
import { UploadsTree, whenShown } from "./upload/tree-store.ts";
import { UnknownUploads } from "./upload/unknown-store.ts";
import type { UploadRules } from "./upload/upload.ts";
import { historyBounds, keepsHistory } from "./version/version.ts";

export type { OnError, Stores } from "./store-type.ts";

/** Where data is stored, from the settings: which database, and disk or bucket. */

/**
 * Opens the store and migrates it when necessary; creates it unless it must exist. The field index stays as it is: only
 * `build` rebuilds it for the setting, so that a command cannot rebuild it while a server is using it.
 */
export async function openStores(
  settings: Settings,
  { mustExist, onError }: { mustExist?: boolean; onError?: OnError } = {},
): Promise<Stores> {
  return toStores(await open(settings, undefined, onError, mustExist));
}

/** Files of a folder, to be adopted. Loaded by the command that uses it. */
export const foundFiles = () => import("./moving/found-files-store.ts");

/** Folders that are imported and exported. Loaded by the commands that use them. */
export const diskProjects = () => import("./moving/project-store.ts");
export const markdownLinks = () => import("./render/prose/links.ts");
export const exportFolders = () => import("./moving/export-folder-store.ts");

/** Does the work unless another process does work of this name in the folder; answers whether it did. */
export { alone as aloneInFolder } from "./core/sql/engine/sqlite/lock.ts";

/** The rules of uploads, from the settings. */
export const uploadRulesOf = (settings: Settings): UploadRules => ({
  hasSafeNames: settings.uploadSafeNames === "on",
  extensions: settings.uploadTypes,
  maxPixels: settings.imageMaxPixels,
  refusesCorruptImages: settings.uploadCorruptImages === "refuse",
});

/** Sentences about a database that cannot be opened because of the damage in `error`. */
export function damageFaults(settings: Settings, error: Problem): string[] {
  const { data: folder, busyTimeoutMs, postgresUrl } = settings;
  const faults = postgresUrl ? [] : faultsOfFile({ folder, busyTimeoutMs });
  return faults.length > 0 ? faults : [`The database: ${(error.cause as Error).message}`];
}

/** Backups in files. Loaded where one is written or read. */
export const backupFiles = () => import("./backup/tar/backup.ts");

/** The parts of an open store. */
export type Opened = {
  /**
   * The absolute directory of the uploads tree. Without a tree it is the path of the address, the same on every node.
   */
  uploadsRoot: string;
  signingKey: string;
  database: SqlStore;
  bytes: BucketStores;
  staging: Staging;
  tree: UploadsTree | undefined;
  unknown: UnknownUploads;
  /** The folders that may hold copies of faulty blobs. */
  copies: CandidateSource;
  /** Links the files of a repaired blob again, if there is an uploads tree. */
  renew(hash: string): Promise<void>;
};

const folderIn = (settings: Settings, name: string): string => resolve(join(settings.data, name));
const hasTree = (settings: Settings): boolean => settings.uploadsTree === "on" && !bucketOptions(settings);

/** Where the paths of files begin, as replies name them: the uploads tree, if there is one. */
export const uploadsRootOf = (settings: Settings): string =>
  hasTree(settings) ? folderIn(settings, "uploads") : `/${uploadsUrl}`;

export async function open(
  settings: Settings,
  indexKeys: readonly string[] | undefined,
  onError: OnError = () => undefined,
  mustExist = false,
): Promise<Opened> {
  const at = (name: string) => folderIn(settings, name);
  const bucket = bucketOptions(settings);
  await openDataFolder(settings, onError, mustExist);
  const staging = new Staging(at("tmp"));
  // A command may be what frees space.
  if (indexKeys) await refuseFullStart(staging.temporaryFile());
  const isLinked = hasTree(settings);
  const renew = async (hash: string) => (isLinked ? tree.renew(hash) : undefined);
  const callbacks: BlobCallbacks = { onRepaired: renew, onFault: (error) => onError("blobs", error) };
  const bytes = await openBytes(settings, staging, bucket, onError, callbacks);
  const blobFolder = at("blobs");
  const database = await openDatabase(settings, indexKeys, { blobFolder, blobBucket: bucket, mustExist }, onError);
  const { folders, files, trash, events } = database;
  const root = at("uploads");
  const unknown = new UnknownUploads(at("uploads.unknown"));
  const isPrivate = settings.uploadsPrivate === "on";
  const say = (what: unknown) => onError("uploads tree", what);
  const stores = { folders, files, trash, events };
  const tree = new UploadsTree({
    root,
    blobFolder,
    staging,
    ...stores,
    isPrivate,
    unknown,
    onError: say,
    onMoved: say,
  });
  const signingKey = settings.signingKey || database.signingKey;
  // With a bucket also the cache of source images, and blobs from before the bucket was used.
  const copies = goodCopies([root, unknown.folder, ...(bucket ? [at("originals"), blobFolder] : [])]);
  return {
    uploadsRoot: uploadsRootOf(settings),
    signingKey,
    database,
    bytes,
    staging,
    tree: bucket ? undefined : tree,
    unknown,
    copies,
    renew,
  };
}

/** Creates the data folder unless it holds only caches, which are created on demand, and tightens its modes. */
async function openDataFolder(settings: Settings, onError: OnError, mustExist: boolean): Promise<void> {
  const folder = resolve(settings.data);
  if (!mustExist && (!settings.postgresUrl || settings.s3Endpoint === undefined)) await makeDataFolder(folder);
  for (const sentence of await tightenDataFolder(folder, settings.uploadsPrivate === "on")) onError("modes", sentence);
}

/** The database: PostgreSQL where the settings name one, otherwise SQLite in the data folder. */
async function openDatabase(
  settings: Settings,
  indexKeys: readonly string[] | undefined,
  place: BlobLocation & { mustExist: boolean },
  onError: OnError,
): Promise<SqlStore> {
  const onDamage = (faults: readonly string[]) => onError("database", faults.join("\n"), "error");
  // Of a command it is no line of a log.
  const { onBuilt, onMigration } = startSpeaker((sentence) =>
    indexKeys ? say(process.stderr, "info", sentence) : process.stderr.write(`octavo: ${sentence}\n`),
  );
  const options = {
    ...place,
    pageBytes: settings.collectionPageBytes,
    regexpBudgetMs: settings.regexpTimeMs,
    scanBudgetMs: { delivery: settings.scanDeliveryMs, management: settings.scanManagementMs },
    indexKeys,
    // The command line, which names no keys, keeps this index, too.
    textIndex: indexKeys && settings.textIndex === "on",
    cacheBytes: settings.entryCacheBytes,
    maxPendingWrites: settings.writeQueueMax,
    keepsHistory: keepsHistory(historyBounds(settings)),
    mayBeNew: settings.newStore === "on",
    givesWay: indexKeys === undefined,
  };
  if (!settings.postgresUrl) {
    const { data: folder, busyTimeoutMs } = settings;
    return openSqliteStore({ ...options, folder, busyTimeoutMs }, onDamage, onBuilt, onMigration);
  }
  return openPostgresStore(
    {
      ...options,
      url: settings.postgresUrl,
      readUrl: settings.postgresReadUrl,
      statementMs: settings.postgresTimeoutSeconds * 1000,
      maxConnections: settings.postgresConnections,
    },
    onDamage,
    onBuilt,
    onMigration,
  );
}

const tellEveryMs = 5000;

/** Says to who waits for a start how far it is, every few seconds: of an upgrade at once, of indexes that take long. */
function startSpeaker(speak: (sentence: string) => void): { onBuilt: OnBuilt; onMigration: OnMigration } {
  const speaker = (lastMs: number) => (sentence: string) => {
    if (performance.now() - lastMs < tellEveryMs) return;
    lastMs = performance.now();
    speak(sentence);
  };
  const [ofIndexes, ofUpgrade] = [speaker(performance.now()), speaker(Number.NEGATIVE_INFINITY)];
  return {
    onBuilt: (plural, done, all) => ofIndexes(`building the index of ${plural}: ${done} of ${all}`),
    onMigration: (done, all) => ofUpgrade(`upgrading the store: migration ${done + 1} of ${all}`),
  };
}

/** Where bytes and renditions are stored: the disk, or a bucket with a disk cache. */
async function openBytes(
  settings: Settings,
  staging: Staging,
  bucket: BucketOptions | undefined,
  onError: OnError,
  callbacks: BlobCallbacks,
): Promise<BucketStores> {
  const at = (name: string) => resolve(join(settings.data, name));
  const { blobCacheBytes: cacheBytes, workers: processes } = settings;
  const kept = { folder: at("renditions"), maxBytes: settings.renditionCacheBytes, processes };
  const renditions = new RenditionFolder(kept, cacheBytes);
  if (!bucket) {
    const blobs = new BlobFolder(at("blobs"), staging, cacheBytes, nodeDisk, callbacks);
    return {
      blobs,
      sources: blobs,
      renditions,
      pending: new TransferFolder(at("pending"), staging),
      reach: async () => undefined,
      refuseWrong: async () => undefined,
      close: () => blobs.close(),
    };
  }
  // Loaded only where there is a bucket, to keep the start fast.
  const { openBucketStores } = await import("./bucket-stores.ts");
  return openBucketStores({
    bucket,
    staging,
    cacheBytes,
    renditions,
    sources: { folder: at("originals"), maxBytes: settings.originalCacheBytes, processes },
    keepsRenditions: settings.renditionsStore === "s3",
    onError: (error) => onError("renditions", error),
    onUnreachable: (error) => onError("bucket", error),
  });
}

export function toStores(opened: Opened): Stores {
  const { signingKey, database, bytes, staging, tree, unknown } = opened;
  const { blobs, sources, renditions, pending } = bytes;
  return {
    ...database,
    blobs,
    renditions,
    signingKey,
    transferBytes: pending,
    reachBucket: bytes.reach,
    verify: async (onBytes) => [
      ...(await database.verify()),
      ...(await verifyBlobs(database.ledger, blobs, onBytes).catch(unreadableBlobs)),
    ],
    repair: (...args) => repair(opened, ...args),
    refuseUnready: async () => {
      await database.refuseUnready();
      await Promise.all([database.entries.find(rootPath), refuseFullDisk(staging.temporaryFile())]);
    },
    rebuildUploads: tree && ((onFolder) => tree.rebuild(onFolder)),
    unknownUploads: unknown,
    tree,
    sources,
    staging,
    close: async () => {
      await database.close();
      await bytes.close();
    },
  };
}

/**
 * The stores of a service: a write of files answers when the uploads tree shows it, of this process or of the leader of
 * several.
 */
export function servedStores(opened: Opened, { uploadsTree }: Settings, { leads, treeShows }: Companions): Stores {
  const stores = toStores(opened);
  if (uploadsTree !== "on") return { ...stores, tree: undefined };
  const tree = leads ? stores.tree : undefined;
  return { ...stores, tree, ...(treeShows ? whenShown(stores, treeShows) : tree?.stores) };
}

async function repair(
  { database, bytes, copies, renew }: Opened,
  nowSeconds: number,
  onRepair: OnRepair,
  onBytes?: OnBytes,
  more?: CandidateSource,
): Promise<string[]> {
  const stores = { ledger: database.ledger, blobs: bytes.blobs };
  const faults = [...(await database.verify()), ...(await orphanedBlobs(stores.ledger, stores.blobs))];
  const wanted = new Map<string, FaultyBlob>();
  for await (const faulty of faultyBlobs(stores.ledger, stores.blobs, onBytes)) wanted.set(faulty.hash, faulty);
  const all = [...wanted.keys()];
  for (const source of more ? [copies, more] : [copies]) {
    await repairBlobs(stores, wanted, source, nowSeconds, onRepair);
  }
  // The tree still links to the damaged files.
  for (const hash of all) if (!wanted.has(hash)) await renew(hash);
  return [...faults, ...[...wanted.values()].map(blobFault)];
}

/** The rows of the ledger cannot be read; verify has reported why. */
function unreadableBlobs(error: unknown): string[] {
  if (isProblem(error, "store_damaged")) return ["The bytes of files were not all looked at"];
  throw error;
}
