import { manages } from "../core/http/auth.ts";
import type { Answer } from "../core/http/reply.ts";
import { type Route, route } from "../core/http/route.ts";

/** `/metrics`, in the text format of Prometheus (exposition format 0.0.4). Contract, part three, §20. */

type Row = {
  type: "counter" | "gauge" | "histogram";
  help: string;
  /** How the figures of several processes of one service become one: sizes of the same store are no sum. */
  joined: "sum" | "max";
};

const counter = (help: string): Row => ({ type: "counter", help, joined: "sum" });
const gauge = (help: string): Row => ({ type: "gauge", help, joined: "sum" });
/** Of the store, which all processes see alike. */
const shared = (help: string): Row => ({ type: "gauge", help, joined: "max" });

/** Every metric; docs/operations.md says what to alarm on, and test/http/metrics.test.ts compares the two. */
export const metricRows = {
  octavo_build_info: shared("1; the label is the version."),
  octavo_http_requests_total: counter("Requests by route, method and class of status."),
  octavo_http_request_duration_seconds: {
    type: "histogram",
    help: "Time from the arrival of a request to its reply, by route and method.",
    joined: "sum",
  },
  octavo_connections: gauge("Open connections of clients."),
  octavo_streams: gauge("Streams of events that are open."),
  octavo_writes_waiting: gauge("Writes that wait for their transaction or are in it."),
  octavo_writes_total: counter("Writes that were answered."),
  octavo_write_groups_total: counter("Transactions that writes shared."),
  octavo_scans_waiting: gauge(
    "Long reads that wait for their turn; with the label for, reads that wait for a connection.",
  ),
  octavo_cache_hits_total: counter("Point reads that a cache answered."),
  octavo_cache_misses_total: counter("Point reads that no cache answered."),
  octavo_renders_total: counter("Pictures that were drawn, by outcome."),
  octavo_renders_waiting: gauge("Pictures that wait to be drawn."),
  octavo_event_sequence: shared("The newest event of the log."),
  octavo_event_oldest: shared("The oldest event of the log."),
  octavo_webhook_lag_seconds: shared("How long the oldest event that a webhook is still to be sent has waited."),
  octavo_webhook_attempts_total: counter("Attempts to send to a webhook, by outcome."),
  octavo_webhooks_failed: shared("Webhooks that failed, and are sent nothing until they are switched on again."),
  octavo_sessions: shared("Sessions of the admin page that have not expired."),
  octavo_entries: shared("Entries of the store."),
  octavo_files: shared("Files of the store."),
  octavo_blob_bytes: shared("Bytes of all files, the same bytes counted once."),
  octavo_store_bytes: shared("Bytes of the database."),
  octavo_history_bytes: shared("Bytes of earlier contents."),
  octavo_trash_bytes: shared("Bytes of what is in the trash."),
  octavo_rendition_bytes: shared("Bytes of cached pictures on this disk."),
  octavo_unknown_uploads: shared("Files in uploads/ that the service did not create."),
  octavo_store_damaged: shared("1 while the database is damaged, and every write refused."),
  octavo_clock_behind_seconds: shared("How far the newest event is ahead of the clock."),
  octavo_not_ready: shared("1 while /health/ready refuses: the disk, the bucket or the database does not answer."),
  octavo_disk_free_bytes: shared("Free bytes on the disk of the data folder."),
  octavo_processes: gauge("Processes that answer requests."),
  process_cpu_seconds_total: counter("Processor time."),
  process_resident_memory_bytes: gauge("Memory, without the processes that draw."),
  process_start_time_seconds: {
    type: "gauge",
    help: "When the youngest process started, in Unix seconds.",
    joined: "max",
  },
  nodejs_heap_used_bytes: gauge("Memory of objects."),
  nodejs_heap_size_bytes: gauge("Memory that objects may use before the heap grows."),
  nodejs_external_memory_bytes: gauge("Memory of buffers."),
  nodejs_eventloop_delay_p99_seconds: shared("99th percentile of the event loop's delay since the last scrape."),
  nodejs_eventloop_delay_max_seconds: shared("The longest delay of the event loop since the last scrape."),
} as const satisfies Record<string, Row>;

export type MetricName = keyof typeof metricRows;

/** One figure. `suffix` is that of a histogram's series. */
export type Sample = { name: MetricName; value: number; labels?: Record<string, string>; suffix?: string };

/** The figures of several processes as those of one service. */
export function joinSamples(processes: readonly (readonly Sample[])[]): Sample[] {
  const joined = new Map<string, Sample>();
  for (const sample of processes.flat()) {
    const key = keyOf(sample);
    const other = joined.get(key);
    if (!other) joined.set(key, { ...sample });
    else if (metricRows[sample.name].joined === "max") other.value = Math.max(other.value, sample.value);
    else other.value += sample.value;
  }
  return [...joined.values()];
}

/** The text of the figures, each metric once, in the order of the table. */
export function metricsText(samples: readonly Sample[]): string {
  const byName = Map.groupBy(samples, ({ name }) => name);
  return Object.entries(metricRows)
    .map(([name, { type, help }]) => {
      const lines = (byName.get(name as MetricName) ?? []).map((sample) => `${keyOf(sample)} ${sample.value}\n`);
      return lines.length > 0 ? `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}` : "";
    })
    .join("");
}

function keyOf({ name, suffix = "", labels = {} }: Sample): string {
  const written = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return written.length > 0 ? `${name}${suffix}{${written.join(",")}}` : `${name}${suffix}`;
}

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`));

const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** The route for management tokens with `admin`, as `Authorization: Bearer`. `figures` answers those of the whole service. */
export const metricsRoute = (figures: () => Promise<readonly Sample[]>): Route =>
  route({
    unknown: "ignored",
    method: "GET",
    url: "/metrics",
    summary: "Metrics of the running service for Prometheus",
    need: manages("admin"),
    arguments: {},
    replyForm: { type: "text/plain", isBare: true },
    problems: [],
    handle: () => metricsAnswer(figures),
  });

export async function metricsAnswer(figures: () => Promise<readonly Sample[]>): Promise<Answer> {
  return { status: 200, body: metricsText(await figures()), contentType, cacheControl: "no-store" };
}
