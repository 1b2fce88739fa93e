import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type ClientConfig, createClient, OctavoConnectionError, OctavoProblem } from "../../client/src/client.ts";
import { formatQuery } from "../../client/src/query.ts";
import { retryDelayMs } from "../../client/src/retry.ts";
import { parseUrlEncoded } from "../../src/lib/brackets.ts";
import { refusal, textFile, useClients } from "./service.ts";

const clients = useClients();

before(async () => {
  await clients.world.ready;
  await clients.manager.entries.create("here", { title: "Here" });
});

test("a misspelt argument of a read is refused, with the name that was meant", async () => {
  const { entries, files, folders } = clients.manager;
  const misspelt = { lmit: 5, onyl: ["title"] } as object;
  for (const call of [entries.list("", misspelt), entries.fetch("here", misspelt), files.list("", misspelt)]) {
    assert.match((await refusal(call, "argument_unknown")).message, /lmit.*did you mean.*limit/);
  }
  assert.equal((await entries.fetch("here", { only: ["title"] })).title, "Here");
  assert.deepEqual((await folders.list("")).items, []);
});

// ---------------------------------------------------------------------------------------------- something on the way

type Act = (forward: () => void, hinder: Hinder) => void;
type Hinder = {
  refuse(status: number, headers?: Record<string, string>, code?: string): void;
  hangUp(): void;
};
type Way = { url: string; seen: { method: string; headers: IncomingMessage["headers"]; atMs: number }[] };

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close().closeAllConnections();
});

