import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { freePort } from "../../test/free-port.ts";
import { until, useWorld } from "../../test/harness.ts";
import { startReceiver } from "../../test/hook-receiver.ts";
import { Traffic } from "../core/http/traffic.ts";
import { joinSamples, metricsText } from "../core/metric.ts";
import { Metrics } from "./metrics-service.ts";
import { metricRows } from "./service.ts";

const rows = metricRows();

const port = await freePort();
const world = useWorld({ "metrics-port": String(port), "webhook-private": "on" });

const scrape = (token: string) => world.send("GET", "/metrics", { headers: { Authorization: `Bearer ${token}` } });
const local = async (path = "/metrics", method = "GET") => fetch(`http://127.0.0.1:${port}${path}`, { method });

/** The value of a series, by its whole name; undefined where there is none. */
const figureIn = (text: string, series: string): number | undefined => {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

test("/metrics takes a management token with admin", async () => {
  assert.equal((await world.send("GET", "/metrics")).status, 401);
  assert.equal((await scrape(world.token.delivery)).status, 403);
  const { secret } = await world.issue("management", ["entries"]);
  assert.equal((await scrape(secret)).status, 403);
  const reply = await scrape(world.token.management);
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(reply.headers.get("cache-control"), "no-store");
});

test("the port of metrics asks for no token and answers nothing else", async () => {
  const text = await (await local()).text();
  assert.match(
    text,
    /^# HELP octavo_build_info .+\n# TYPE octavo_build_info gauge\noctavo_build_info\{version="[^"]+"\} 1\n/,
  );
  assert.equal((await local("/api/entries")).status, 404);
  assert.equal((await local("/metrics", "POST")).status, 404);
});

test("requests are counted by route, method and class of status, with the time that they took", async () => {
  const before = await (await local()).text();
  const labels = 'route="/api/entries",method="GET"';
  const read = (id: string) => world.send("GET", `/api/entries?id=${id}&token=${world.token.delivery}`);
  for (let i = 0; i < 3; i++) assert.equal((await read(`none-${i}`)).status, 404);
  await world.send("GET", "/no/such/route");
  const after = await (await local()).text();
  const grown = (series: string) => (figureIn(after, series) ?? 0) - (figureIn(before, series) ?? 0);
  assert.equal(grown(`octavo_http_requests_total{${labels},status="4xx"}`), 3);
  assert.equal(grown(`octavo_http_request_duration_seconds_bucket{${labels},le="+Inf"}`), 3);
  assert.equal(grown(`octavo_http_request_duration_seconds_count{${labels}}`), 3);
  assert.ok(grown(`octavo_http_request_duration_seconds_sum{${labels}}`) > 0);
  assert.equal(grown('octavo_http_requests_total{route="",method="",status="4xx"}'), 1);
});

test("writes and their transactions, reads from the cache and from the database, and the log are counted", async () => {
  const before = await (await local()).text();
  const { token } = world;
  const body = { id: "counted", data: {}, token: token.management, access_token: token.access };
  assert.equal((await world.send("POST", "/api/entries", { body })).status, 200);
  for (let i = 0; i < 2; i++) await world.send("GET", `/api/entries?id=counted&token=${token.delivery}`);
  const after = await (await local()).text();
  const grown = (series: string) => (figureIn(after, series) ?? 0) - (figureIn(before, series) ?? 0);
  assert.ok(grown("octavo_writes_total") >= 1);
  assert.ok(grown("octavo_write_groups_total") >= 1);
  assert.ok(grown("octavo_cache_hits_total") >= 1);
  assert.ok(grown("octavo_cache_misses_total") >= 1);
  assert.equal(grown("octavo_event_sequence"), 1);
  assert.equal(figureIn(after, "octavo_writes_waiting"), 0);
});

test("webhooks: attempts by outcome, and how long the oldest event waits until it is acknowledged", async () => {
  const receiver = await startReceiver();
  receiver.answer = (reply) => reply.writeHead(500).end();
  const headers = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
  const call = (method: string, path: string, body: object) => world.send(method, path, { headers, body });
  const figure = async (series: string) => figureIn(await (await local()).text(), series) as number;
  assert.equal(await figure("octavo_webhook_lag_seconds"), 0);
  const made = await call("POST", "/api/webhooks", { url: receiver.url });
  const { id } = made.json.data as { id: string };
  await call("POST", "/api/entries", { id: "told", data: {} });
  await receiver.has(1);
  const sequence = receiver.received[0]?.json.data.from;
  const waits = async () => (await figure("octavo_webhook_lag_seconds")) > 0;
  await until(waits, "the event does not wait");
  assert.ok((await figure('octavo_webhook_attempts_total{outcome="failed"}')) >= 1);
  receiver.answer = (reply) => reply.writeHead(204).end();
  assert.equal((await call("POST", "/api/webhooks/resend", { id, sequence })).status, 200);
  assert.ok((await figure('octavo_webhook_attempts_total{outcome="acknowledged"}')) >= 1);
  assert.equal(await figure("octavo_webhook_lag_seconds"), 0);
  assert.equal((await call("DELETE", "/api/webhooks", { id })).status, 204);
});

test("a store that does not answer takes its own figures away, and a failure is 503", async (t) => {
  const broken = async () => Promise.reject(new Error("on purpose"));
  const stores = { ...world.app.stores, events: { bounds: broken }, sessions: { count: broken } };
  const metrics = new Metrics({
    ...{ version: "1", traffic: new Traffic(), stores: stores as never, stats: broken },
    open: async () => ({ connections: 0, streams: 0 }),
    ...{ refuseUnready: broken, freeBytes: () => undefined },
  });
  t.after(() => metrics.close());
  const text = metricsText(rows, await metrics.samples());
  assert.equal(figureIn(text, "octavo_writes_waiting"), 0);
  assert.equal(figureIn(text, "octavo_event_sequence"), undefined);
  assert.equal(figureIn(text, "octavo_entries"), undefined);
  assert.equal(figureIn(text, "octavo_not_ready"), 1);
  assert.equal(figureIn(text, "octavo_disk_free_bytes"), undefined);
  const other = await freePort();
  await metrics.listen("127.0.0.1", other, broken);
  assert.equal((await fetch(`http://127.0.0.1:${other}/metrics`)).status, 503);
});

test("reads that wait for a connection are a series of their own, where lists need one", async (t) => {
  const series = 'octavo_scans_waiting{for="postgres_connections"}';
  assert.equal(figureIn(await (await local()).text(), series), undefined, "on SQLite they need none");
  const { stores } = world.app;
  const metrics = new Metrics({
    ...{ version: "1", traffic: new Traffic(), stats: async () => Promise.reject(new Error("none")) },
    stores: { ...stores, figures: () => ({ ...stores.figures(), connectionsWaitedFor: 3 }) },
    open: async () => ({ connections: 0, streams: 0 }),
    ...{ refuseUnready: async () => undefined, freeBytes: () => undefined },
  });
  t.after(() => metrics.close());
  const text = metricsText(rows, await metrics.samples());
  assert.deepEqual([figureIn(text, series), figureIn(text, "octavo_scans_waiting")], [3, 0]);
});

test("at most 40 metrics, each with its help and type, and nothing else", async () => {
  await scrape(world.token.management);
  const text = await (await local()).text();
  const names = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(([, name]) => name);
  assert.ok(names.length <= 40);
  assert.deepEqual(new Set(names), new Set(Object.keys(rows)));
  for (const line of text.trimEnd().split("\n"))
    assert.match(line, /^(?:# (?:HELP|TYPE) .+|[a-z_0-9]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)+\})? -?[\d.e+-]+)$/);
});

test("figures of several processes become those of the service", () => {
  const joined = joinSamples(rows, [
    [
      { name: "octavo_writes_total", value: 2 },
      { name: "octavo_entries", value: 7 },
    ],
    [
      { name: "octavo_writes_total", value: 3 },
      { name: "octavo_entries", value: 7 },
    ],
    [{ name: "octavo_renders_total", labels: { outcome: "drawn" }, value: 1 }],
  ]);
  const text = metricsText(rows, joined);
  assert.equal(figureIn(text, "octavo_writes_total"), 5);
  assert.equal(figureIn(text, "octavo_entries"), 7);
  assert.equal(figureIn(text, 'octavo_renders_total{outcome="drawn"}'), 1);
});

test("the guide to operations names every metric, and no other", () => {
  const guide = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const named = new Set([...guide.matchAll(/^\| `((?:octavo|process|nodejs)_[a-z0-9_]+)`/gm)].map(([, name]) => name));
  assert.deepEqual(named, new Set(Object.keys(rows)));
});

test("the alert rules and the dashboard name metrics that exist", () => {
  for (const file of ["alerts.yml", "grafana.json"]) {
    const text = readFileSync(new URL(`../../deploy/${file}`, import.meta.url), "utf8");
    const named = [...text.matchAll(/\b(?:octavo|process|nodejs)_[a-z0-9_]+\b/g)].map(([name]) => name);
    assert.ok(named.length > 10);
    for (const name of named) assert.ok(name.replace(/_(?:bucket|sum|count)$/, "") in rows, `${file}: ${name}`);
  }
});

const promtool = spawnSync("promtool", ["--version"]).status === 0;
test("a node that is down, one that refuses and a disk that fills have an alarm, and a job that they name", async () => {
  const text = await (await local()).text();
  assert.equal(figureIn(text, "octavo_not_ready"), 0);
  assert.ok((figureIn(text, "octavo_disk_free_bytes") ?? 0) > 0);
  const read = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), "utf8");
  const rules = read("alerts.yml");
  for (const expression of ['up{job="octavo"} == 0', "octavo_not_ready > 0", "octavo_disk_free_bytes <"])
    assert.ok(rules.includes(expression), expression);
  assert.match(read("prometheus.yml"), /^rule_files: \[alerts\.yml\]$[\s\S]*^ +- job_name: octavo$/m);
});

test("Prometheus takes the metrics and the alert rules", {
  skip: !promtool && "promtool is not installed",
}, async () => {
  const rules = new URL("../../deploy/alerts.yml", import.meta.url).pathname;
  const checked = spawnSync("promtool", ["check", "rules", rules], { encoding: "utf8" });
  assert.equal(checked.status, 0, checked.stderr);
  const linted = spawnSync("promtool", ["check", "metrics"], { input: await (await local()).text(), encoding: "utf8" });
  assert.equal(linted.status, 0, linted.stdout + linted.stderr);
});
