// Long: it waits for clients that stop reading.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { before, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { useWorld, type World } from "../../../test/harness.ts";
import type { Slug } from "../path.ts";

/** Large replies are sent in turn and in chunks, and not to clients that do not read them. */

const MiB = 1024 * 1024;
/** A list is much larger than the socket buffers of a client that does not read. */
const page = { "collection-page-bytes": "10MiB" };
const world = useWorld({
  ...page,
  "send-max-bytes": "21MiB",
  "send-connection-max-bytes": "12MiB",
  // No client is too slow, even on a busy machine.
  "send-timeout-seconds": "600",
});
/** Short timeouts, and one list uses the whole budget: one leaked byte blocks the next list. */
const hasty = useWorld({
  ...page,
  "send-max-bytes": "1MiB",
  "send-connection-max-bytes": "1MiB",
  "send-download-max-bytes": "1MiB",
  "send-timeout-seconds": "2",
});
/** Room for two downloads. */
const narrow = useWorld({ "send-download-max-bytes": "1MiB" });

const entries = 1000;

before(async () => {
  await Promise.all([world.ready, hasty.ready, narrow.ready]);
  await Promise.all([fill(world), fill(hasty), fillFile(narrow), fillFile(hasty)]);
});

/** Nine MB below `list`, a large entry and a small one, and a large file. */
async function fill({ app }: World): Promise<void> {
  const context = { actor: "test", nowSeconds: 1 };
  const create = (id: string, text: string) =>
    app.stores.entries.create(id as Slug, { data: JSON.stringify({ text }), isMergePatch: false, fields: {} }, context);
  const text = (i: number) => Array.from({ length: 1200 }, (_, n) => `é${(n * 7919 + i) % 99991}`).join(" ");
  await Promise.all(Array.from({ length: entries }, (_, i) => create(`list/${i}`, text(i))));
  await create("large", "x".repeat(900_000));
  await create("small", "x".repeat(50_000));
}

async function fillFile({ app, token }: World): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ folder: "", token: token.management, access_token: token.access })) {
    form.set(name, value);
  }
  form.set("file", new Blob([Buffer.alloc(20 * MiB, "large file ")]), "large.txt");
  assert.equal((await fetch(`${app.url}/api/files`, { method: "POST", body: form })).status, 200);
}

const listPath = ({ token }: World) => `/api/entries?id=list&filter=&token=${token.delivery}`;
const entryPath = ({ token }: World, id: string) => `/api/entries?id=${id}&token=${token.delivery}`;
const request = (path: string, headers = "", method = "GET", version = "1.1") =>
  `${method} ${path} HTTP/${version}\r\nHost: x\r\n${headers}\r\n`;

function open(t: TestContext, to: World, text: string): Socket {
  const socket = connect(Number(new URL(to.app.url).port), "127.0.0.1", () => socket.write(text));
  socket.on("error", () => undefined);
  t.after(() => socket.destroy());
  return socket;
}

/** A client that sends this and reads no more than the status of the reply. */
async function stalled(t: TestContext, to: World, path: string): Promise<{ socket: Socket; status: number }> {
  const socket = open(t, to, request(path));
  const status = await new Promise<number>((resolve) => {
    socket.once("readable", () => resolve(Number(String(socket.read(12)).slice(9))));
  });
  return { socket, status };
}

type Answer = { status: number; head: string; body: Buffer };

/** The replies of a connection in order, each with its complete body. */
async function* answersOf(socket: Socket): AsyncGenerator<Answer> {
  let rest = Buffer.alloc(0);
  const chunks = socket[Symbol.asyncIterator]();
  const more = async (): Promise<boolean> => {
    const { value, done } = await chunks.next();
    if (!done) rest = Buffer.concat([rest, value as Buffer]);
    return !done;
  };
  for (;;) {
    let end = rest.indexOf("\r\n\r\n");
    while (end < 0) {
      if (!(await more())) return;
      end = rest.indexOf("\r\n\r\n");
    }
    const head = rest.subarray(0, end).toString();
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    const parts: Buffer[] = [rest.subarray(end + 4)];
    let size = (parts[0] as Buffer).length;
    while (size < length) {
      const { value, done } = await chunks.next();
      assert.ok(!done, "cut off");
      parts.push(value as Buffer);
      size += (value as Buffer).length;
    }
    const all = Buffer.concat(parts);
    yield { status: Number(head.slice(9, 12)), head, body: all.subarray(0, length) };
    rest = all.subarray(length);
  }
}

