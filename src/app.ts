import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { previewTokenRoutes, tokenRoutes } from "./access/token-routes.ts";
import { mcpRoutes } from "./agent/routes.ts";
import { batchRoutes } from "./batch/routes.ts";
import { type Chore, choreTickSeconds, dueChores } from "./chores.ts";
import { type Companions, noCompanions, shareOf } from "./companions.ts";
import { contentRoutes, groupsOf, openProse, transferOptionsOf } from "./content-routes.ts";
import { freeBytes } from "./core/bytes/disk/room.ts";
import type { Staging } from "./core/bytes/disk/staging.ts";
import { clockSlackSeconds, formatClock } from "./core/clock.ts";
import { reportIgnored } from "./core/http/ignored.ts";
import { jsonLog, type Log, silentLog } from "./core/http/log.ts";
import type { Route } from "./core/http/route.ts";
import { HttpServer } from "./core/http/server.ts";
import { SignInThrottle } from "./core/http/throttle.ts";
import { Traffic } from "./core/http/traffic.ts";
import { ClockWatch } from "./core/lib/clock-watch.ts";
import { localUrl } from "./core/lib/host.ts";
import { memoFor } from "./core/lib/memo.ts";
import { forgetFollower } from "./feed/event-follower.ts";
import { eventRoutes } from "./feed/event-routes.ts";
import { LogWatch } from "./feed/log-watch-wire.ts";
import { joinSamples, metricsRoute, type Sample } from "./health/metrics-routes.ts";
import { Metrics } from "./health/metrics-service.ts";
import { degradation, healthRoutes, type Stats, unready } from "./health/routes.ts";
import { statsOf, unlessDamaged } from "./health/stats-service.ts";
import { openRenderer, pictureRoutes } from "./image/service.ts";
import type { SharpRenderer } from "./image/sharp/renderer.ts";
import { adminRoutes } from "./page/admin-routes.ts";
import { Docs, docsRoutes } from "./page/docs-routes.ts";
import { openApiRoute } from "./page/openapi-routes.ts";
import { rootRoutes } from "./page/root-routes.ts";
import { oidcRoutes } from "./people/oidc-routes.ts";
import { Ceremonies, relyingPartyOf } from "./people/passkey-ceremony.ts";
import { PasskeyChallenges } from "./people/passkey-challenge.ts";
import { passkeyRoutes, passkeySignInRoutes } from "./people/passkey-routes.ts";
import { personRoutes } from "./people/person-routes.ts";
import { presenceRoutes } from "./people/presence-routes.ts";
import { roleRoutes } from "./people/role-routes.ts";
import { openIssuer, openMailer } from "./people/service.ts";
import { Sessions } from "./people/session-cookie-wire.ts";
import { type SignInCodes, sessionRoutes, signInRoutes } from "./people/session-routes.ts";
import { SignInLinks } from "./people/sign-in-links.ts";
import { referenceRoutes } from "./reference/routes.ts";
import { serverLimits, uploadLimits } from "./server-limits.ts";
import type { Settings } from "./settings.ts";
import { type Opened, open, type Stores, toStores } from "./stores.ts";
import { transferRoutes } from "./transfer/routes.ts";
import { typeRoutes } from "./type/routes.ts";
import { uploadRoutes } from "./upload/routes.ts";
import { type UploadsTree, uploadsFollower, whenShown } from "./upload/tree-store.ts";
import { duesOf, Schedule, scheduleLookMs } from "./version/schedule-service.ts";
import { trashRoutes } from "./version/trash-routes.ts";
import { viewRoutes } from "./view/routes.ts";
import { webhookRoutes } from "./webhook/routes.ts";
import { Webhooks } from "./webhook/service.ts";

/** Assembles the service. It and stores.ts choose the adapters. */

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
  const opened = await open(settings, settings.indexKeys, log.error);
  let service: Service | undefined;
  try {
    await opened.bytes.refuseWrong();
    service = new Service(settings, opened, log, companions);
    // The uploads tree, which starts later, shows what this stores.
    await prepare?.(toStores(opened));
    await service.listen();
    return service;
  } catch (error) {
    await (service ?? toStores(opened)).close();
    throw error;
  }
}

