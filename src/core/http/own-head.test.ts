import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { writeOwnHead } from "./own-head.ts";

const headers = ["Vary", "Origin", "ETag", '"1"', "Content-Type", "text/plain", "Content-Length", "2", "Date", "today"];

/** Answers `/own` with the own head, where there is one, and anything else with node:http's. */
function answer(path: string, response: ServerResponse, written: boolean[]): void {
  const isWritten = path === "/own" && writeOwnHead(response, headers);
  if (path === "/own") written.push(isWritten);
  if (!isWritten) response.writeHead(200, headers);
  response.end("ok", "latin1");
}

async function serve(t: TestContext, options: object = {}) {
  const written: boolean[] = [];
  const server = createServer(options, (request, response) => answer(request.url as string, response, written));
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { port: (server.address() as AddressInfo).port, written };
}

/** All bytes that answer these requests on one connection, of which the last one asks to close it. */
function exchange(port: number, requests: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(requests);
  return text(socket);
}

const get = (path: string, more = "", version = "1.1") => `GET ${path} HTTP/${version}\r\nHost: x\r\n${more}\r\n`;
const close = "Connection: close\r\n";

test("the own head is byte for byte that of node:http, and the connection goes on", async (t) => {
  const { port, written } = await serve(t, { keepAliveTimeout: 75_000 });
  const own = await exchange(port, get("/own") + get("/own") + get("/other", close));
  const other = await exchange(port, get("/other") + get("/other") + get("/other", close));
  assert.deepEqual(written, [true, true]);
  assert.equal(own, other);
  assert.match(own, /Keep-Alive: timeout=75\r\n/);
});

test("node:http writes the head where the connection is to be closed", async (t) => {
  const { port, written } = await serve(t);
  assert.equal(await exchange(port, get("/own", close)), await exchange(port, get("/other", close)));
  assert.equal(await exchange(port, get("/own", "", "1.0")), await exchange(port, get("/other", "", "1.0")));
  assert.deepEqual(written, [false, false]);
});

test("node:http writes the head where it does not keep it under the name that this service knows", async (t) => {
  const written: boolean[] = [];
  const server = createServer((request, response) => {
    if (request.url === "/own") Object.assign(response, { _header: undefined });
    answer(request.url as string, response, written);
  });
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const own = await exchange(port, get("/own") + get("/other", close));
  assert.equal(own, await exchange(port, get("/other") + get("/other", close)));
  assert.deepEqual(written, [false]);
});

test("a kept connection of HTTP/1.0 gets the same head from both", async (t) => {
  const { port } = await serve(t, { keepAliveTimeout: 75_000 });
  const kept = (path: string) => get(path, "Connection: keep-alive\r\n", "1.0") + get("/other", close);
  assert.equal(await exchange(port, kept("/own")), await exchange(port, kept("/other")));
});
