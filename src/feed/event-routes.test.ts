/** The event log as server-sent events. Contract, part three, §12. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { EventSource } from "eventsource";
import { startNode, startWorld, temporaryFolder, until, useWorld } from "../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import { Streams } from "../core/http/stream.ts";

const world = useWorld();

type Seen = { ids: number[]; kinds: string[]; subjects: string[]; source: EventSource; connections: number };

/** Follows the log with the package that sites use, after an event if one is given. */
function follow(url: string, token: string, query = ""): Seen {
  const source = new EventSource(`${url}/api/events${query}`, {
    fetch: (input, init) =>
      fetch(
        input as string,
        { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } } as RequestInit,
      ),
  });
  const seen: Seen = { ids: [], kinds: [], subjects: [], source, connections: 0 };
  source.addEventListener("open", () => seen.connections++);
  for (const kind of ["entry.create", "entry.update", "token.create", "token.update"]) {
    source.addEventListener(kind, ({ lastEventId, data }) => {
      const event = JSON.parse(data) as { sequence: number; kind: string; subject: string };
      assert.equal(String(event.sequence), lastEventId);
      assert.equal(event.kind, kind);
      seen.ids.push(event.sequence);
      seen.kinds.push(kind);
      seen.subjects.push(event.subject);
    });
  }
  return seen;
}

const create = async (id: string, { send, token } = world) => {
  const { management, access } = token;
  const reply = await send("POST", "/api/entries", { body: { token: management, access_token: access, id, data: {} } });
  assert.equal(reply.status, 200, reply.text);
};
const newestOf = async ({ send, token } = world) => {
  const reply = await send("GET", "/api/events", { query: { token: token.management, newest: "true", limit: "1" } });
  return (reply.json.data as { sequence: number }[])[0]?.sequence ?? 0;
};

/** A stream over a bare socket: its head, and its text so far. */
function open(headers: Record<string, string> = {}, query = "", url = world.app.url, token = world.token.management) {
  const seen = {
    status: 0,
    headers: {} as Record<string, unknown>,
    text: "",
    isOver: false,
    destroy: (): unknown => undefined,
  };
  const sent = request(`${url}/api/events${query}`, {
    headers: { Accept: "text/event-stream", Authorization: `Bearer ${token}`, ...headers },
    agent: false,
  });
  sent.on("error", () => (seen.isOver = true));
  sent.on("response", (response) => {
    seen.status = response.statusCode as number;
    seen.headers = response.headers;
    response.setEncoding("utf8").on("data", (chunk) => (seen.text += chunk));
    response.on("close", () => (seen.isOver = true));
    response.on("error", () => undefined);
  });
  sent.end();
  seen.destroy = () => sent.destroy();
  return seen;
}

test("without a place a stream begins at the newest event; with one after it: replay and live are one order", async () => {
  await create("before");
  const live = follow(world.app.url, world.token.management);
  await until(() => live.connections === 1, "open");
  const since = await newestOf();
  const replay = follow(world.app.url, world.token.management, `?since=${since - 1}`);
  for (let i = 0; i < 5; i++) await create(`live-${i}`);
  await until(() => live.ids.length === 5 && replay.ids.length === 6, "six events");
  assert.deepEqual(
    live.subjects,
    [0, 1, 2, 3, 4].map((i) => `live-${i}`),
  );
  assert.deepEqual(
    replay.ids,
    [0, 1, 2, 3, 4, 5].map((i) => since + i),
  );
  live.source.close();
  replay.source.close();
});

test("many events are replayed in order, each once, while more are written", async () => {
  const first = await newestOf();
  for (let at = 0; at < 1200; at += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, i) => create(`many-${at + i}`)));
  }
  const replay = follow(world.app.url, world.token.management, `?since=${first}`);
  await Promise.all(Array.from({ length: 100 }, (_, i) => create(`more-${i}`)));
  await until(
    () => replay.ids.length >= 1300,
    () => `${replay.ids.length} events`,
  );
  assert.deepEqual(
    replay.ids,
    Array.from({ length: 1300 }, (_, i) => first + 1 + i),
  );
  replay.source.close();
});

test("the head is that of a stream, a list stays a list, and HEAD ends", async () => {
  const stream = open();
  await until(() => stream.text !== "", "a first line");
  assert.equal(stream.status, 200);
  assert.equal(stream.headers["content-type"], "text/event-stream; charset=utf-8");
  assert.equal(stream.headers["cache-control"], "no-store, no-transform");
  assert.equal(stream.headers["x-accel-buffering"], "no");
  assert.equal(stream.text, "retry: 2000\n\n");
  stream.destroy();
  const query = { token: world.token.management };
  for (const Accept of ["*/*", "text/*", "application/json, text/event-stream;q=0"]) {
    const list = await world.send("GET", "/api/events", { query, headers: { Accept } });
    assert.ok(Array.isArray(list.json.data), Accept);
  }
  const head = await world.send("HEAD", "/api/events", { query, headers: { Accept: "text/event-stream" } });
  assert.equal(head.headers.get("content-type"), "text/event-stream; charset=utf-8");
});

