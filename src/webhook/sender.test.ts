import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { test } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { atEnd } from "../../test/ending.ts";
import { until, useWorld } from "../../test/harness.ts";
import { type Received, type Receiver, startReceiver } from "../../test/hook-receiver.ts";
import { closed, listen } from "../../test/listening.ts";
import { Seal } from "../people/seal.ts";
import { HttpPoster } from "./send/post.ts";
import { WebhookSender } from "./sender.ts";
import type { Webhook } from "./webhook.ts";

/** Deliveries of webhooks, as receivers see them. Contract, part three, §12, Webhooks. */

const world = useWorld({ "webhook-private": "on" });

const headers = () => ({ Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access });
type Data = Record<string, unknown> & { id: string; secret: string };
async function call(method: string, path: string, body?: object, more: Record<string, string> = {}): Promise<Data> {
  const reply = await world.send(method, path, { headers: { ...headers(), ...more }, ...(body && { body }) });
  assert.ok(reply.status < 300, reply.text);
  return reply.json.data as Data;
}
/** A webhook of entries below a path of its own, and what writes there. */
async function hook(more: object = {}) {
  const receiver = await startReceiver();
  const path = `p-${randomUUID()}`;
  const webhook = await call("POST", "/api/webhooks", { url: receiver.url, paths: [path], ...more });
  const remove = () => call("DELETE", "/api/webhooks", { id: webhook.id });
  const write = (name: string, data: object = {}) => call("POST", "/api/entries", { id: `${path}/${name}`, data });
  const now = () => call("GET", `/api/webhooks?id=${webhook.id}`);
  const attempts = async () =>
    (await call("GET", `/api/webhooks/deliveries?id=${webhook.id}`)) as unknown as Record<string, unknown>[];
  return { receiver, path, webhook, write, remove, now, attempts };
}

const first = ({ received }: Receiver): Received => received[0] as Received;
const subjects = ({ received }: Receiver) => received.map(({ json }) => json.data.events.map(({ subject }) => subject));

