import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import type { Staging } from "./adapters/disk/staging.ts";
import { type UploadsTree, whenShown } from "./adapters/disk/uploads-tree.ts";
import { SharpRenderer } from "./adapters/sharp/renderer.ts";
import type { OutputLimits } from "./domain/geometry.ts";
import { rootPath } from "./domain/path.ts";
import { RenditionMaker } from "./domain/rendition.ts";
import type { UploadRules } from "./domain/upload.ts";
import { adminRoutes } from "./http/admin.ts";
import { docsRoutes } from "./http/docs.ts";
import { entryRoutes } from "./http/entry.ts";
import { entryTreeRoutes } from "./http/entry-tree.ts";
import { eventRoutes } from "./http/event.ts";
import { fileRoutes } from "./http/file.ts";
import { folderRoutes } from "./http/folder.ts";
import { healthRoutes } from "./http/health.ts";
import { type ImageOptions, imageRoutes } from "./http/image.ts";
import { jsonLog, type Log, silentLog } from "./http/log.ts";
import { openApiRoutes } from "./http/openapi.ts";
import { registryRoutes } from "./http/registry.ts";
import type { ApiRoute, Route } from "./http/route.ts";
import { createHttpServer } from "./http/server.ts";
import { type RedeemCode, Sessions, sessionRoutes } from "./http/session.ts";
import { tokenRoutes } from "./http/token.ts";
import { uploadRoutes } from "./http/upload.ts";
import { OneTimeCodes } from "./lib/one-time-codes.ts";
import { parseImageDefaults, parseImageMarks, parseImagePresets, type Settings } from "./settings.ts";
import { type Opened, open, type Stores, toStores } from "./stores.ts";

/** Puts the service together. It and stores.ts choose the adapters. */

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

/** A running service. */
export type App = {
  stores: Stores;
  /** Where it answers, `http://127.0.0.1:8080`. */
  url: string;
  /** The routes of its API, as its description has them. */
  api: readonly ApiRoute[];
  /** Settles when the uploads tree shows what this event did, or a second later. */
  treeShows(sequence: number): Promise<void>;
  /** An address of the admin page that signs in who opens it: once, within ten minutes, while this process runs. */
  signInLink(): string;
  /** True for the code of such an address that is good, which it then is no longer. */
  redeemSignIn(code: string): boolean;
  /** Stops taking requests, finishes those under way (at most `shutdown_seconds`), closes the store. */
  close(): Promise<void>;
};

/** The processes that serve one store on one machine together. */
export type Companions = {
  count: number;
  /** One leads: it keeps the uploads tree and does the chores. */
  leads: boolean;
  /** Settles when the leader's tree shows what this event did, or a little later all the same. */
  treeShows?: (sequence: number) => Promise<void>;
  /** What the leader's redeemSignIn answers; false when it does not. */
  redeemSignIn?: (code: string) => Promise<boolean>;
};

/** This process's part of what the settings allow the whole service; folders that all use are no one's part. */
function shareOf(settings: Settings, { count }: Companions): Settings {
  const part = (amount: number) => Math.ceil(amount / count);
  return {
    ...settings,
    entryCacheBytes: part(settings.entryCacheBytes),
    blobCacheBytes: part(settings.blobCacheBytes),
    renderWorkers: part(settings.renderWorkers),
    renderQueueMax: part(settings.renderQueueMax),
    authFailuresPerMinute: part(settings.authFailuresPerMinute),
  };
}

/** Opens the store and serves it. Rejects when the store cannot be opened or the port cannot be had. */
export async function build(wished: Settings, companions: Companions = { count: 1, leads: true }): Promise<App> {
  const settings = shareOf(wished, companions);
  const log = settings.log === "json" ? jsonLog((text) => process.stdout.write(text)) : silentLog;
  const opened = await open(settings, settings.indexKeys, (what, error) => log.error(what, error));
  let service: Service | undefined;
  try {
    service = new Service(settings, opened, log, companions);
    await service.listen();
    return service;
  } catch (error) {
    await (service ?? toStores(opened)).close();
    throw error;
  }
}

function openRenderer(settings: Settings, { bytes, staging }: Opened): SharpRenderer {
  return new SharpRenderer({
    workers: settings.renderWorkers,
    maxQueue: settings.renderQueueMax,
    timeoutMs: settings.renderTimeoutSeconds * 1000,
    svgTimeoutMs: Math.min(settings.renderTimeoutSeconds, settings.renderSvgTimeoutSeconds) * 1000,
    maxMemoryBytes: settings.renderMemoryBytes,
    idleMs: 60_000,
    limits: { ...outputLimits(settings), maxSourcePixels: settings.imageMaxPixels },
    originals: bytes.originals,
    temporaryFile: () => staging.temporaryFile(),
    remove: (file) => rm(file, { force: true }),
  });
}

const outputLimits = (settings: Settings): OutputLimits => ({
  maxOutputPixels: settings.renderMaxPixels,
  maxSide: 8192,
});

const signInLinkSeconds = 600;
const choreEveryMs = 3600 * 1000;
const daySeconds = 24 * 3600;

