import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { BlobFolder, blobFile, removeBlobFile } from "./adapters/disk/blob-folder.ts";
import { RenditionFolder } from "./adapters/disk/rendition-folder.ts";
import { Staging } from "./adapters/disk/staging.ts";
import { UploadsTree } from "./adapters/disk/uploads-tree.ts";
import { SharpRenderer } from "./adapters/sharp/renderer.ts";
import { openSqliteStore } from "./adapters/sql/sqlite-store.ts";
import type { SqlStore } from "./adapters/sql/store.ts";
import type { RowStore } from "./domain/backup.ts";
import { type BlobLedger, type BlobStore, verifyBlobs } from "./domain/blob.ts";
import type { EntryStore } from "./domain/entry.ts";
import type { EventStore } from "./domain/event.ts";
import type { FileStore } from "./domain/file.ts";
import type { FolderStore } from "./domain/folder.ts";
import type { Arguments } from "./domain/modifier.ts";
import { type Path, parsePath, rootPath } from "./domain/path.ts";
import type { RegistryStore } from "./domain/registry.ts";
import { RenditionMaker, type RenditionStore } from "./domain/rendition.ts";
import type { TokenStore } from "./domain/token.ts";
import type { UploadRules } from "./domain/upload.ts";
import { docsRoutes } from "./http/docs.ts";
import { entryRoutes } from "./http/entry.ts";
import { eventRoutes } from "./http/event.ts";
import { fileRoutes } from "./http/file.ts";
import { folderRoutes } from "./http/folder.ts";
import { healthRoutes } from "./http/health.ts";
import { type ImageOptions, imageRoutes } from "./http/image.ts";
import { jsonLog, type Log, silentLog } from "./http/log.ts";
import { openApiRoutes } from "./http/openapi.ts";
import { registryRoutes } from "./http/registry.ts";
import type { Route } from "./http/route.ts";
import { createHttpServer } from "./http/server.ts";
import { tokenRoutes } from "./http/token.ts";
import { uploadRoutes } from "./http/upload.ts";
import { parseUrlEncoded } from "./lib/brackets.ts";
import type { Settings } from "./settings.ts";

/** The only file that names concrete adapters: it puts the service together. */

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

/** The open store: one port for each noun. */
export type Stores = {
  entries: EntryStore;
  folders: FolderStore;
  files: FileStore;
  blobs: BlobStore;
  ledger: BlobLedger;
  renditions: RenditionStore;
  tokens: TokenStore;
  registry: RegistryStore;
  events: EventStore;
  /** What signs addresses: the key of the settings, else the store's own. */
  signingKey: string;
  /** Bytes of the database. */
  size(): Promise<number>;
  /** Does the work unless another process of this store is at work of this name; answers whether it did. */
  alone(name: string, work: () => Promise<void>): Promise<boolean>;
  /** Sentences about what is wrong with the stored data; empty when all is well. */
  verify(): Promise<string[]>;
  /** All of them as a whole, for backups. */
  rows: RowStore;
  /** Makes the uploads tree on the disk what the store says; hears of each folder. */
  rebuildUploads(onFolder: (path: Path) => void): Promise<void>;
  close(): Promise<void>;
};

/** A running service. */
export type App = {
  stores: Stores;
  /** Where it answers, `http://127.0.0.1:8080`. */
  url: string;
  /** Stops taking requests, finishes those under way (at most `shutdown_seconds`), closes the store. */
  close(): Promise<void>;
};

/**
 * Opens the store, makes or migrates it when that is due. The field index stays as it is: only `build` brings it to
 * the setting, so that a command beside a running server cannot rebuild it under the server's feet.
 */
export async function openStores(settings: Settings): Promise<Stores> {
  return toStores(await open(settings, undefined));
}

/** Backups in files. Loaded where there is one to make or to read. */
export const backupFiles = () => import("./adapters/tar/backup.ts");

/** What a store on this machine is made of. */
type Opened = {
  /** The absolute directory of the uploads tree. */
  uploadsRoot: string;
  signingKey: string;
  sqlite: SqlStore;
  blobs: BlobFolder;
  renditions: RenditionFolder;
  staging: Staging;
  tree: UploadsTree;
};

async function open(
  settings: Settings,
  indexKeys: readonly string[] | undefined,
  onError: (error: unknown) => void = () => undefined,
): Promise<Opened> {
  const at = (name: string) => resolve(join(settings.data, name));
  const staging = new Staging(at("tmp"));
  const blobs = new BlobFolder(at("blobs"), staging, settings.blobCacheBytes);
  const renditions = new RenditionFolder(at("renditions"), settings.renditionCacheBytes, settings.blobCacheBytes);
  const sqlite = await openRows(settings, indexKeys, blobs.folder);
  const { folders, files, events } = sqlite;
  const uploadsRoot = at("uploads");
  const tree = new UploadsTree({
    root: uploadsRoot,
    blobFolder: blobs.folder,
    staging,
    folders,
    files,
    events,
    onError,
  });
  const signingKey = settings.signingKey || sqlite.signingKey;
  return { uploadsRoot, signingKey, sqlite, blobs, renditions, staging, tree };
}

