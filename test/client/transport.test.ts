import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type ClientConfig, createClient, OctavoConnectionError, OctavoProblem } from "../../client/src/client.ts";
import { formatQuery } from "../../client/src/query.ts";
import { retryDelayMs } from "../../client/src/retry.ts";
import { parseUrlEncoded } from "../../src/core/lib/brackets.ts";
import { refusal, textFile, useClients } from "./service.ts";

const clients = useClients();

before(async () => {
  await clients.world.ready;
  await clients.manager.entries.create("here", { title: "Here" });
});

test("a misspelt argument of a read is refused with a suggestion", async () => {
  const { entries, files, folders } = clients.manager;
  const misspelt = { lmit: 5, onyl: "title" } as object;
  for (const call of [entries.list("", misspelt), entries.fetch("here", misspelt), files.list("", misspelt)]) {
    assert.match((await refusal(call, "argument_unknown")).message, /lmit.*did you mean.*limit/);
  }
  const asList = { onyl: ["title"] } as object;
  assert.match((await refusal(entries.list("", asList), "filter_invalid")).message, /onyl.*filter\[only\]/);
  assert.equal((await entries.fetch("here", { only: ["title"] })).title, "Here");
  assert.deepEqual((await folders.list("")).items, []);
});

// ---------------------------------------------------------------------------------------------- a proxy in between

type Act = (forward: () => void, reply: Reply) => void;
type Reply = {
  refuse(status: number, headers?: Record<string, string>, code?: string): void;
  hangUp(): void;
  /** Hangs up when the service has answered. */
  lose(): void;
};
type Relay = { url: string; requests: { method: string; headers: IncomingMessage["headers"]; atMs: number }[] };

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close().closeAllConnections();
});

