import type { Server } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { durationBounds, type Traffic } from "../core/http/traffic.ts";
import { memoFor } from "../core/lib/memo.ts";
import { figure, ifAnswered, type Sample } from "../core/metric.ts";
import type { Stores } from "../stores.ts";
import type { healthMetrics } from "./metrics.ts";
import { metricsAnswer } from "./metrics-routes.ts";
import type { Stats } from "./routes.ts";

/** Gathers the figures of /metrics. Contract, part three, §20. */

/** Counting rows takes longer in a larger store: /api/stats, docs/operations.md. */
const storeSizesMs = 60_000;

type Watched = {
  version: string;
  stores: Stores;
  traffic: Traffic;
  /** How many connections and streams are open. */
  open(): Promise<{ connections: number; streams: number }>;
  stats(): Promise<Stats>;
  /** Rejects while the service can take no requests. */
  refuseUnready(): Promise<void>;
  /** On the disk of the data folder; undefined where it cannot be asked. */
  freeBytes(): number | undefined;
};

/** The figures of this process. Nothing but counters runs before the first scrape. */
export class Metrics {
  private readonly watched: Watched;
  private delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
  private readonly sizes = memoFor(() => this.storeSizes(), storeSizesMs);
  private server: Server | undefined;

  constructor(watched: Watched) {
    this.watched = watched;
  }

  readonly samples = async (): Promise<Sample[]> => [
    { name: "octavo_build_info", labels: { version: this.watched.version }, value: 1 },
    ...this.requests(),
    ...(await this.now()),
    ...((await ifAnswered(this.sizes())) ?? []),
    ...this.process(),
  ];

  /** Answers GET /metrics to anybody who reaches this address. Rejects when it cannot listen there. */
  async listen(host: string, port: number, text: () => Promise<string>): Promise<void> {
    const { createServer } = process.getBuiltinModule("node:http");
    this.server = createServer(async ({ method, url }, response) => {
      const isRead = method === "GET" || method === "HEAD";
      if (!isRead || url?.split("?", 1)[0] !== "/metrics") return void response.writeHead(404).end();
      const answer = await ifAnswered(metricsAnswer(text));
      if (!answer) return void response.writeHead(503).end();
      const { body, contentType } = answer;
      response.writeHead(200, { "Content-Type": contentType, "Cache-Control": "no-store" }).end(String(body));
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.server.once("error", reject).listen({ host, port }, () => resolve());
    await promise;
  }

  close(): void {
    this.delay?.disable();
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private requests(): Sample[] {
    return [...this.watched.traffic.of].flatMap(([route, { statuses, durations, seconds }]) => {
      const labels = { route: route?.url ?? "", method: route?.method ?? "" };
      const name = "octavo_http_request_duration_seconds";
      let count = 0;
      const buckets = [...durationBounds, "+Inf"].map((le, i): Sample => {
        count += durations[i] as number;
        return { name, suffix: "_bucket", labels: { ...labels, le: String(le) }, value: count };
      });
      return [
        ...[...statuses].flatMap((value, status): Sample[] =>
          value > 0
            ? [{ name: "octavo_http_requests_total", labels: { ...labels, status: `${status}xx` }, value }]
            : [],
        ),
        ...buckets,
        { name, suffix: "_sum", labels, value: seconds },
        { name, suffix: "_count", labels, value: count },
      ];
    });
  }

  private async now(): Promise<Sample[]> {
    const { stores } = this.watched;
    const store = stores.figures();
    const { connections, streams } = await this.watched.open();
    const notReady = this.watched.refuseUnready().then(
      () => 0,
      () => 1,
    );
    const bounds = await ifAnswered(stores.events.bounds());
    return [
      ...named({
        octavo_connections: connections,
        octavo_streams: streams,
        octavo_writes_waiting: store.writesWaiting,
        octavo_writes_total: store.writes,
        octavo_write_groups_total: store.writeGroups,
        octavo_scans_waiting: store.scansWaiting,
        octavo_cache_hits_total: store.cacheHits,
        octavo_cache_misses_total: store.cacheMisses,
        octavo_event_sequence: bounds?.newest,
        octavo_event_oldest: bounds?.oldest,
        octavo_store_damaged: Number(stores.damage().length > 0),
        octavo_not_ready: await ifAnswered(notReady),
        octavo_disk_free_bytes: this.watched.freeBytes(),
        octavo_processes: 1,
      }),
      ...(store.connectionsWaitedFor === undefined
        ? []
        : [{ ...waitsForConnection, value: store.connectionsWaitedFor }]),
    ];
  }

  private async storeSizes(): Promise<Sample[]> {
    const stats = await this.watched.stats();
    return named({
      octavo_entries: stats.entries,
      octavo_files: stats.files,
      octavo_blob_bytes: stats.blob_bytes,
      octavo_store_bytes: stats.store_bytes,
      octavo_history_bytes: stats.history_bytes,
      octavo_trash_bytes: stats.trash_bytes,
      octavo_rendition_bytes: stats.rendition_bytes,
      octavo_unknown_uploads: stats.unknown_uploads,
      octavo_webhooks_failed: stats.webhooks_failed,
      octavo_clock_behind_seconds: stats.clock_behind_seconds,
    });
  }

  private process(): Sample[] {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    const samples = named({
      process_cpu_seconds_total: (user + system) / 1e6,
      process_resident_memory_bytes: rss,
      process_start_time_seconds: performance.timeOrigin / 1000,
      nodejs_heap_used_bytes: heapUsed,
      nodejs_heap_size_bytes: heapTotal,
      nodejs_external_memory_bytes: external,
    });
    return [...samples, ...this.eventLoop()];
  }

  /** The delay of the event loop since the last scrape; from the second one on. */
  private eventLoop(): Sample[] {
    if (!this.delay) {
      this.delay = monitorEventLoopDelay({ resolution: delayResolutionMs });
      this.delay.enable();
      return [];
    }
    // A delay is measured from a timer that comes late: on time it is the resolution.
    const secondsOf = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - delayResolutionMs / 1000);
    const samples = named({
      nodejs_eventloop_delay_p99_seconds: secondsOf(this.delay.percentile(99)),
      nodejs_eventloop_delay_max_seconds: secondsOf(this.delay.max),
    });
    this.delay.reset();
    return samples;
  }
}

/** A timer in the background, once the first scrape came. */
const delayResolutionMs = 20;

const waitsForConnection = { name: "octavo_scans_waiting", labels: { for: "postgres_connections" } } as const;

type MetricName = keyof typeof healthMetrics;

/** Figures without labels; those that are not available are left out. */
const named = (figures: Partial<Record<MetricName, number | string | undefined>>): Sample[] =>
  Object.entries(figures).flatMap(([name, value]) => figure(name, value));
