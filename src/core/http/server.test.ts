import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { type Reply, temporaryFolder, useWorld } from "../../../test/harness.ts";
import { build } from "../../app.ts";
import { readSettings } from "../../settings.ts";

const open = useWorld();
const strict = useWorld({
  "cors-origin": "https://site.example,https://other.example",
  "auth-failures-per-minute": "5",
  "trust-proxy": "127.0.0.1",
  "public-url": "https://content.example.org/",
});

const get = (world: typeof open, path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  world.send("GET", path, { headers });

test("by default any origin may call and read the documented headers", async () => {
  const reply = await get(open, "/health/live", { Origin: "https://anywhere.example" });
  assert.equal(reply.headers.get("access-control-allow-origin"), "*");
  assert.match(reply.headers.get("access-control-expose-headers") ?? "", /ETag, Link, X-Total-Count/);
});

test("with a list of origins only those are allowed, and Vary says so", async () => {
  const allowed = await get(strict, "/health/live", { Origin: "https://site.example" });
  assert.equal(allowed.headers.get("access-control-allow-origin"), "https://site.example");
  assert.match(allowed.headers.get("vary") ?? "", /Origin/);
  const refused = await get(strict, "/health/live", { Origin: "https://evil.example" });
  assert.equal(refused.headers.get("access-control-allow-origin"), null);
  assert.match(refused.headers.get("vary") ?? "", /Origin/);
});

test("too many invalid tokens from one address: 429, while valid tokens and other addresses are served", async () => {
  const from = (address: string, token: string) =>
    get(strict, `/api/entries?id=x&token=${token}`, { "X-Forwarded-For": address });
  const statuses: number[] = [];
  for (let i = 0; i < 7; i++) statuses.push((await from("192.0.2.1", `bad${i}`)).status);
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
  const throttled = await from("192.0.2.1", "bad");
  assert.equal(throttled.json.code, "too_many_failures");
  assert.ok(Number(throttled.headers.get("retry-after")) >= 1);
  assert.equal((await from("192.0.2.1", strict.token.delivery)).status, 404);
  assert.equal((await from("192.0.2.2", "bad")).status, 401);
  assert.equal((await get(strict, "/api/entries?id=x", { "X-Forwarded-For": "192.0.2.1" })).status, 401);
});

test("every kind of guessed secret counts: tokens, access tokens, sign-in codes", async () => {
  const headers = (address: string) => ({ "X-Forwarded-For": address });
  const tries: [string, string, object][] = [
    ["192.0.2.11", "/api/entries", { id: "x", data: {}, token: "bad" }],
    ["192.0.2.12", "/api/entries", { id: "x", data: {}, token: strict.token.management, access_token: "bad" }],
    ["192.0.2.13", "/admin/session/link", { code: "bad" }],
    ["192.0.2.14", "/admin/session", { token: "bad", access_token: "bad" }],
  ];
  for (const [address, path, body] of tries) {
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++)
      statuses.push((await strict.send("POST", path, { headers: headers(address), body })).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429], path);
  }
});

test("X-Forwarded-For of an untrusted proxy does not affect the throttle", async (t) => {
  const world = await build(
    readSettings({
      flags: { port: "0", data: temporaryFolder(), log: "off", "auth-failures-per-minute": "2" },
      env: {},
      file: undefined,
    }),
  );
  t.after(() => world.close());
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) {
    const headers = { "X-Forwarded-For": `192.0.2.${i}` };
    statuses.push((await fetch(`${world.url}/api/entries?id=x&token=bad`, { headers })).status);
  }
  assert.deepEqual(statuses, [401, 401, 429, 429]);
});

test("malformed HTTP gets a problem, and so does a head that is too large", async () => {
  const port = Number(new URL(open.app.url).port);
  const ask = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(text));
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk;
      });
      socket.on("end", () => resolve(answer));
      socket.on("error", reject);
    });
  assert.match(await ask("HELLO\r\n\r\n"), /^HTTP\/1\.1 400 [\s\S]*"code":"request_invalid"/);
  const large = `GET /health/live HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(40_000)}\r\n\r\n`;
  assert.match(await ask(large), /^HTTP\/1\.1 431 [\s\S]*"code":"headers_too_large"/);
});

test("a head that never ends is refused soon after its timeout", async (t) => {
  const flags = { port: "0", data: temporaryFolder(), log: "off", "request-timeout-seconds": "1" };
  const world = await build(readSettings({ flags, env: {}, file: undefined }));
  t.after(() => world.close());
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\n"));
  let answer = "";
  // Node's own check runs every 30 seconds. A slow machine delays this timer like the service's.
  const late = setTimeout(() => socket.destroy(new Error("not refused in fifteen times the time allowed")), 15_000);
  t.after(() => clearTimeout(late));
  for await (const chunk of socket) answer += chunk;
  assert.match(answer, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
});

test("a refused request leaves no timer that would delay the exit", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const refuse = async () => {
    const body = { id: "a", data: {}, token: open.token.delivery };
    assert.equal((await get(open, "/nowhere")).status, 404);
    assert.equal((await get(open, `/api/entries?id=nothing&token=${open.token.delivery}`)).status, 404);
    assert.equal((await open.send("DELETE", "/api/entries?id=a")).status, 401);
    assert.equal((await open.send("POST", "/api/entries", { body })).status, 403);
  };
  await refuse();
  const before = timers();
  for (let n = 0; n < 20; n++) await refuse();
  assert.ok(timers() < before + 10, `${before} timers became ${timers()}`);
});

test("close finishes running requests and refuses new ones", async (t) => {
  const world = await build(
    readSettings({ flags: { port: "0", data: temporaryFolder(), log: "off" }, env: {}, file: undefined }),
  );
  t.after(() => world.close());
  const body = '{"id":"a"}';
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
  });
  const ended = new Promise((resolve) => socket.on("close", resolve));
  socket.write(
    `POST /api/entries HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.slice(0, 4));
  // Once a later request is answered, the server has started to read this one.
  assert.equal((await fetch(`${world.url}/health/live`)).status, 200);
  const closed = world.close();
  await assert.rejects(fetch(`${world.url}/health/live`));
  socket.write(body.slice(4));
  await closed;
  await ended;
  assert.match(answer, /^HTTP\/1\.1 401 [\s\S]*"code":"token_missing"/);
});

test("the description has the public URL, or the one that the client used", async () => {
  const serverOf = async (world: typeof open) =>
    ((await get(world, "/api/openapi.json")).json.servers as { url: string }[])[0]?.url;
  assert.equal(await serverOf(open), open.app.url);
  assert.equal(await serverOf(strict), "https://content.example.org");
  const kept = await get(strict, "/api/openapi.json");
  assert.equal(kept.headers.get("cache-control"), "public, max-age=60");
  assert.ok((await get(strict, "/docs/api/entries")).text.includes("curl 'https://content.example.org/api/entries?"));
});

test("a problem's type is the URL of a page that explains it", async () => {
  const reply = await get(open, "/nowhere");
  const [page = "", code = ""] = (reply.json.type as string).split("#");
  const explained = await get(open, page);
  assert.equal(explained.status, 200);
  assert.ok(explained.text.includes(`id="${code}"`));
});
