import { freeBytes } from "../core/bytes/disk/room.ts";
import { clockSlackSeconds, formatClock } from "../core/clock.ts";
import { Traffic } from "../core/http/traffic.ts";
import { ClockWatch } from "../core/lib/clock-watch.ts";
import { memoFor } from "../core/lib/memo.ts";
import { joinSamples, type MetricRows, metricsText } from "../core/metric.ts";
import { features } from "../features.ts";
import { nowSeconds, type Served, type Service } from "../service.ts";
import { healthMetrics } from "./metrics.ts";
import { metricsRoute } from "./metrics-routes.ts";
import { Metrics } from "./metrics-service.ts";
import { degradation, healthRoutes, type Stats, unready } from "./routes.ts";
import { statsOf } from "./stats-service.ts";

/** What watches a service: whether it is ready, its figures, the file of its database and its clock. */

const clockEveryMs = 60_000;
const lookEveryMs = 3600 * 1000;
/** The delay of the first checks, for which the start must not wait. */
const firstLookMs = 1000;

/** What each request adds to. */
export const trafficOf = (_service: Service): Traffic => new Traffic();

/** Every metric of the service, its own first. */
export const metricRows = (): MetricRows => Object.assign({}, healthMetrics, ...features.map(({ metrics }) => metrics));

export function serveHealth(service: Service): Served {
  const { settings, stores, log, companions } = service;
  const watch = new HealthWatch(service);
  const metrics = new Metrics({
    version: service.version,
    traffic: service.part(trafficOf),
    stores,
    open: () => service.open(),
    stats: () => watch.stats(),
    refuseUnready: () => watch.refuseUnready(),
    freeBytes: () => freeBytes(settings.data),
  });
  const text = async () => {
    const rows = metricRows();
    const others = (await companions.figuresOfOthers?.()) ?? [];
    return metricsText(rows, joinSamples(rows, [await service.figures(), ...others]));
  };
  return {
    api: [
      ...healthRoutes({
        refuseUnready: () => watch.refuseUnready(),
        degraded: degradation(stores.reachBucket, (error) => log.error("bucket", error)),
        isOpen: service.isOpen,
        check: () => stores.check(),
        stats: () => watch.stats(),
      }),
      metricsRoute(text),
    ],
    figures: metrics.samples,
    start: async () => {
      if (settings.metricsPort > 0) await metrics.listen(settings.metricsHost, settings.metricsPort, text);
      if (companions.leads) watch.start();
    },
    stop: () => {
      watch.stop();
      metrics.close();
    },
  };
}

class HealthWatch {
  private readonly service: Service;
  private readonly startedMs = performance.now();
  private readonly clockWatch = new ClockWatch();
  /** Why it was not ready at the last check. */
  private unready: string | undefined;
  private firstLook: NodeJS.Timeout | undefined;
  /** Takes a process or a scan of the log, so the result is cached. */
  private readonly clock = memoFor(() => this.service.stores.clock(nowSeconds()), clockEveryMs);

  constructor(service: Service) {
    this.service = service;
  }

  async refuseUnready(): Promise<void> {
    try {
      await this.service.stores.refuseUnready();
      this.unready = undefined;
    } catch (error) {
      const { message } = error as Error;
      // Logged once: this check runs each second.
      if (message !== this.unready) this.service.log.error("ready", error);
      this.unready = message;
      throw unready(error);
    }
  }

  async stats(): Promise<Stats> {
    const { stores, version } = this.service;
    const clock = await this.clock().catch(() => undefined);
    return { version, ...(await statsOf(stores, clock, performance.now() - this.startedMs)) };
  }

  /** Begins the checks in the background: of the database file, and of the clock. */
  start(): void {
    const { service } = this;
    this.firstLook = setTimeout(() => {
      service.chore("database check", service.stores.check());
      service.chore("clock", this.lookAtClock());
    }, firstLookMs).unref();
    service.every(lookEveryMs, "clock", () => this.lookAtClock());
    service.every(clockEveryMs, "clock", async () => {
      if (this.clockWatch.wasSetBack(clockSlackSeconds)) await this.lookAtClock();
    });
  }

  stop(): void {
    clearTimeout(this.firstLook);
  }

  private async lookAtClock(): Promise<void> {
    const sentence = formatClock(await this.service.stores.clock(nowSeconds()));
    if (sentence !== undefined) this.service.log.error("clock", sentence);
  }
}