const whole = async (to: World): Promise<Buffer> =>
  Buffer.from(await (await fetch(to.app.url + listPath(to))).arrayBuffer());

test("clients that do not read exhaust the budget; the next large reply is busy, small ones are sent", async (t) => {
  const clients = [await stalled(t, world, listPath(world)), await stalled(t, world, listPath(world))];
  assert.deepEqual(
    clients.map(({ status }) => status),
    [200, 200],
  );
  let refused = { status: 200, headers: new Headers(), text: "" };
  // A part of each is in socket buffers and does not count.
  while (refused.status === 200) {
    const next = await stalled(t, world, listPath(world));
    clients.push(next);
    if (next.status === 503) refused = await world.send("GET", listPath(world));
  }
  assert.equal(refused.status, 503);
  assert.match(refused.text, /"code":"busy"/);
  assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  assert.equal((await world.send("GET", "/health/live")).status, 200);
  assert.equal((await world.send("GET", entryPath(world, "small"))).status, 200);
  const count = await world.send("GET", `${listPath(world)}&filter[return]=count`.replace("&filter=&", "&"));
  assert.equal(count.text, '{"data":1000}');
  for (const { socket } of clients) socket.destroy();
  assert.ok((await whole(world)).length > 9 * MiB, "with free budget it is served");
});

test("with an exhausted budget a list known to be small is sent, one that may be large is not", async (t) => {
  // No index serves it: how much of it matches is not known before it is read.
  const listOf = (value: string) =>
    `/api/entries?id=list&filter[not_contains]=${value}&filter[contains]=${value}&token=${world.token.delivery}`;
  assert.equal((await world.send("GET", listOf("known"))).status, 200);
  let status = 200;
  while (status === 200) status = (await stalled(t, world, listPath(world))).status;
  assert.equal((await world.send("GET", listOf("new"))).status, 503);
  assert.equal((await world.send("GET", listOf("known"))).status, 200);
});

test("a write gets its outcome, however large the reply and however full the budget", async (t) => {
  const text = "y".repeat(900_000);
  for (let i = 0; i < 8; i++) await stalled(t, hasty, entryPath(hasty, "large"));
  const body = {
    id: `reply-${Date.now()}`,
    data: { text },
    token: hasty.token.management,
    access_token: hasty.token.access,
  };
  const reply = await hasty.send("POST", "/api/entries", { body });
  assert.equal(reply.status, 200, reply.text.slice(0, 300));
  assert.equal((reply.json.data as { text: string }).text, text);
});

test("a client that does not read is disconnected, even when no reply waits for its memory", async (t) => {
  const { socket } = await stalled(t, hasty, listPath(hasty));
  // A write detects the reset; a read would consume the reply.
  const timer = setInterval(() => socket.write("\r\n"), 100);
  t.after(() => clearInterval(timer));
  await new Promise((resolve) => socket.once("close", resolve));
  assert.ok((await whole(hasty)).length > 9 * MiB);
});

test("a waiting reply gets the memory of a client that does not read before its timeout", async (t) => {
  await stalled(t, hasty, listPath(hasty));
  // Refused after two seconds, which is the timeout.
  const { status } = await stalled(t, hasty, listPath(hasty));
  assert.equal(status, 200);
});

test("a client that reads a byte now and then is disconnected", async (t) => {
  const bytes = (await whole(hasty)).length;
  const { socket } = await stalled(t, hasty, listPath(hasty));
  const timer = setInterval(() => socket.read(1), 100);
  t.after(() => clearInterval(timer));
  // It holds the whole budget: a list is served once it is released.
  while ((await hasty.send("HEAD", listPath(hasty))).status === 503);
  clearInterval(timer);
  let taken = 0;
  const end = new Promise((resolve) => socket.once("close", resolve));
  socket.on("data", (chunk) => {
    taken += chunk.length;
  });
  await end;
  assert.ok(taken < bytes, `${taken} of ${bytes}`);
});