const tidyEveryMs = 3600 * 1000;
/** The delay after the start, which must not wait for it. */
const firstLookMs = 1000;
const clockEveryMs = 60_000;

class Service implements App {
  readonly stores: Stores;
  readonly api: readonly Route[];
  url = "";
  private readonly settings: Settings;
  private readonly uploadsRoot: string;
  private readonly staging: Staging;
  private readonly renderer: SharpRenderer;
  private readonly prose = openProse();
  private readonly leads: boolean;
  private readonly tree: UploadsTree | undefined;
  private readonly log: Log;
  private readonly server: HttpServer;
  private readonly sessions: Sessions;
  private readonly signInThrottle: SignInThrottle;
  private readonly ceremonies: Ceremonies;
  private readonly docs: Docs;
  private readonly metrics: Metrics;
  /** Those of all processes of the service. */
  private readonly allFigures: Metrics["samples"];
  private readonly webhooks: Webhooks;
  readonly signInCodes = new SignInLinks(() => this.settings.publicUrl ?? localUrl(this.url));
  private readonly allCodes: SignInCodes;
  private readonly startedMs = performance.now();
  private isOpen = true;
  private timers: NodeJS.Timeout[] = [];
  private choreTicks = 0;
  /** Why it was not ready at the last check. */
  private unready: string | undefined;
  private readonly clockWatch = new ClockWatch();
  /** Takes a process or a scan of the log, so the result is cached. */
  private readonly clock = memoFor(() => this.stores.clock(nowSeconds()), clockEveryMs);

  constructor(settings: Settings, opened: Opened, log: Log, companions: Companions) {
    this.settings = settings;
    this.uploadsRoot = opened.uploadsRoot;
    this.staging = opened.staging;
    this.renderer = openRenderer(settings, opened);
    this.leads = companions.leads;
    this.allCodes = companions.signInCodes ?? this.signInCodes;
    this.tree = settings.uploadsTree === "on" && companions.leads ? opened.tree : undefined;
    const stores = toStores(opened);
    const { treeShows } = companions;
    const isElsewhere = settings.uploadsTree === "on" && treeShows !== undefined;
    this.stores = { ...stores, ...(isElsewhere ? whenShown(stores, treeShows) : this.tree?.stores) };
    this.log = log;
    this.sessions = new Sessions({
      signingKey: this.stores.signingKey,
      sessionHours: settings.adminSessionHours,
      maxPerToken: settings.adminSessionsMax,
      trashKeepDays: settings.trashKeepDays,
      uploadMaxBytes: settings.uploadMaxBytes,
      previewUrl: settings.previewUrl,
      siteUrl: settings.siteUrl,
      publicUrl: settings.publicUrl,
      hasMcp: settings.mcp === "on",
      sessions: this.stores.sessions,
      tokens: this.stores.tokens,
      people: this.stores.people,
    });
    this.ceremonies = new Ceremonies({
      challenges: new PasskeyChallenges(this.stores.signingKey),
      relyingParty: () => relyingPartyOf(settings.publicUrl, this.url),
    });
    this.signInThrottle = new SignInThrottle(settings.authFailuresPerMinute > 0);
    this.webhooks = new Webhooks(this.stores, settings, { version, onError: (error) => log.error("webhooks", error) });
    this.docs = new Docs(settings.publicUrl, settings.uploadsPrivate === "on");
    const traffic = new Traffic();
    const webhooks = this.webhooks.sender;
    this.metrics = new Metrics({
      version,
      traffic,
      webhooks,
      stores: this.stores,
      renderer: this.renderer,
      open: () => this.server.open(),
      stats: () => this.stats(),
      refuseUnready: () => this.refuseUnready(),
      freeBytes: () => freeBytes(settings.data),
    });
    this.allFigures = async () => {
      const others = (await companions.figuresOfOthers?.()) ?? [];
      return joinSamples([await this.metrics.samples(), ...others]);
    };
    this.api = this.apiRoutes();
    this.server = new HttpServer([...this.api, ...this.otherRoutes()], {
      stores: this.stores,
      sessions: this.sessions,
      log: traffic.counting(log),
      freeBytes: () => freeBytes(settings.data),
      ...serverLimits(settings),
      uploads: { blobs: this.stores.blobs, ...uploadLimits(settings) },
    });
  }