/** A server between the client and the service that acts on the first requests, one act each, and forwards the rest. */
async function hindered(...acts: Act[]): Promise<Way> {
  const seen: Way["seen"] = [];
  const server = createServer(async (request, response) => {
    seen.push({ method: request.method ?? "", headers: request.headers, atMs: performance.now() });
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>).catch(() => undefined);
    if (!chunks) return;
    const forward = async () => {
      const { host: _, connection: __, "content-length": ___, "accept-encoding": ____, ...headers } = request.headers;
      const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
      const init = { method: request.method, headers: headers as Record<string, string>, body };
      const answer = await fetch(`${clients.world.app.url}${request.url}`, init);
      const { "content-encoding": _____, ...kept } = Object.fromEntries(answer.headers);
      response.writeHead(answer.status, kept).end(Buffer.from(await answer.arrayBuffer()));
    };
    const refuse: Hinder["refuse"] = (status, headers = {}, code) => {
      const body = { type: "", title: "", status, code, detail: "not now", request_id: "1" };
      response.writeHead(status, headers).end(code ? JSON.stringify(body) : "<h1>not now</h1>");
    };
    const act = acts.shift();
    if (act) act(forward, { refuse, hangUp: () => request.socket.destroy() });
    else await forward();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const through = ({ url }: Way, more: Partial<ClientConfig> = {}) => {
  const { management, access } = clients.world.token;
  return createClient({ url, token: management, accessToken: access, ...more });
};

const later: Act = (_, { refuse }) => refuse(503, { "Retry-After": "1" }, "busy");
const busy: Act = (_, { refuse }) => refuse(503, {}, "busy");
const proxy =
  (status: number): Act =>
  (_, { refuse }) =>
    refuse(status);
const hangUp: Act = (_, hinder) => hinder.hangUp();

// ---------------------------------------------------------------------------------------------- repeated

test("a read is repeated after 503 and 429, not before Retry-After is over", async () => {
  const way = await hindered(later, (_, { refuse }) => refuse(429, { "Retry-After": "1" }));
  assert.equal((await through(way).entries.fetch("here")).title, "Here");
  const [first, second, third] = way.seen.map(({ atMs }) => atMs);
  assert.equal(way.seen.length, 3);
  assert.ok((second as number) - (first as number) >= 1000);
  assert.ok((third as number) - (second as number) >= 1000);
});

test("a Retry-After may be a date", async () => {
  const inTwoSeconds = new Date(Date.now() + 2000).toUTCString();
  const way = await hindered((_, { refuse }) => refuse(503, { "Retry-After": inTwoSeconds }));
  await through(way).entries.fetch("here");
  assert.ok((way.seen[1]?.atMs ?? 0) - (way.seen[0]?.atMs ?? 0) >= 900);
});

test("a read is repeated when the network or a proxy failed", async () => {
  const way = await hindered(hangUp, proxy(502), proxy(504));
  assert.equal((await through(way).entries.fetch("here")).title, "Here");
  assert.equal(way.seen.length, 4);
});

test("a write is repeated where the service did nothing, whatever its method", async () => {
  const way = await hindered(busy, proxy(429), busy);
  const { entries, files } = through(way);
  assert.equal((await entries.create("after/all", { n: 1 })).n, 1);
  assert.equal(way.seen.length, 4);
  const uploading = await hindered(busy);
  assert.equal((await through(uploading).files.upload("", textFile("again.txt", "again"))).filesize, 5);
  assert.equal(uploading.seen.length, 2);
  await entries.delete("after/all");
  await files.delete("again.txt");
});

test("a write is not repeated where nobody knows what was done", async () => {
  for (const act of [hangUp, proxy(502), proxy(503), proxy(504)]) {
    const way = await hindered(act);
    await assert.rejects(through(way).entries.create("perhaps", {}), OctavoConnectionError);
    await assert.rejects(
      through(await hindered(act)).files.delete("perhaps.txt"),
      (error) => error instanceof OctavoConnectionError,
    );
    assert.equal(way.seen.length, 1);
  }
});

test("what waiting does not mend is not repeated", async () => {
  for (const code of ["call_limit_reached", "too_many_failures", "filter_too_costly"] as const) {
    const way = await hindered((_, { refuse }) => refuse(code === "filter_too_costly" ? 503 : 429, {}, code));
    await refusal(through(way).entries.fetch("here"), code);
    assert.equal(way.seen.length, 1);
  }
  const way = await hindered();
  await refusal(through(way).entries.fetch("nowhere"), "entry_not_found");
  assert.equal(way.seen.length, 1);
});

test("it ends after as many repetitions as were set, and none when there are to be none", async () => {
  const way = await hindered(busy, busy, busy);
  await refusal(through(way, { retries: 1 }).entries.fetch("here"), "busy");
  assert.equal(way.seen.length, 2);
  const once = await hindered(busy);
  await refusal(through(once, { retries: 0 }).entries.fetch("here"), "busy");
  assert.equal(once.seen.length, 1);
});

test("a longer wait than a minute is left to the caller", async () => {
  const way = await hindered((_, { refuse }) => refuse(503, { "Retry-After": "3600" }, "busy"));
  const failure = await refusal(through(way).entries.fetch("here"), "busy");
  assert.equal(failure.retryAfterSeconds, 3600);
  assert.equal(way.seen.length, 1);
});

test("the waits double, and no two clients wait the same", () => {
  const failure = new OctavoConnectionError("");
  for (const attempt of [0, 1, 2]) {
    const waits = Array.from({ length: 200 }, () => retryDelayMs(failure, attempt, true) as number);
    assert.ok(Math.max(...waits) <= 250 * 2 ** attempt);
    assert.ok(Math.max(...waits) > 200 * 2 ** attempt);
    assert.ok(new Set(waits).size > 100);
  }
});

// ---------------------------------------------------------------------------------------------- told apart

test("a problem has all that the service said", async () => {
  const { world, manager } = clients;
  const sent = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
  const body = { id: "a//b", data: { visibility: "x", routable: "y" } };
  const reply = await world.send("POST", "/api/entries", { headers: sent, body });
  const failure = await refusal(manager.entries.create("a//b", body.data as never), "path_invalid");
  assert.ok(failure instanceof OctavoProblem && failure instanceof Error);
  const { code, status, title, detail, type, errors } = failure;
  const { request_id, http_status_code, message, ...said } = reply.json;
  assert.deepEqual({ code, status, title, detail, type, errors }, said);
  assert.equal(errors.length, 3);
  assert.equal(failure.message, message);
  assert.match(failure.requestId, /^\w+$/);
});

test("a service that cannot be reached is a connection error with its cause", async () => {
  const octavo = createClient({ url: "http://127.0.0.1:1", retries: 0 });
  const failure = await octavo.entries.fetch("here").catch((error: unknown) => error);
  assert.ok(failure instanceof OctavoConnectionError);
  assert.equal(failure.status, undefined);
  assert.ok(failure.cause instanceof Error);
});

test("an answer that is not the service's is a connection error with its status", async () => {
  for (const status of [200, 404, 502]) {
    const way = await hindered(proxy(status));
    const failure = await through(way, { retries: 0 })
      .entries.fetch("here")
      .catch((error: unknown) => error);
    assert.ok(failure instanceof OctavoConnectionError);
    assert.equal(failure.status, status);
  }
});

test("an abort rejects with the signal's own reason: before, during, and while waiting to try again", async () => {
  const reason = new Error("the reader left");
  const options = { signal: AbortSignal.abort(reason) };
  await assert.rejects(clients.manager.entries.fetch("here", options), reason);
  await assert.rejects(clients.manager.entries.create("aborted", {}, options), reason);
  await assert.rejects(clients.manager.files.upload("", textFile("x.txt"), options), reason);
  await refusal(clients.manager.entries.fetch("aborted"), "entry_not_found");

  const never = await hindered(...Array.from({ length: 2 }, () => () => undefined));
  const timeout = { signal: AbortSignal.timeout(50) };
  await assert.rejects(through(never).entries.fetch("here", timeout), { name: "TimeoutError" });
  assert.equal(never.seen.length, 1);

  const uploading = AbortSignal.timeout(50);
  const large = new File([new Uint8Array(2 ** 24)], "large.txt");
  await assert.rejects(through(never).files.upload("", large, { signal: uploading }), { name: "TimeoutError" });

  const way = await hindered((_, { refuse }) => refuse(503, { "Retry-After": "30" }, "busy"));
  const controller = new AbortController();
  const call = through(way).entries.list("here", {}, { signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  await assert.rejects(call, { name: "AbortError" });
  assert.equal(way.seen.length, 1);
});

// ---------------------------------------------------------------------------------------------- what is sent

test("tokens go as headers, the access token with writes alone, and into the address of reads when asked", async () => {
  const { management, access } = clients.world.token;
  const way = await hindered();
  const octavo = through(way);
  await octavo.entries.fetch("here");
  await octavo.entries.update("here", {});
  const [read, write] = way.seen.map(({ headers }) => [headers.authorization, headers["x-access-token"]]);
  assert.deepEqual(read, [`Bearer ${management}`, undefined]);
  assert.deepEqual(write, [`Bearer ${management}`, access]);

  const urls: string[] = [];
  const note: typeof fetch = (input, init) => {
    urls.push(String(input));
    return fetch(input, init);
  };
  const inUrl = through(way, { tokenInUrl: true, fetch: note });
  assert.equal((await inUrl.entries.fetch("here")).title, "Here");
  await inUrl.entries.update("here", {});
  assert.equal(way.seen.at(-2)?.headers.authorization, undefined);
  assert.equal(way.seen.at(-1)?.headers.authorization, `Bearer ${management}`);
  assert.deepEqual(
    urls.map((url) => url.includes(management)),
    [true, false],
  );
});

test("a slash behind the service's address does no harm", async () => {
  const octavo = createClient({ url: `${clients.world.app.url}/`, token: clients.world.token.delivery });
  assert.equal((await octavo.entries.fetch("here")).title, "Here");
});

test("a query says what the service reads of it", () => {
  const text = formatQuery({ a: "ä &=+", b: [1, { c: true }], d: { e: null, f: undefined }, g: [], h: new Date(0) });
  const read = parseUrlEncoded(text, { maxPairs: 100, maxDepth: 8, maxItems: 100 });
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    return value instanceof Map ? Object.fromEntries([...value].map(([key, one]) => [key, plain(one)])) : value;
  };
  assert.deepEqual(plain(read), {
    a: "ä &=+",
    b: ["1", { c: "true" }],
    d: { e: "null" },
    h: "1970-01-01T00:00:00.000Z",
  });
});

test("an address that is none is refused at once, and not by the first call", () => {
  for (const url of ["not a url", "content.example.org", "ftp://example.org"])
    assert.throws(() => createClient({ url }), RangeError, url);
  for (const url of ["", "/content", "http://localhost:4180/"]) createClient({ url });
});