test("a delivery is signed as Standard Webhooks says, and names the events of one write", async () => {
  const { receiver, path, webhook, write, remove, now, attempts } = await hook();
  const made = await write("a", { title: "Ä secret text" });
  await receiver.has(1);
  const { headers, body, json } = first(receiver);
  for (const library of [new StandardWebhook(webhook.secret), new SvixWebhook(webhook.secret)]) {
    library.verify(body, headers as Record<string, string>);
    assert.throws(() => library.verify(body.replace("entry", "entri"), headers as Record<string, string>));
  }
  const event = json.data.events[0];
  assert.equal(json.type, "octavo.changes");
  assert.match(String(json.timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
  assert.deepEqual([event?.kind, event?.subject], ["entry.create", `${path}/a`]);
  const { groups, ...data } = json.data;
  assert.deepEqual(data, { from: event?.sequence, to: event?.sequence, events: [event] });
  // What they are: src/core/http/cache-group.test.ts.
  assert.ok(groups.includes(`e-${made.uuid}`));
  assert.doesNotMatch(body, /secret text|gap/);
  assert.equal(headers["webhook-id"], `${webhook.id}_${event?.sequence}`);
  assert.equal(headers["content-type"], "application/json");
  assert.match(String(headers["user-agent"]), /^Octavo\/\d/);
  await until(async () => (await now()).sequence === event?.sequence, "not acknowledged");
  const [attempt] = await attempts();
  const { duration_ms, at, ...rest } = attempt ?? {};
  assert.deepEqual(rest, { sequence: event?.sequence, attempt: 1, status: 204, error: null, next_at: null });
  assert.ok(Number.isInteger(duration_ms) && Math.abs(Number(at) - Date.now() / 1000) < 600);
  await remove();
});

test("only events that fit kinds and paths are sent; those made together in one delivery, others by themselves", async () => {
  const { receiver, path, write, remove, now } = await hook({ kinds: ["entry.update", "entry.delete"] });
  await write("a");
  await write("b");
  await call("PATCH", "/api/entries", { id: `${path}/a`, data: { n: 1 } });
  await call("PATCH", "/api/entries", { id: `${path}/b`, data: { n: 2 } });
  const change = (name: string) => ({
    ...{ method: "PATCH", path: "/api/entries", body: { id: `${path}/${name}`, data: { n: 3 } } },
  });
  await call("POST", "/api/batch", { operations: [change("a"), { ...change("c"), method: "POST" }, change("b")] });
  await call("POST", "/api/entries", { id: `${path}x`, data: {} });
  await call("DELETE", "/api/entries", { id: `${path}x` });
  await call("POST", "/api/entries", { id: path, data: {} });
  await call("DELETE", "/api/entries", { id: path });
  await receiver.has(4);
  const last = receiver.received.at(-1)?.json.data.to;
  await until(async () => (await now()).sequence === last, "not acknowledged");
  assert.deepEqual(subjects(receiver), [[`${path}/a`], [`${path}/b`], [`${path}/a`, `${path}/b`], [path]]);
  const { from = 0, to = 0 } = receiver.received[2]?.json.data ?? {};
  assert.equal(to, from + 2);
  await remove();
});

test("a commit of more than a hundred events comes in several deliveries", async () => {
  const { receiver, path, remove } = await hook();
  const operations = Array.from({ length: 250 }, (_, i) => ({
    ...{ method: "POST", path: "/api/entries", body: { id: `${path}/n-${i}`, data: {} } },
  }));
  await call("POST", "/api/batch", { operations });
  await receiver.has(3);
  assert.deepEqual(
    receiver.received.map(({ json }) => json.data.events.length),
    [100, 100, 50],
  );
  assert.deepEqual(
    subjects(receiver).flat(),
    operations.map(({ body }) => body.id),
  );
  await remove();
});

test("a webhook that is switched off gets nothing, and then goes on where it stopped", async () => {
  const { receiver, path, webhook, write, remove } = await hook();
  await write("a");
  await receiver.has(1);
  await call("PATCH", "/api/webhooks", { id: webhook.id, state: "off" });
  await write("b");
  await write("c");
  await call("PATCH", "/api/webhooks", { id: webhook.id, state: "on" });
  await receiver.has(3);
  assert.deepEqual(
    subjects(receiver).flat(),
    ["a", "b", "c"].map((name) => `${path}/${name}`),
  );
  await remove();
});

test("after a rotation both secrets verify", async () => {
  const { receiver, webhook, write, remove } = await hook();
  const { secret } = await call("POST", "/api/webhooks/rotate", { id: webhook.id });
  await write("a");
  await receiver.has(1);
  const { headers, body } = first(receiver);
  for (const each of [secret, webhook.secret]) {
    new StandardWebhook(each).verify(body, headers as Record<string, string>);
    new SvixWebhook(each).verify(body, headers as Record<string, string>);
  }
  assert.equal(String(headers["webhook-signature"]).split(" ").length, 2);
  await remove();
});

test("a test is sent at once, whatever the state, and a request that is repeated sends nothing", async () => {
  const { receiver, webhook, remove, attempts } = await hook({ state: "off" });
  const key = { "Idempotency-Key": randomUUID() };
  const answer = await call("POST", "/api/webhooks/test", { id: webhook.id }, key);
  assert.deepEqual([answer.sequence, answer.attempt, answer.status, answer.error], [null, 1, 204, null]);
  assert.deepEqual(await call("POST", "/api/webhooks/test", { id: webhook.id }, key), answer);
  assert.equal(receiver.received.length, 1);
  const { headers, body, json } = first(receiver);
  new StandardWebhook(webhook.secret).verify(body, headers as Record<string, string>);
  assert.deepEqual([json.type, json.data.events], ["octavo.test", []]);
  receiver.answer = (reply) => reply.writeHead(500).end("no");
  assert.equal((await call("POST", "/api/webhooks/test", { id: webhook.id })).status, 500);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 2);
  assert.deepEqual(
    (await attempts()).map(({ status }) => status),
    [500, 204],
  );
  await remove();
});

test("a delivery that fails waits; sent again by hand it counts if it is the next", async () => {
  const { receiver, path, webhook, write, remove, now, attempts } = await hook();
  receiver.answer = (reply) => reply.writeHead(503).end();
  await write("a");
  await write("b");
  await receiver.has(1);
  await until(async () => (await attempts()).length === 1, "not kept");
  const [failed] = await attempts();
  const wait = Number(failed?.next_at) - Number(failed?.at);
  assert.ok(wait >= 4 && wait <= 7, String(wait));
  const failing = await now();
  assert.equal(failing.next_at, failed?.next_at);
  assert.ok(Number(failing.failing_since) > 0);
  receiver.answer = (reply) => reply.writeHead(200).end();
  const again = await call("POST", "/api/webhooks/resend", { id: webhook.id, sequence: failed?.sequence as number });
  assert.deepEqual([again.status, again.attempt, again.sequence], [200, 2, failed?.sequence]);
  await receiver.has(3);
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual(ids, [ids[0], ids[0], `${webhook.id}_${Number(failed?.sequence) + 1}`]);
  assert.equal(receiver.received[0]?.body, receiver.received[1]?.body);
  await until(async () => (await now()).failing_since === null, "not acknowledged");
  // One of before does not move its place.
  await call("POST", "/api/webhooks/resend", { id: webhook.id, sequence: failed?.sequence as number });
  assert.equal((await now()).sequence, Number(failed?.sequence) + 1);
  for (const sequence of [Number(webhook.sequence), Number.MAX_SAFE_INTEGER]) {
    const body = { id: webhook.id, sequence };
    const { json } = await world.send("POST", "/api/webhooks/resend", { headers: headers(), body });
    assert.equal(json.code, "webhook_delivery_not_found");
  }
  assert.deepEqual(subjects(receiver).flat().slice(-2), [`${path}/b`, `${path}/a`]);
  await remove();
});

// ------------------------------------------------------------------------------------------------- hostile receivers

const poster = (more: Partial<ConstructorParameters<typeof HttpPoster>[0]> = {}) =>
  new HttpPoster({ agent: "test", isPrivate: true, resolve: async () => ["127.0.0.1"], timeoutMs: 1500, ...more });
const sent = { headers: { "content-type": "application/json" }, body: "{}" };
const post = (url: string, more?: Parameters<typeof poster>[0]) => poster(more).post(url, sent);

async function answering(answer: (reply: ServerResponse) => void): Promise<string> {
  const server = createServer((_, reply) => {
    reply.on("error", () => undefined);
    answer(reply);
  });
  atEnd(() => closed(server));
  return listen(server);
}

test("redirects are not followed", async () => {
  const receiver = await startReceiver();
  const url = await answering((reply) => reply.writeHead(307, { location: receiver.url }).end());
  assert.deepEqual([(await post(url)).status, receiver.received.length], [307, 0]);
});

test("a receiver that never answers, or not in time, fails", async () => {
  const silent = await answering(() => undefined);
  const { error, status } = await post(silent, { timeoutMs: 50 });
  assert.deepEqual([error, status], ["timeout", null]);
  const slow = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 204 No Content\r\nx-endless: ");
    const timer = setInterval(() => socket.write("x"), 10);
    socket.on("close", () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
  atEnd(() => slow.close());
  const { port } = slow.address() as { port: number };
  assert.equal((await post(`http://127.0.0.1:${port}/`, { timeoutMs: 200 })).error, "timeout");
});

test("of an endless reply little is read, and its status counts", async () => {
  let written = 0;
  let isClosed = false;
  const endless = await answering((reply) => {
    const chunk = Buffer.alloc(64 * 1024);
    const write = () => {
      while (!reply.destroyed && reply.write(chunk)) written += chunk.length;
    };
    reply.writeHead(200).on("drain", write);
    reply.on("close", () => {
      isClosed = true;
    });
    write();
  });
  assert.equal((await post(endless)).status, 200);
  await until(() => isClosed, "still reading");
  assert.ok(written < 64 * 1024 * 1024, String(written));
});

/** What comes of a reply that is this text, after which the connection is closed. */
async function postTo(text: string) {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => server.close());
  const { status, error } = await post(`http://127.0.0.1:${(server.address() as { port: number }).port}/`);
  return [status, typeof error];
}

test("garbage, huge heads and closed connections fail, and so does another protocol", async () => {
  for (const text of ["garbage\r\n\r\n", `HTTP/1.1 200 OK\r\nX: ${"a".repeat(100_000)}\r\n\r\n`, ""])
    assert.deepEqual(await postTo(text), [null, "string"]);
  const upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  assert.deepEqual(await postTo(upgrade), [101, "object"]);
  assert.equal((await post("http://127.0.0.1:1/")).error, "ECONNREFUSED");
});

test("addresses are checked when the connection is made, also of a name that resolved to others before", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  let answers = [["8.8.8.8"], ["127.0.0.1"]];
  const resolve = async () => answers.shift() ?? [];
  const refused = { isPrivate: false, resolve };
  answers = [["127.0.0.1"], ["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:127.0.0.1"], ["64:ff9b::7f00:1"], []];
  while (answers.length > 0)
    assert.equal((await post(`https://example.org:${port}/`, refused)).error, "webhook_address_refused");
  for (const host of ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254"])
    assert.equal((await post(`https://${host}:${port}/`, refused)).error, "webhook_address_refused", host);
  // Without TLS to this machine alone, also where private addresses are admitted.
  const inside = { isPrivate: true, resolve: async () => ["10.0.0.1"] };
  assert.equal((await post(`http://localhost:${port}/`, inside)).error, "webhook_address_refused");
  assert.equal(receiver.received.length, 0);
  assert.equal((await post(`http://localhost:${port}/`)).status, 204);
});

// ------------------------------------------------------------------------------------------------- failing for long

/** A sender on the store of the service beside its own, which serves none of these: they are switched off there. */
function senderOf(webhook: { id: string }, retrySeconds: number[], now: () => number, status: () => number) {
  const { webhooks, events } = world.app.stores;
  const sent: { at: number; id: string; body: string }[] = [];
  let own: Webhook | undefined;
  const ownStore = {
    get: async () => own as Webhook,
    list: async () => [own as Webhook],
    attempts: webhooks.attempts,
    note: async (id: string, noted: Parameters<typeof webhooks.note>[1]) => {
      own = { ...(own as Webhook), ...noted.progress };
      return webhooks.note(id, noted, { nowSeconds: now() });
    },
  };
  const seal = new Seal("key", "test");
  const sender = new WebhookSender({
    ...{ webhooks: ownStore, events, seal, nowSeconds: now, retrySeconds, lookMs: 1 },
    version: () => 1,
    onError: (error) => assert.fail(String(error)),
    poster: {
      post: async (_url, { headers, body }) => {
        sent.push({ at: now(), id: String(headers["webhook-id"]), body });
        return { status: status(), durationMs: 1, error: null };
      },
    },
  });
  const load = async (more: Partial<Webhook>) => {
    own = { ...(await webhooks.get(webhook.id)), secret: seal.seal("whsec_AAAA"), state: "on", ...more };
  };
  return { sender, sent, load, own: () => own as Webhook };
}

test("after 5 s, 30 s, 2 min, 10 min, 1 h and then each hour it is tried again, for seven days; then it failed", async () => {
  const { path, webhook, write, remove } = await hook({ state: "off" });
  await write("a");
  let now = 1_000_000;
  const { sender, sent, load, own } = senderOf(
    webhook,
    [5, 30, 120, 600, 3600],
    () => now,
    () => 500,
  );
  await load({});
  const stop = new AbortController();
  const running = sender.run({ signal: stop.signal, cut: stop.signal, turnMs: 1_000_000 });
  for (let i = 1; own().state === "on"; i++) {
    await until(() => own().attempts === i || own().state !== "on", "not tried");
    now = own().nextAt ?? now;
  }
  await running;
  const waits = sent.slice(1).map(({ at }, i) => at - (sent[i]?.at ?? 0));
  for (const [i, wait] of [5, 30, 120, 600, 3600, 3600, 3600].entries())
    assert.ok(Math.abs((waits[i] ?? 0) - wait) <= wait / 10 + 1, `${i}: ${waits[i]}`);
  assert.ok(new Set(waits.slice(5)).size > 20, "no jitter");
  const lasted = now - (sent[0]?.at ?? 0);
  assert.ok(lasted >= 7 * 24 * 3600 && lasted < 7 * 24 * 3600 + 4000, String(lasted));
  assert.deepEqual([own().state, own().nextAt, own().sequence], ["failed", null, webhook.sequence]);
  assert.equal(new Set(sent.map(({ id }) => id)).size, 1);
  assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
  assert.ok(path);
  await remove();
});

test("a retry that a clock which was ahead put off for years is made at once", async () => {
  const { webhook, write, remove } = await hook({ state: "off" });
  await write("a");
  const now = 1_000_000;
  const { sender, sent, load, own } = senderOf(
    webhook,
    [5, 3600],
    () => now,
    () => 204,
  );
  const stop = new AbortController();
  const run = () => sender.run({ signal: stop.signal, cut: stop.signal, turnMs: 50 });
  await load({ attempts: 1, failingSince: now, nextAt: now + 3600 });
  await run();
  assert.equal(sent.length, 0, "not waited");
  await load({ attempts: 1, failingSince: now + 1e8, nextAt: now + 1e8 });
  await run();
  assert.deepEqual([sent.length, own().nextAt], [1, null]);
  await remove();
});

test("a receiver that answers 410 fails at once, with an event, a figure, and goes on when it is switched on", async () => {
  const { receiver, path, webhook, write, remove, now, attempts } = await hook();
  receiver.answer = (reply) => reply.writeHead(410).end();
  await write("a");
  await until(async () => (await now()).state === "failed", "not failed");
  assert.equal((await attempts())[0]?.next_at, null);
  const events = (await call("GET", "/api/events?newest=true&limit=1")) as unknown as Record<string, unknown>[];
  assert.deepEqual([events[0]?.kind, events[0]?.subject, events[0]?.actor], ["webhook.failed", webhook.id, "octavo"]);
  assert.equal((await call("GET", "/api/stats")).webhooks_failed, 1);
  await write("b");
  receiver.answer = (reply) => reply.writeHead(204).end();
  await call("PATCH", "/api/webhooks", { id: webhook.id, state: "on" });
  await receiver.has(3);
  assert.deepEqual(subjects(receiver), [[`${path}/a`], [`${path}/a`], [`${path}/b`]]);
  assert.equal((await call("GET", "/api/stats")).webhooks_failed, 0);
  await remove();
});

test("where events are gone the next delivery says so, once", async () => {
  const { webhooks, events, registry } = world.app.stores;
  const receiver = await startReceiver();
  const webhook = await call("POST", "/api/webhooks", { url: receiver.url, kinds: ["registry.*"], state: "off" });
  const by = { actor: "test", nowSeconds: 100 };
  await registry.put("a", { value: "1" }, by);
  await registry.put("a", { value: "2" }, by);
  await events.prune(2_000_000_000, { unhandledBeforeSeconds: 2_000_000_000 });
  assert.equal((await webhooks.get(webhook.id)).hasGap, true);
  await registry.put("a", { value: "3" }, by);
  await registry.put("a", { value: "4" }, by);
  const { newest } = await events.bounds();
  // What is gone is before the one that is next, and not before this one.
  await call("POST", "/api/webhooks/resend", { id: webhook.id, sequence: newest });
  await call("PATCH", "/api/webhooks", { id: webhook.id, state: "on" });
  // The newest event of before is never pruned.
  await receiver.has(4);
  const told = receiver.received.map(({ json }) => [json.data.from, json.data.gap]);
  assert.deepEqual(told, [
    [newest, undefined],
    [newest - 2, true],
    [newest - 1, undefined],
    [newest, undefined],
  ]);
  await call("DELETE", "/api/webhooks", { id: webhook.id });
});

test("a secret that another key sealed fails the webhook until it is rotated", async () => {
  const { receiver, webhook, write, remove, now, attempts } = await hook({ state: "off" });
  const { webhooks } = world.app.stores;
  await webhooks.rotate(
    webhook.id,
    { secret: new Seal("another", "x").seal(webhook.secret) },
    { actor: "t", nowSeconds: 1 },
  );
  await call("PATCH", "/api/webhooks", { id: webhook.id, state: "on" });
  await write("a");
  await until(async () => (await now()).state === "failed", "not failed");
  assert.equal((await attempts())[0]?.error, "secret_unreadable");
  const { secret } = await call("POST", "/api/webhooks/rotate", { id: webhook.id });
  await call("PATCH", "/api/webhooks", { id: webhook.id, state: "on" });
  await receiver.has(1);
  const { headers, body } = first(receiver);
  new StandardWebhook(secret).verify(body, headers as Record<string, string>);
  await remove();
});