class Service implements App {
  readonly stores: Stores;
  readonly api: readonly ApiRoute[];
  url = "";
  private readonly settings: Settings;
  private readonly uploadsRoot: string;
  private readonly staging: Staging;
  private readonly reach: () => Promise<void>;
  private readonly renderer: SharpRenderer;
  private readonly leads: boolean;
  private readonly tree: UploadsTree | undefined;
  private readonly log: Log;
  private readonly server: ReturnType<typeof createHttpServer>;
  private readonly sessions: Sessions;
  private readonly signInCodes = new OneTimeCodes(signInLinkSeconds);
  private readonly redeems: RedeemCode;
  private readonly startedMs = performance.now();
  private isOpen = true;
  private chores: NodeJS.Timeout | undefined;

  constructor(settings: Settings, opened: Opened, log: Log, companions: Companions) {
    this.settings = settings;
    this.uploadsRoot = opened.uploadsRoot;
    this.staging = opened.staging;
    this.reach = opened.bytes.reach;
    this.renderer = openRenderer(settings, opened);
    this.leads = companions.leads;
    this.redeems = companions.redeemSignIn ?? ((code) => this.redeemSignIn(code));
    this.tree = settings.uploadsTree === "on" && companions.leads ? opened.tree : undefined;
    const stores = toStores(opened);
    const { treeShows } = companions;
    const isElsewhere = settings.uploadsTree === "on" && treeShows !== undefined;
    this.stores = { ...stores, ...(isElsewhere ? whenShown(stores, treeShows) : this.tree?.stores) };
    this.log = log;
    this.sessions = new Sessions({
      signingKey: this.stores.signingKey,
      sessionHours: settings.adminSessionHours,
      publicUrl: settings.publicUrl,
      tokens: this.stores.tokens,
    });
    this.api = this.apiRoutes();
    this.server = createHttpServer([...this.api, ...docsRoutes(settings.publicUrl), ...this.adminRoutes()], {
      tokens: this.stores.tokens,
      sessions: this.sessions,
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
    if (!this.leads) return;
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

  async treeShows(sequence: number): Promise<void> {
    await this.tree?.shows(sequence);
  }

  signInLink(): string {
    const code = this.signInCodes.issue(Math.floor(Date.now() / 1000));
    return `${this.settings.publicUrl ?? this.url}/admin#code=${code}`;
  }

  redeemSignIn(code: string): boolean {
    return this.signInCodes.redeem(code, Math.floor(Date.now() / 1000));
  }

  private apiRoutes(): ApiRoute[] {
    const { stores, settings } = this;
    const reading = {
      bounds: { maxLimit: settings.collectionLimitMax, defaultLimit: settings.collectionLimit },
      deliverySharedMaxAgeSeconds: settings.deliverySMaxageSeconds,
    };
    const place = { ...reading, root: this.uploadsRoot, publicUrl: settings.publicUrl };
    const api = [
      ...entryRoutes(stores.entries, reading),
      ...entryTreeRoutes(stores.entries),
      ...folderRoutes(stores.folders, place),
      ...fileRoutes(stores, { ...place, rules: this.uploadRules(), onConflict: settings.uploadOnConflict }),
      ...uploadRoutes(stores.files, stores.blobs, {
        isPrivate: settings.uploadsPrivate === "on",
        signingKey: stores.signingKey,
      }),
      ...imageRoutes({ ...stores, maker: this.renditionMaker() }, this.imageOptions()),
      ...registryRoutes(stores.registry, version, settings.deliverySMaxageSeconds),
      ...tokenRoutes(stores.tokens),
      ...eventRoutes(stores.events),
      ...healthRoutes({
        isReady: () => this.isReady(),
        isOpen: () => this.isOpen,
        stats: () => this.stats(),
      }),
    ];
    return [...api, ...openApiRoutes(api, version, settings.publicUrl)];
  }

  /** No part of the API, so its description leaves them out. */
  private adminRoutes(): Route[] {
    if (this.settings.adminPage === "off") return [];
    return [...adminRoutes(), ...sessionRoutes(this.sessions, this.stores.tokens, this.redeems)];
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

  private renditionMaker(): RenditionMaker {
    return new RenditionMaker({ ...this.stores, renderer: this.renderer }, parseImageMarks(this.settings.imageMarks));
  }

  private imageOptions(): ImageOptions {
    const { settings, stores } = this;
    return {
      signingKey: stores.signingKey,
      isStrict: settings.imageStrict === "on",
      limits: outputLimits(settings),
      defaults: parseImageDefaults(settings.imageDefaults),
      presets: parseImagePresets(settings.imagePresets),
      maxAgeSeconds: settings.imageMaxAgeSeconds,
    };
  }

  private async isReady(): Promise<boolean> {
    try {
      await Promise.all([this.stores.entries.find(rootPath), this.reach()]);
      return true;
    } catch (error) {
      this.log.error("ready", error);
      return false;
    }
  }

  private async stats(): Promise<Record<string, number | string>> {
    const { stores } = this;
    const renditions = await stores.renditions.usage();
    return {
      version,
      uptime_seconds: Math.floor((performance.now() - this.startedMs) / 1000),
      entries: await stores.entries.count(),
      folders: await stores.folders.count(),
      files: await stores.files.count(),
      renditions: renditions.count,
      rendition_bytes: renditions.bytes,
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