test("a slow but steady client gets everything, even past the idle timeout", async (t) => {
  const expected = await whole(hasty);
  const socket = open(t, hasty, request(listPath(hasty), "Connection: close\r\n"));
  const chunks: Buffer[] = [];
  const startedMs = performance.now();
  for await (const chunk of socket) {
    chunks.push(chunk);
    // Three MB a second.
    await sleep(chunk.length / 3000);
  }
  assert.ok(performance.now() - startedMs > 2000);
  const text = Buffer.concat(chunks);
  assert.deepEqual(text.subarray(text.indexOf("\r\n\r\n") + 4), expected);
});

test("lists larger than the whole budget are sent one after the other", async () => {
  const lists = await Promise.all(Array.from({ length: 4 }, () => whole(hasty)));
  for (const list of lists) assert.deepEqual(list, lists[0]);
  assert.equal((JSON.parse(String(lists[0])).data as unknown[]).length, entries);
});

test("compressed or not, a large list is the same text, with one tag per coding", async (t) => {
  const plain = await whole(world);
  const tags = new Set<string>();
  const codings: [coding: string, decode: (bytes: Buffer) => Buffer][] = [
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ];
  for (const [coding, decode] of codings) {
    const headers = `Accept-Encoding: ${coding}\r\n`;
    // HTTP/1.0 has no chunks: the end of the connection ends the text.
    const socket = open(t, world, request(listPath(world), headers, "GET", "1.0"));
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    const text = Buffer.concat(chunks);
    const end = text.indexOf("\r\n\r\n");
    const head = text.subarray(0, end).toString();
    assert.match(head, new RegExp(`^HTTP/1\\.1 200 [\\s\\S]*Content-Encoding: ${coding}`));
    assert.ok(decode(text.subarray(end + 4)).equals(plain), coding);
    const tag = /ETag: (\S+)/.exec(head)?.[1] as string;
    tags.add(tag);
    const { status } = await world.send("GET", listPath(world), {
      headers: { "Accept-Encoding": coding, "If-None-Match": tag },
    });
    assert.equal(status, 304);
    const chunked = await fetch(world.app.url + listPath(world), { headers: { "Accept-Encoding": coding } });
    assert.equal(chunked.headers.get("transfer-encoding"), "chunked");
    assert.ok(Buffer.from(await chunked.arrayBuffer()).equals(plain));
  }
  assert.equal(tags.size, 2);
});

test("HEAD of a large list has its headers and no body", async (t) => {
  const expected = (await whole(world)).length;
  const socket = open(
    t,
    world,
    request(listPath(world), "", "HEAD") + request("/health/live", "Connection: close\r\n"),
  );
  let text = "";
  for await (const chunk of socket) text += chunk;
  assert.match(
    text,
    new RegExp(`^HTTP/1\\.1 200 [\\s\\S]*Content-Length: ${expected}\r\n[\\s\\S]*\r\n\r\nHTTP/1\\.1 200 `),
  );
});

const filePath = "/project/uploads/large.txt";
/** Requests of clients that leave, and when: at once, or with the first bytes of the reply. */
const leaving: [name: string, text: (to: World) => string, leave: "at once" | "in the middle"][] = [
  ["before its list is built", (to) => request(listPath(to)), "at once"],
  ["in the middle of a list", (to) => request(listPath(to)), "in the middle"],
  ["in the middle of a br list", (to) => request(listPath(to), "Accept-Encoding: br\r\n"), "in the middle"],
  ["in the middle of a gzip list", (to) => request(listPath(to), "Accept-Encoding: gzip\r\n"), "in the middle"],
  ["with lists in its pipeline", (to) => request(listPath(to)).repeat(3), "in the middle"],
  [
    "with small replies in its pipeline",
    (to) => request(listPath(to)) + request(entryPath(to, "small")).repeat(20),
    "in the middle",
  ],
  ["in the middle of a large entry", (to) => request(entryPath(to, "large")), "in the middle"],
  ["before a HEAD is answered", (to) => request(listPath(to), "", "HEAD"), "at once"],
  ["before a download", () => request(filePath), "at once"],
  ["in the middle of a download", () => request(filePath), "in the middle"],
  ["with downloads in its pipeline", () => request(filePath).repeat(3), "in the middle"],
];

