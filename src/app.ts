import { statSync } from "node:fs";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { databaseFile } from "./adapters/sql/sqlite.ts";
import { SqliteStore } from "./adapters/sql/store.ts";
import type { EntryStore } from "./domain/entry.ts";
import type { EventStore } from "./domain/event.ts";
import { rootPath } from "./domain/path.ts";
import type { RegistryStore } from "./domain/registry.ts";
import type { TokenStore } from "./domain/token.ts";
import { docsRoutes } from "./http/docs.ts";
import { entryRoutes } from "./http/entry.ts";
import { eventRoutes } from "./http/event.ts";
import { healthRoutes } from "./http/health.ts";
import { jsonLog, type Log, silentLog } from "./http/log.ts";
import { openApiRoutes } from "./http/openapi.ts";
import { registryRoutes } from "./http/registry.ts";
import type { Route } from "./http/route.ts";
import { createHttpServer } from "./http/server.ts";
import { tokenRoutes } from "./http/token.ts";
import type { Settings } from "./settings.ts";

/** The only file that names concrete adapters: it puts the service together. */

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

/** The open store: one port for each noun. */
export type Stores = {
  entries: EntryStore;
  tokens: TokenStore;
  registry: RegistryStore;
  events: EventStore;
  /** Sentences about what is wrong with the stored data; empty when all is well. */
  verify(): Promise<string[]>;
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
export function openStores(settings: Settings): Promise<Stores> {
  return open(settings, undefined);
}

function open(settings: Settings, indexKeys: readonly string[] | undefined): Promise<Stores> {
  return SqliteStore.open({
    folder: settings.data,
    busyTimeoutMs: settings.busyTimeoutMs,
    pageBytes: settings.collectionPageBytes,
    regexpBudgetMs: settings.regexpTimeMs,
    indexKeys,
    cacheBytes: settings.entryCacheBytes,
    maxPendingWrites: settings.writeQueueMax,
  });
}

/** Opens the store and serves it. Rejects when the store cannot be opened or the port cannot be had. */
export async function build(settings: Settings): Promise<App> {
  const stores = await open(settings, settings.indexKeys);
  const log = settings.log === "json" ? jsonLog((text) => process.stdout.write(text)) : silentLog;
  const service = new Service(settings, stores, log);
  try {
    await service.listen();
  } catch (error) {
    await stores.close();
    throw error;
  }
  return service;
}

const pruneEveryMs = 3600 * 1000;

class Service implements App {
  readonly stores: Stores;
  url = "";
  private readonly settings: Settings;
  private readonly log: Log;
  private readonly server: ReturnType<typeof createHttpServer>;
  private readonly startedMs = performance.now();
  private isOpen = true;
  private chores: NodeJS.Timeout | undefined;

  constructor(settings: Settings, stores: Stores, log: Log) {
    this.settings = settings;
    this.stores = stores;
    this.log = log;
    this.server = createHttpServer(this.routes(), {
      tokens: stores.tokens,
      log,
      corsOrigins: settings.corsOrigin,
      trustProxy: settings.trustProxy,
      authFailuresPerMinute: settings.authFailuresPerMinute,
      requestTimeoutMs: settings.requestTimeoutSeconds * 1000,
    });
  }

  async listen(): Promise<void> {
    await this.server.listen({ host: this.settings.host, port: this.settings.port });
    const { address, family, port } = this.server.server.address() as AddressInfo;
    this.url = `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
    // Not at once: a service that only reads then never starts the writer's thread and its memory.
    this.chores = setInterval(() => this.prune(), pruneEveryMs);
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
    await this.stores.close();
    this.log.flush();
  }

  private routes(): Route[] {
    const { stores, settings } = this;
    const routes = [
      ...entryRoutes(stores.entries, {
        bounds: { maxLimit: settings.collectionLimitMax, defaultLimit: settings.collectionLimit },
        deliverySharedMaxAgeSeconds: settings.deliverySMaxageSeconds,
      }),
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
      registry_items: (await stores.registry.list()).length,
      tokens: (await stores.tokens.list()).length,
      store_bytes: statSync(databaseFile(this.settings.data)).size,
      memory_bytes: process.memoryUsage.rss(),
    };
  }

  private prune(): void {
    const before = Math.floor(Date.now() / 1000) - this.settings.eventsKeepDays * 24 * 3600;
    this.stores.events.prune(before).catch((error: unknown) => this.log.error("prune", error));
  }
}