/** A proxy that handles the first requests with one act each, and forwards the rest. */
async function relayWith(...acts: Act[]): Promise<Relay> {
  const requests: Relay["requests"] = [];
  const server = createServer(async (request, response) => {
    requests.push({ method: request.method ?? "", headers: request.headers, atMs: performance.now() });
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>).catch(() => undefined);
    if (!chunks) return;
    const answerOf = async () => {
      const { host: _, connection: __, "content-length": ___, "accept-encoding": ____, ...headers } = request.headers;
      const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
      const init = { method: request.method, headers: headers as Record<string, string>, body };
      return fetch(`${clients.world.app.url}${request.url}`, init);
    };
    const forward = async () => {
      const answer = await answerOf();
      const { "content-encoding": _____, ...kept } = Object.fromEntries(answer.headers);
      response.writeHead(answer.status, kept).end(Buffer.from(await answer.arrayBuffer()));
    };
    const refuse: Reply["refuse"] = (status, headers = {}, code) => {
      const body = { type: "", title: "", status, code, detail: "not now", request_id: "1" };
      response.writeHead(status, headers).end(code ? JSON.stringify(body) : "<h1>not now</h1>");
    };
    const act = acts.shift();
    const hangUp = () => void request.socket.destroy();
    if (act) act(forward, { refuse, hangUp, lose: () => void answerOf().then(hangUp) });
    else await forward();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const clientOf = ({ url }: Relay, more: Partial<ClientConfig> = {}) => {
  const { management, access } = clients.world.token;
  return createClient({ url, token: management, accessToken: access, ...more });
};

const retryAfter: Act = (_, { refuse }) => refuse(503, { "Retry-After": "1" }, "busy");
const busy: Act = (_, { refuse }) => refuse(503, {}, "busy");
const proxy =
  (status: number): Act =>
  (_, { refuse }) =>
    refuse(status);
const hangUp: Act = (_, reply) => reply.hangUp();

// ---------------------------------------------------------------------------------------------- retries

test("a read is retried after 503 and 429, not before Retry-After has passed", async () => {
  const relay = await relayWith(retryAfter, (_, { refuse }) => refuse(429, { "Retry-After": "1" }));
  assert.equal((await clientOf(relay).entries.fetch("here")).title, "Here");
  const [first, second, third] = relay.requests.map(({ atMs }) => atMs);
  assert.equal(relay.requests.length, 3);
  assert.ok((second as number) - (first as number) >= 1000);
  assert.ok((third as number) - (second as number) >= 1000);
});

test("Retry-After may be a date", async () => {
  const inTwoSeconds = new Date(Date.now() + 2000).toUTCString();
  const relay = await relayWith((_, { refuse }) => refuse(503, { "Retry-After": inTwoSeconds }));
  await clientOf(relay).entries.fetch("here");
  assert.ok((relay.requests[1]?.atMs ?? 0) - (relay.requests[0]?.atMs ?? 0) >= 900);
});

test("a read is retried after a network or proxy error", async () => {
  const relay = await relayWith(hangUp, proxy(502), proxy(504));
  assert.equal((await clientOf(relay).entries.fetch("here")).title, "Here");
  assert.equal(relay.requests.length, 4);
});

test("a write of any method is retried if the service did nothing", async () => {
  const relay = await relayWith(busy, proxy(429), busy);
  const { entries, files } = clientOf(relay);
  assert.equal((await entries.create("after/all", { n: 1 })).n, 1);
  assert.equal(relay.requests.length, 4);
  const uploading = await relayWith(busy);
  assert.equal((await clientOf(uploading).files.upload("", textFile("again.txt", "again"))).filesize, 5);
  assert.equal(uploading.requests.length, 2);
  await entries.delete("after/all");
  await files.delete("again.txt");
});

test("a write whose outcome is unknown is retried with its key, so it is done once", async () => {
  const keysOf = ({ requests }: Relay) => requests.map(({ headers }) => headers["idempotency-key"]);
  const lost: Act = (_, reply) => reply.lose();
  const unknown: Act = (_, { refuse }) => refuse(503, {}, "outcome_unknown");
  const running: Act = (_, { refuse }) => refuse(409, { "Retry-After": "0" }, "idempotency_in_flight");
  for (const act of [hangUp, lost, proxy(502), proxy(503), proxy(504), unknown, running]) {
    const relay = await relayWith(act);
    const { entries } = clientOf(relay);
    assert.equal((await entries.create("perhaps", { n: 1 })).n, 1);
    assert.deepEqual([relay.requests.length, new Set(keysOf(relay)).size], [2, 1]);
    await entries.delete("perhaps");
    assert.equal(new Set(keysOf(relay)).size, 2);
  }
});

test("without retries, and where the answer is a secret, no key is sent and nothing is repeated", async () => {
  for (const act of [hangUp, proxy(502)]) {
    const relay = await relayWith(act, act);
    await assert.rejects(clientOf(relay, { retries: 0 }).entries.create("perhaps", {}), OctavoConnectionError);
    await assert.rejects(
      clientOf(relay).tokens.create({ kind: "delivery", resources: ["entries"] }),
      OctavoConnectionError,
    );
    assert.deepEqual(
      relay.requests.map(({ headers }) => headers["idempotency-key"]),
      [undefined, undefined],
    );
  }
});

test("permanent errors are not retried", async () => {
  for (const code of ["call_limit_reached", "too_many_failures", "filter_too_costly"] as const) {
    const relay = await relayWith((_, { refuse }) => refuse(code === "filter_too_costly" ? 503 : 429, {}, code));
    await refusal(clientOf(relay).entries.fetch("here"), code);
    assert.equal(relay.requests.length, 1);
  }
  const relay = await relayWith();
  await refusal(clientOf(relay).entries.fetch("nowhere"), "entry_not_found");
  assert.equal(relay.requests.length, 1);
});

test("retries end at the limit, and 0 disables them", async () => {
  const relay = await relayWith(busy, busy, busy);
  await refusal(clientOf(relay, { retries: 1 }).entries.fetch("here"), "busy");
  assert.equal(relay.requests.length, 2);
  const once = await relayWith(busy);
  await refusal(clientOf(once, { retries: 0 }).entries.fetch("here"), "busy");
  assert.equal(once.requests.length, 1);
});

test("what a full disk refuses is sent once, with a key, too", async () => {
  const relay = await relayWith((_, { refuse }) => refuse(507, {}, "storage_full"));
  await refusal(clientOf(relay).entries.create("full", {}), "storage_full");
  assert.equal(relay.requests.length, 1);
});

test("a Retry-After over one minute is left to the caller", async () => {
  const relay = await relayWith((_, { refuse }) => refuse(503, { "Retry-After": "3600" }, "busy"));
  const failure = await refusal(clientOf(relay).entries.fetch("here"), "busy");
  assert.equal(failure.retryAfterSeconds, 3600);
  assert.equal(relay.requests.length, 1);
});

test("delays double and have jitter", () => {
  const failure = new OctavoConnectionError("");
  for (const attempt of [0, 1, 2]) {
    const waits = Array.from({ length: 200 }, () => retryDelayMs(failure, attempt, true) as number);
    assert.ok(Math.max(...waits) <= 250 * 2 ** attempt);
    assert.ok(Math.max(...waits) > 200 * 2 ** attempt);
    assert.ok(new Set(waits).size > 100);
  }
});

// ---------------------------------------------------------------------------------------------- error classes

test("a problem has every member of the reply", async () => {
  const { world, manager } = clients;
  const sent = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
  const body = { id: "a//b", data: { visibility: "x", routable: "y" } };
  const reply = await world.send("POST", "/api/entries", { headers: sent, body });
  const failure = await refusal(manager.entries.create("a//b", body.data as never), "path_invalid");
  assert.ok(failure instanceof OctavoProblem && failure instanceof Error);
  const { code, status, title, detail, type, errors } = failure;
  const { request_id, http_status_code, message, ...rest } = reply.json;
  assert.deepEqual({ code, status, title, detail, type, errors }, rest);
  assert.equal(errors.length, 3);
  assert.equal(failure.message, message);
  assert.match(failure.requestId, /^\w+$/);
});

test("an unreachable service is a connection error with its cause", async () => {
  const octavo = createClient({ url: "http://127.0.0.1:1", retries: 0 });
  const failure = await octavo.entries.fetch("here").catch((error: unknown) => error);
  assert.ok(failure instanceof OctavoConnectionError);
  assert.equal(failure.status, undefined);
  assert.ok(failure.cause instanceof Error);
});

test("a reply of another server is a connection error with its status", async () => {
  for (const status of [200, 404, 502]) {
    const relay = await relayWith(proxy(status));
    const failure = await clientOf(relay, { retries: 0 })
      .entries.fetch("here")
      .catch((error: unknown) => error);
    assert.ok(failure instanceof OctavoConnectionError);
    assert.equal(failure.status, status);
  }
});

test("an abort rejects with the signal's own reason: before, during, and while waiting for a retry", async () => {
  const reason = new Error("the reader left");
  const options = { signal: AbortSignal.abort(reason) };
  await assert.rejects(clients.manager.entries.fetch("here", options), reason);
  await assert.rejects(clients.manager.entries.create("aborted", {}, options), reason);
  await assert.rejects(clients.manager.files.upload("", textFile("x.txt"), options), reason);
  await refusal(clients.manager.entries.fetch("aborted"), "entry_not_found");

  const leaving = new AbortController();
  const never = await relayWith(() => leaving.abort(reason), ...Array.from({ length: 2 }, () => () => undefined));
  await assert.rejects(clientOf(never).entries.fetch("here", { signal: leaving.signal }), reason);
  assert.equal(never.requests.length, 1);

  const timeout = { signal: AbortSignal.timeout(50) };
  await assert.rejects(clientOf(never).entries.fetch("here", timeout), { name: "TimeoutError" });
  const uploading = AbortSignal.timeout(50);
  const large = new File([new Uint8Array(2 ** 24)], "large.txt");
  await assert.rejects(clientOf(never).files.upload("", large, { signal: uploading }), { name: "TimeoutError" });

  const controller = new AbortController();
  const relay = await relayWith((_, { refuse }) => {
    refuse(503, { "Retry-After": "30" }, "busy");
    setTimeout(() => controller.abort(), 100);
  });
  const call = clientOf(relay).entries.list("here", {}, { signal: controller.signal });
  await assert.rejects(call, { name: "AbortError" });
  assert.equal(relay.requests.length, 1);
});

// ---------------------------------------------------------------------------------------------- what a request has

test("tokens are sent as headers, the access token with writes only; by option reads send theirs in the URL", async () => {
  const { management, access } = clients.world.token;
  const relay = await relayWith();
  const octavo = clientOf(relay);
  await octavo.entries.fetch("here");
  await octavo.entries.update("here", {});
  const [read, write] = relay.requests.map(({ headers }) => [headers.authorization, headers["x-access-token"]]);
  assert.deepEqual(read, [`Bearer ${management}`, undefined]);
  assert.deepEqual(write, [`Bearer ${management}`, access]);

  const urls: string[] = [];
  const note: typeof fetch = (input, init) => {
    urls.push(String(input));
    return fetch(input, init);
  };
  const inUrl = clientOf(relay, { tokenInUrl: true, fetch: note });
  assert.equal((await inUrl.entries.fetch("here")).title, "Here");
  await inUrl.entries.update("here", {});
  assert.equal(relay.requests.at(-2)?.headers.authorization, undefined);
  assert.equal(relay.requests.at(-1)?.headers.authorization, `Bearer ${management}`);
  assert.deepEqual(
    urls.map((url) => url.includes(management)),
    [true, false],
  );
});

test("the service's URL may end with a slash", async () => {
  const octavo = createClient({ url: `${clients.world.app.url}/`, token: clients.world.token.delivery });
  assert.equal((await octavo.entries.fetch("here")).title, "Here");
});

test("a query has the text that the service parses", () => {
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

test("an invalid URL throws in the constructor", () => {
  for (const url of ["not a url", "content.example.org", "ftp://example.org"])
    assert.throws(() => createClient({ url }), RangeError, url);
  for (const url of ["", "/content", "http://localhost:4180/"]) createClient({ url });
});