for (const [name, text, leave] of leaving) {
  test(`a client that disconnects ${name} releases all its memory`, async (t) => {
    for (let i = 0; i < 3; i++) {
      const socket = open(t, hasty, text(hasty));
      await once(socket, leave === "at once" ? "connect" : "readable");
      socket.destroy();
    }
    await isWholeFree();
  });
}

/** Both budgets are completely free: each of these needs all of one. */
async function isWholeFree(): Promise<void> {
  const statuses = await Promise.all([listPath(hasty), filePath].map(async (path) => (await fetchAll(path)).status));
  assert.deepEqual(statuses, [200, 200]);
}

async function fetchAll(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(hasty.app.url + path, init);
  await response.arrayBuffer();
  return response;
}

test("replies that are not sent or fail hold no memory", async () => {
  const tag = (await fetchAll(listPath(hasty))).headers.get("etag") as string;
  const fileTag = (await fetchAll(filePath)).headers.get("etag") as string;
  const requests: [path: string, status: number, init?: RequestInit][] = [
    [listPath(hasty), 304, { headers: { "If-None-Match": tag } }],
    [listPath(hasty), 200, { method: "HEAD" }],
    [listPath(hasty), 200, { method: "HEAD", headers: { "Accept-Encoding": "br" } }],
    [`${listPath(hasty)}&cursor=nonsense`, 400],
    [listPath(hasty).replace("list", "none"), 404],
    [filePath, 304, { headers: { "If-None-Match": fileTag } }],
    [filePath, 200, { method: "HEAD" }],
    [filePath, 416, { headers: { Range: "bytes=99999999-" } }],
  ];
  for (const [path, status, init] of requests) assert.equal((await fetchAll(path, init)).status, status, path);
  await isWholeFree();
});

test("pipelined requests hold no more than the connection's part and are answered in order", async (t) => {
  const paths = Array.from({ length: 10 }, () => listPath(world));
  const socket = open(t, world, [...paths, "/health/live"].map((path) => request(path)).join(""));
  // Nothing is read for longer than the timeout of waiting replies.
  await sleep(2500);
  assert.ok((await whole(world)).length > 9 * MiB, "others are served meanwhile");
  const statuses: number[] = [];
  for await (const { status, body } of answersOf(socket)) {
    statuses.push(status);
    if (status === 200 && statuses.length <= paths.length) assert.equal(JSON.parse(String(body)).data.length, entries);
    if (statuses.length > paths.length) break;
  }
  assert.deepEqual([statuses[0], statuses.at(-1)], [200, 200]);
  // The bytes of the first in socket buffers may free budget for a second.
  assert.ok(statuses.filter((status) => status === 503).length >= 8, String(statuses));
});

test("small replies behind one that is not read are within the same part", async (t) => {
  const small = Array.from({ length: 400 }, () => request(entryPath(world, "small")));
  const socket = open(t, world, request(listPath(world)) + small.join(""));
  await sleep(1000);
  const statuses: number[] = [];
  for await (const { status } of answersOf(socket)) if (statuses.push(status) > small.length) break;
  const held = statuses.filter((status) => status === 200).length;
  assert.ok(statuses[0] === 200 && statuses.includes(503), String(statuses));
  assert.ok(held > 5 && held * 50_000 < 12 * MiB, `${held} were held`);
});

test("unread downloads are limited, too, small files are not", async (t) => {
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await stalled(t, narrow, filePath)).status);
  assert.deepEqual(statuses, [200, 200, 503]);
  const part = await narrow.send("GET", filePath, { headers: { Range: "bytes=0-999" } });
  assert.equal(part.status, 206);
});
