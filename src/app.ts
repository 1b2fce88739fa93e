import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { choreTickSeconds, dueChores } from "./chores.ts";
import { type Companions, noCompanions, shareOf } from "./companions.ts";
import { freeBytes } from "./core/bytes/disk/room.ts";
import { jsonLog, type Log, silentLog } from "./core/http/log.ts";
import type { Route } from "./core/http/route.ts";
import { HttpServer } from "./core/http/server.ts";
import type { Level } from "./core/lib/log.ts";
import type { Sample } from "./core/metric.ts";
import { chainItems } from "./core/sql/index/layer.ts";
import { trafficOf } from "./health/service.ts";
import { sessionsOf, signInLinksOf } from "./people/service.ts";
import type { SignInLinks } from "./people/sign-in-links.ts";
import { serverLimits, uploadLimits } from "./server-limits.ts";
import { nowSeconds } from "./service.ts";
import { loadFeatures, type Serve, Serving } from "./serving.ts";
import type { Settings } from "./settings.ts";
import { open, type Stores, servedStores, toStores } from "./stores.ts";
import { chainsOf } from "./translation/locale.ts";

/** Assembles the service of its features. It and stores.ts choose the adapters. */

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

/** A running service. */
export type App = {
  stores: Stores;
  /** Its address, `http://127.0.0.1:8080`. */
  url: string;
  /** The routes of its API, as in its OpenAPI description. */
  api: readonly Route[];
  /** Settles when the uploads tree reflects this event, or after a timeout of one second. */
  treeShows(sequence: number): Promise<void>;
  /**
   * An address of the admin page that signs its opener in, or lets him become an owner: once, within ten minutes, while this
   * process runs. With `asksOwner` its page asks for the name, the address and the password of the owner.
   */
  signInLink(options?: { asksOwner?: boolean }): string;
  /** The one-time codes of such addresses. */
  signInCodes: Pick<SignInLinks, "holds" | "redeem">;
  /** The figures of this process for /metrics. */
  figures(): Promise<Sample[]>;
  /** Stops accepting requests, finishes those under way (at most `shutdown_seconds`), closes the store. */
  close(): Promise<void>;
};

export type Preparation = (stores: Stores) => Promise<void>;
/** Opens the store and, once it is prepared, serves it. Rejects when either fails, or it cannot listen on the port. */
export async function build(configured: Settings, companions = noCompanions, prepare?: Preparation): Promise<App> {
  const settings = shareOf(configured, companions);
  const log = settings.log === "json" ? jsonLog((lines) => process.stdout.write(lines)) : silentLog;
  const opened = await open(settings, [...settings.indexKeys, ...chainItems(chainsOf(settings))], log.error);
  let app: RunningApp | undefined;
  try {
    await opened.bytes.refuseWrong();
    const serves = await loadFeatures();
    app = new RunningApp(settings, servedStores(opened, settings, companions), log, companions, serves);
    // The uploads tree, which starts later, shows what this stores.
    await prepare?.(toStores(opened));
    await app.listen();
    return app;
  } catch (error) {
    await (app ?? toStores(opened)).close();
    throw error;
  }
}

class RunningApp implements App {
  readonly stores: Stores;
  readonly api: readonly Route[];
  url = "";
  private readonly settings: Settings;
  private readonly log: Log;
  private readonly leads: boolean;
  private readonly serving: Serving;
  private readonly server: HttpServer;
  private readonly timers: NodeJS.Timeout[] = [];
  private isOpen = true;
  private choreTicks = 0;

  constructor(settings: Settings, stores: Stores, log: Log, companions: Companions, serves: readonly Serve[]) {
    this.settings = settings;
    this.stores = stores;
    this.log = log;
    this.leads = companions.leads;
    this.serving = new Serving(
      {
        settings,
        stores,
        companions,
        log,
        version,
        url: () => this.url,
        isOpen: () => this.isOpen,
        open: () => this.server.open(),
        every: (ms, name, work) => this.every(ms, name, work),
        chore: (name, work) => this.chore(name, work),
      },
      serves,
    );
    const { api, others, service } = this.serving;
    this.api = api;
    this.server = new HttpServer([...api, ...others], {
      stores,
      sessions: service.part(sessionsOf),
      log: service.part(trafficOf).counting(log),
      freeBytes: () => freeBytes(settings.data),
      ...serverLimits(settings),
      uploads: { blobs: stores.blobs, ...uploadLimits(settings) },
    });
  }

  async listen(): Promise<void> {
    await this.serving.check();
    await this.server.listen(this.settings.host, this.settings.port);
    const { address, family, port } = this.server.server.address() as AddressInfo;
    this.url = `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
    await this.serving.start();
    // Not at once: a service that only reads then never starts the writer's thread, which takes memory.
    if (this.leads) this.every(choreTickSeconds * 1000, "chores", () => this.runChores());
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const timer of this.timers) clearInterval(timer);
    // A request still running after the time limit loses its connection; its write, if it had one, is complete or absent.
    const cut = setTimeout(() => this.server.server.closeAllConnections(), this.settings.shutdownSeconds * 1000);
    await this.server.close();
    clearTimeout(cut);
    await this.serving.stop();
    await this.stores.close();
    this.log.close();
  }

  figures(): Promise<Sample[]> {
    return this.serving.figures();
  }

  async treeShows(sequence: number): Promise<void> {
    await this.stores.tree?.shows(sequence);
  }

  get signInCodes(): SignInLinks {
    return this.serving.service.part(signInLinksOf);
  }

  signInLink(options?: { asksOwner?: boolean }): string {
    return this.signInCodes.make(options);
  }

  private every(ms: number, name: string, work: () => Promise<unknown>): void {
    this.timers.push(setInterval(() => this.chore(name, work()), ms).unref());
  }

  private runChores(): Promise<unknown> {
    const due = dueChores(++this.choreTicks * choreTickSeconds);
    const now = nowSeconds();
    const say = (name: string) => (sentence: string, level?: Level) => this.log.error(name, sentence, level);
    return this.stores.alone("chores", async () => {
      for (const { name, run } of due) await this.chore(name, run(this.stores, this.settings, now, say(name)));
    });
  }

  /** Resolves when the work has finished; an error is logged, and does not prevent other chores. */
  private async chore(name: string, work: Promise<unknown>): Promise<void> {
    // A stop aborts running checks.
    await work.catch((error: unknown) => this.isOpen && this.log.error(name, error));
  }
}