  async listen(): Promise<void> {
    await this.server.listen(this.settings.host, this.settings.port);
    const { address, family, port } = this.server.server.address() as AddressInfo;
    this.url = `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
    const { metricsHost, metricsPort } = this.settings;
    if (metricsPort > 0) await this.metrics.listen(metricsHost, metricsPort, this.allFigures);
    await unlessDamaged(this.tree?.start());
    if (!this.leads) return;
    this.chore("tidy", this.staging.tidy(Date.now()));
    if (!this.tree) this.chore("uploads tree", forgetFollower(this.stores.events, uploadsFollower));
    this.webhooks.start();
    const schedules = Object.entries(duesOf(this.stores));
    this.timers = [
      setTimeout(() => this.look(), firstLookMs),
      // Not at once: a service that only reads then never starts the writer's thread, which takes memory.
      setInterval(() => this.runChores(), choreTickSeconds * 1000),
      ...schedules.map(([name, due]) => {
        const schedule = new Schedule(this.stores, due);
        return setInterval(() => this.chore(name, schedule.look(nowSeconds())), scheduleLookMs);
      }),
      setInterval(() => this.chore("tidy", this.staging.tidy(Date.now())), tidyEveryMs),
      setInterval(() => this.lookAtClock(), tidyEveryMs),
      setInterval(() => this.clockWatch.wasSetBack(clockSlackSeconds) && this.lookAtClock(), clockEveryMs),
    ];
    for (const timer of this.timers) timer.unref();
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const timer of this.timers) clearInterval(timer);
    // A request still running after the time limit loses its connection; its write, if it had one, is complete or absent.
    const cut = setTimeout(() => this.server.server.closeAllConnections(), this.settings.shutdownSeconds * 1000);
    await this.server.close();
    clearTimeout(cut);
    this.metrics.close();
    await this.webhooks.stop();
    await this.renderer.close();
    await this.prose.close();
    // Work that cannot be saved now is repeated at the next start.
    await this.tree?.stop().catch((error: unknown) => this.log.error("uploads tree", error));
    await this.stores.close();
    this.log.close();
  }

  figures(): Promise<Sample[]> {
    return this.metrics.samples();
  }

  async treeShows(sequence: number): Promise<void> {
    await this.tree?.shows(sequence);
  }

  signInLink(options?: { asksOwner?: boolean }): string {
    return this.signInCodes.make(options);
  }

  private apiRoutes(): Route[] {
    const { stores, settings, uploadsRoot, prose } = this;
    const watch = new LogWatch(stores.events);
    const routes = [
      ...contentRoutes(stores, settings, { uploadsRoot, version, prose, watch, drawer: this.renderer }),
      ...uploadRoutes(stores.files, stores.blobs, {
        isPrivate: settings.uploadsPrivate === "on",
        signingKey: stores.signingKey,
        groups: groupsOf(settings),
      }),
      ...pictureRoutes(stores, settings, this.renderer, groupsOf(settings)),
      ...typeRoutes(stores.types),
      ...referenceRoutes(stores),
      ...trashRoutes(stores.trash, {
        keepDays: settings.trashKeepDays,
        extensions: settings.uploadTypes,
        people: stores.people,
      }),
      ...tokenRoutes(stores.tokens),
      ...previewTokenRoutes(stores.tokens),
      ...sessionRoutes(stores.sessions, stores.people),
      ...passkeyRoutes(stores, this.ceremonies),
      ...personRoutes(stores, {
        linkBase: () => this.signInCodes.base(),
        throttle: this.signInThrottle,
        issuer: settings.oidcIssuer,
        mailer: openMailer(settings),
        onMailFailure: (error) => this.log.error("mail", error),
      }),
      ...roleRoutes(stores.roles),
      ...viewRoutes(stores),
      ...eventRoutes(stores.events, stores.people, watch),
      ...webhookRoutes(stores.webhooks, this.webhooks),
      ...healthRoutes({
        refuseUnready: () => this.refuseUnready(),
        degraded: degradation(stores.reachBucket, (error) => this.log.error("bucket", error)),
        isOpen: () => this.isOpen,
        check: () => this.stores.check(),
        stats: () => this.stats(),
      }),
      metricsRoute(this.allFigures),
      openApiRoute(this.docs, stores),
    ];
    return [...routes, ...batchRoutes(routes, stores)].map((one) =>
      reportIgnored(one, settings.argumentsStrict === "on"),
    );
  }

  /** Of other protocols, which have descriptions of their own, and pages: the description of the API omits both. */
  private otherRoutes(): Route[] {
    const { settings, sessions, stores, ceremonies } = this;
    const hasAdminPage = settings.adminPage === "on";
    const forAgents = settings.mcp === "on" ? mcpRoutes(this.api, stores, { ...settings, version }) : [];
    const transfers = transferOptionsOf(settings, this.uploadsRoot);
    const pages = [
      ...transferRoutes(stores, transfers),
      ...forAgents,
      ...rootRoutes(hasAdminPage),
      ...docsRoutes(this.docs),
    ];
    if (!hasAdminPage) return pages;
    const issuer = openIssuer(settings);
    const takesTokens = settings.tokenSignIn === "on";
    const ways = { sessions, codes: this.allCodes, throttle: this.signInThrottle, takesTokens, ceremonies };
    const oidc = oidcRoutes({
      issuer,
      sessions,
      people: stores.people,
      signingKey: stores.signingKey,
      publicUrl: settings.publicUrl,
      rules: { roleClaim: settings.oidcRoleClaim, trustsEmail: settings.oidcTrustEmail === "on" },
      base: () => this.signInCodes.base(),
      onFailure: (error) => this.log.error("oidc", error),
    });
    return [
      ...pages,
      ...adminRoutes(stores.people, { issuer: issuer?.name, previewUrl: settings.previewUrl }),
      ...signInRoutes(stores, ways),
      ...passkeySignInRoutes(stores, ways),
      ...oidc,
      ...presenceRoutes(stores, sessions),
    ];
  }

  private async refuseUnready(): Promise<void> {
    try {
      await this.stores.refuseUnready();
      this.unready = undefined;
    } catch (error) {
      const { message } = error as Error;
      // Logged once: this check runs each second.
      if (message !== this.unready) this.log.error("ready", error);
      this.unready = message;
      throw unready(error);
    }
  }

  private async stats(): Promise<Stats> {
    const clock = await this.clock().catch(() => undefined);
    return { version, ...(await statsOf(this.stores, clock, performance.now() - this.startedMs)) };
  }

  /** Background checks: the database file, and the clock. */
  private look(): void {
    this.chore("database check", this.stores.check());
    this.lookAtClock();
  }

  private lookAtClock(): void {
    const tell = async () => {
      const sentence = formatClock(await this.stores.clock(nowSeconds()));
      if (sentence !== undefined) this.log.error("clock", sentence);
    };
    this.chore("clock", tell());
  }

  private runChores(): void {
    const due = dueChores(++this.choreTicks * choreTickSeconds);
    const now = nowSeconds();
    const run = async () => {
      for (const chore of due) await this.chore(chore.name, this.runChore(chore, now));
    };
    this.chore("chores", this.stores.alone("chores", run));
  }

  private runChore({ name, run }: Chore, now: number): Promise<unknown> {
    return run(this.stores, this.settings, now, (sentence) => this.log.error(name, sentence));
  }

  /** Resolves when the work has finished; an error is logged, and does not prevent other chores. */
  private async chore(name: string, work: Promise<unknown>): Promise<void> {
    // A stop aborts running checks.
    await work.catch((error: unknown) => this.isOpen && this.log.error(name, error));
  }
}

/** From the system clock, which may be changed. */
const nowSeconds = (): number => Math.floor(Date.now() / 1000);