test("Last-Event-ID goes before since; what is no sequence, and what only a list has, is refused", async () => {
  const newest = await newestOf();
  const stream = open({ "Last-Event-ID": String(newest - 1) }, "?since=0");
  await until(() => stream.text.includes("data:"), "an event");
  assert.match(stream.text, new RegExp(`^retry: 2000\n\nid: ${newest}\n`));
  stream.destroy();
  const refused = async (headers: Record<string, string>, query: Record<string, string>) => {
    const reply = await world.send("GET", "/api/events", {
      query: { token: world.token.management, ...query },
      headers: { Accept: "text/event-stream", ...headers },
    });
    assert.equal(reply.status, 400, reply.text);
    return String(reply.json.detail);
  };
  for (const id of ["abc", "-1", "1.5", "1e3", "9".repeat(20)])
    assert.match(await refused({ "Last-Event-ID": id }, {}), /^"Last-Event-ID" was /, id);
  assert.match(await refused({}, { since: "-1" }), /^"since" was /);
  for (const [argument, value] of Object.entries({ newest: "true", before: "5", limit: "1" }))
    assert.match(await refused({}, { [argument]: value }), new RegExp(`^"${argument}" is unknown`));
});

test("a place that is no longer kept is 410", async () => {
  const { app, send, token } = await startWorld({ data: temporaryFolder() }, {});
  try {
    await create("a", { ...world, app, send, token });
    await create("b", { ...world, app, send, token });
    const future = Math.floor(Date.now() / 1000) + 10;
    await app.stores.events.prune(future);
    const Accept = "text/event-stream";
    const reply = await send("GET", "/api/events", {
      query: { token: token.management, since: "0" },
      headers: { Accept },
    });
    assert.equal(reply.status, 410, reply.text);
    assert.match(reply.text, /feed_too_old/);
  } finally {
    await app.close();
  }
});

test("a token reads a hundred streams, and a stream is one call", async () => {
  const reader = await world.issue("management", ["admin"], { limitCalls: 102 });
  const streams = Array.from({ length: 100 }, () => open({}, "", world.app.url, reader.secret));
  await until(() => streams.every(({ text }) => text !== ""), "open");
  const refused = open({}, "", world.app.url, reader.secret);
  await until(() => refused.text.includes("too_many_streams"), "refused");
  assert.equal(refused.status, 429);
  streams[0]?.destroy();
  await until(async () => {
    const one = open({}, "", world.app.url, reader.secret);
    await until(() => one.text !== "" || one.isOver, "answered");
    const isOpen = one.status === 200;
    one.destroy();
    return isOpen || one.text.includes("call_limit_reached");
  }, "a place is free again");
  for (const stream of streams) stream.destroy();
});

test("a stream ends within two seconds of its token", async () => {
  const reader = await world.issue("management", ["admin"]);
  const stream = open({}, "", world.app.url, reader.secret);
  await until(() => stream.text !== "", "open");
  const { management, access } = world.token;
  const body = { token: management, access_token: access, id: reader.id, state: "disabled" };
  assert.equal((await world.send("PATCH", "/api/tokens", { body })).status, 200);
  const startedMs = performance.now();
  await until(() => stream.isOver, "over");
  assert.ok(performance.now() - startedMs < 5000);
});

test("messages of any length reach a reader that reads", async () => {
  const streams = new Streams();
  const text = `data: ${"x".repeat(1024 * 1024)}\n\n`;
  const server = createServer((_, response) => {
    const after = async (place: number, signal: AbortSignal) => {
      if (place === 3) await once(signal, "abort");
      return { text, place: place + 1, hasMore: false };
    };
    void streams.send(response, "GET", { from: 0, after, token: "one", isAdmitted: () => true }, []);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  let length = 0;
  const reader = request({ port: (server.address() as AddressInfo).port, agent: false }, (response) => {
    response.on("data", (chunk) => (length += chunk.length)).on("error", () => undefined);
  });
  reader.on("error", () => undefined).end();
  await until(
    () => length > 3 * text.length,
    () => `${length} bytes`,
    5000,
  ).finally(() => {
    reader.destroy();
    streams.close();
    server.close();
  });
});

test("a reader that does not read is cut off", async () => {
  const streams = new Streams();
  const text = `data: ${"x".repeat(64 * 1024)}\n\n`;
  let sent = 0;
  const ended = Promise.withResolvers<number>();
  const server = createServer((_, response) => {
    const after = async (place: number) => {
      await setTimeout(1);
      sent++;
      return { text, place: place + 1, hasMore: false };
    };
    const answer = { from: 0, after, token: "one", isAdmitted: () => true };
    streams.send(response, "GET", answer, []).then(ended.resolve, ended.reject);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.pause().on("error", () => undefined);
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.equal(await ended.promise, 200);
  // The buffers of the system, which take megabytes here, and the bound.
  assert.ok(sent * 64 * 1024 < 64 * 1024 * 1024);
  socket.destroy();
  server.close();
});

test("a stop ends the streams, and a reader goes on at another node", { skip: lacksPostgres() ?? false }, async (t) => {
  const url = await createDatabase();
  const folder = temporaryFolder();
  const [here, there] = [await startNode(t, `${folder}/here`, url), await startNode(t, `${folder}/there`, url)];
  const stream = open({}, "", there.app.url, here.token.management);
  await until(() => stream.text !== "", "open");
  await create("told-there", { ...world, ...here });
  await until(() => stream.text.includes("told-there"), "a write of the other node");
  await there.app.close();
  await until(() => stream.isOver, "over");
  const id = /id: (\d+)\n(?!.*id: )/s.exec(stream.text)?.[1] as string;
  await create("while-away", { ...world, ...here });
  const again = open({ "Last-Event-ID": id }, "", here.app.url, here.token.management);
  await until(() => again.text.includes("while-away"), "what happened meanwhile");
  assert.ok(!again.text.includes("told-there"));
  again.destroy();
});