/** The database: PostgreSQL where the settings name one, else SQLite in the data folder. */
async function openRows(
  settings: Settings,
  indexKeys: readonly string[] | undefined,
  blobFolder: string,
): Promise<SqlStore> {
  const options = {
    pageBytes: settings.collectionPageBytes,
    regexpBudgetMs: settings.regexpTimeMs,
    indexKeys,
    cacheBytes: settings.entryCacheBytes,
    maxPendingWrites: settings.writeQueueMax,
  };
  if (!settings.postgresUrl) {
    const { data: folder, busyTimeoutMs } = settings;
    return openSqliteStore({ ...options, folder, busyTimeoutMs, blobFolder });
  }
  // Loaded only where there is a server: a start has no time for it.
  const { openPostgresStore } = await import("./adapters/sql/postgres-store.ts");
  return openPostgresStore({
    ...options,
    url: settings.postgresUrl,
    readUrl: settings.postgresReadUrl,
    statementMs: settings.postgresTimeoutSeconds * 1000,
    maxConnections: settings.postgresConnections,
    removeBytes: (hash) => removeBlobFile(blobFolder, hash),
  });
}

function toStores({ signingKey, sqlite, blobs, renditions, tree }: Opened): Stores {
  const { entries, folders, files, ledger, tokens, registry, events, rows } = sqlite;
  return {
    ...{ entries, folders, files, blobs, ledger, renditions, tokens, registry, events, rows, signingKey },
    size: async () => sqlite.size(),
    alone: (name, work) => sqlite.alone(name, work),
    verify: async () => [...(await sqlite.verify()), ...(await verifyBlobs(ledger, blobs))],
    rebuildUploads: (onFolder) => tree.rebuild(onFolder),
    close: async () => {
      await sqlite.close();
      await blobs.close();
    },
  };
}

/** Opens the store and serves it. Rejects when the store cannot be opened or the port cannot be had. */
export async function build(settings: Settings): Promise<App> {
  const log = settings.log === "json" ? jsonLog((text) => process.stdout.write(text)) : silentLog;
  const opened = await open(settings, settings.indexKeys, (error) => log.error("uploads tree", error));
  const service = new Service(settings, opened, log);
  try {
    await service.listen();
  } catch (error) {
    await opened.sqlite.close();
    throw error;
  }
  return service;
}

const argumentCaps = { maxPairs: 100, maxDepth: 1, maxItems: 1 };

/** `thumb:w=200&h=200; hero:w=1600` as sets of arguments by name. */
function parsePresets(text: string): Map<string, Arguments> {
  const presets = text.split(";").filter((preset) => preset.trim() !== "");
  return new Map(
    presets.map((preset) => {
      const [name = "", args = ""] = preset.trim().split(":", 2);
      return [name, parseUrlEncoded(args, argumentCaps)];
    }),
  );
}

function openRenderer(settings: Settings, { blobs, staging }: Opened): SharpRenderer {
  return new SharpRenderer({
    workers: settings.renderWorkers,
    maxQueue: settings.renderQueueMax,
    timeoutMs: settings.renderTimeoutSeconds * 1000,
    maxMemoryBytes: settings.renderMemoryBytes,
    idleMs: 60_000,
    limits: {
      maxSourcePixels: settings.imageMaxPixels,
      maxOutputPixels: settings.renderMaxPixels,
      maxSide: 8192,
    },
    fileOf: (hash) => blobFile(blobs.folder, hash),
    temporaryFile: () => staging.temporaryFile(),
    remove: (file) => rm(file, { force: true }),
  });
}

const choreEveryMs = 3600 * 1000;
const daySeconds = 24 * 3600;

class Service implements App {
  readonly stores: Stores;
  url = "";
  private readonly settings: Settings;
  private readonly uploadsRoot: string;
  private readonly staging: Staging;
  private readonly renderer: SharpRenderer;
  private readonly tree: UploadsTree | undefined;
  private readonly log: Log;
  private readonly server: ReturnType<typeof createHttpServer>;
  private readonly startedMs = performance.now();
  private isOpen = true;
  private chores: NodeJS.Timeout | undefined;

  constructor(settings: Settings, opened: Opened, log: Log) {
    this.settings = settings;
    this.uploadsRoot = opened.uploadsRoot;
    this.staging = opened.staging;
    this.renderer = openRenderer(settings, opened);
    this.tree = settings.uploadsTree === "on" ? opened.tree : undefined;
    this.stores = { ...toStores(opened), ...this.tree?.stores };
    this.log = log;
    this.server = createHttpServer(this.routes(), {
      tokens: this.stores.tokens,
      log,
      corsOrigins: settings.corsOrigin,
      trustProxy: settings.trustProxy,
      authFailuresPerMinute: settings.authFailuresPerMinute,
      requestTimeoutMs: settings.requestTimeoutSeconds * 1000,
      uploads: {
        blobs: this.stores.blobs,
        maxUploadBytes: settings.uploadMaxBytes,
        maxSpools: settings.uploadSpools,
        maxSpoolBytes: settings.uploadSpoolBytes,
        idleMs: settings.uploadIdleSeconds * 1000,
      },
    });
  }

  async listen(): Promise<void> {
    await this.server.listen({ host: this.settings.host, port: this.settings.port });
    const { address, family, port } = this.server.server.address() as AddressInfo;
    this.url = `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
    await this.tree?.start();
    this.chore("tidy", this.staging.tidy(Date.now()));
    // Not at once: a service that only reads then never starts the writer's thread and its memory.
    this.chores = setInterval(() => this.runChores(), choreEveryMs);
    this.chores.unref();
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    clearInterval(this.chores);
    // What is still running past the time allowed loses its connection; its write, if it had one, is whole or absent.
    const cut = setTimeout(() => this.server.server.closeAllConnections(), this.settings.shutdownSeconds * 1000);
    await this.server.close();
    clearTimeout(cut);
    await this.renderer.close();
    await this.tree?.stop();
    await this.stores.close();
    this.log.flush();
  }

  private routes(): Route[] {
    const { stores, settings } = this;
    const reading = {
      bounds: { maxLimit: settings.collectionLimitMax, defaultLimit: settings.collectionLimit },
      deliverySharedMaxAgeSeconds: settings.deliverySMaxageSeconds,
    };
    const place = { ...reading, root: this.uploadsRoot, publicUrl: settings.publicUrl };
    const routes = [
      ...entryRoutes(stores.entries, reading),
      ...folderRoutes(stores.folders, place),
      ...fileRoutes(stores, { ...place, rules: this.uploadRules(), onConflict: settings.uploadOnConflict }),
      ...uploadRoutes(stores.files, stores.blobs, {
        isPrivate: settings.uploadsPrivate === "on",
        signingKey: stores.signingKey,
      }),
      ...imageRoutes(
        { ...stores, maker: new RenditionMaker({ ...stores, renderer: this.renderer }, this.marksFolder()) },
        this.imageOptions(),
      ),
      ...registryRoutes(stores.registry, version, settings.deliverySMaxageSeconds),
      ...tokenRoutes(stores.tokens),
      ...eventRoutes(stores.events),
      ...healthRoutes({
        isReady: () => this.isReady(),
        isOpen: () => this.isOpen,
        stats: () => this.stats(),
      }),
      ...docsRoutes(),
    ];
    return [...routes, ...openApiRoutes(routes, version, settings.publicUrl)];
  }

  private uploadRules(): UploadRules {
    const { settings } = this;
    return {
      hasSafeNames: settings.uploadSafeNames === "on",
      extensions: settings.uploadTypes,
      maxPixels: settings.imageMaxPixels,
      refusesCorruptImages: settings.uploadCorruptImages === "refuse",
    };
  }

  private marksFolder(): Path {
    return parsePath("image_marks", this.settings.imageMarks);
  }

  private imageOptions(): ImageOptions {
    const { settings, stores } = this;
    return {
      signingKey: stores.signingKey,
      isStrict: settings.imageStrict === "on",
      defaults: parseUrlEncoded(settings.imageDefaults, argumentCaps),
      presets: parsePresets(settings.imagePresets),
      maxAgeSeconds: settings.imageMaxAgeSeconds,
    };
  }

  private async isReady(): Promise<boolean> {
    try {
      await this.stores.entries.find(rootPath);
      return true;
    } catch (error) {
      this.log.error("ready", error);
      return false;
    }
  }

  private async stats(): Promise<Record<string, number | string>> {
    const { stores } = this;
    return {
      version,
      uptime_seconds: Math.floor((performance.now() - this.startedMs) / 1000),
      entries: await stores.entries.count(),
      folders: await stores.folders.count(),
      files: await stores.files.count(),
      renditions: stores.renditions.usage().count,
      rendition_bytes: stores.renditions.usage().bytes,
      blob_bytes: await stores.ledger.size(),
      registry_items: (await stores.registry.list()).length,
      tokens: (await stores.tokens.list()).length,
      store_bytes: await stores.size(),
      memory_bytes: process.memoryUsage.rss(),
    };
  }

  private runChores(): void {
    const now = Math.floor(Date.now() / 1000);
    const { stores, settings } = this;
    const shared = async () => {
      await stores.events.prune(now - settings.eventsKeepDays * daySeconds);
      await stores.ledger.sweep(now - settings.blobGraceDays * daySeconds);
    };
    this.chore("prune and sweep", stores.alone("chores", shared));
    this.chore("tidy", this.staging.tidy(Date.now()));
  }

  private chore(name: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.log.error(name, error));
  }
}
