import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { sendRaw } from "../../test/acceptance/client.ts";
import { type Reply, useWorld } from "../../test/harness.ts";
import { peopleOf, refused } from "../../test/people.ts";

/** The admin page, what it alone reads, and the root of the service. What the page signs in with: src/people/session-routes.test.ts. */

const world = useWorld();
const off = useWorld({ "admin-page": "off" });
const { manage } = peopleOf(world);

// ---------------------------------------------------------------------------------------------- the page

test("/admin and any URL below it is the page, with a CSP that trusts only its nonce", async () => {
  const nonces = new Set<string>();
  for (const path of ["/admin", "/admin/", "/admin/entries/movies/alien"]) {
    const reply = await world.send("GET", path);
    assert.equal(reply.status, 200, path);
    assert.match(reply.headers.get("content-type") ?? "", /^text\/html/);
    const policy = reply.headers.get("content-security-policy") ?? "";
    const nonce = /script-src 'nonce-([\w-]{22})';/.exec(policy)?.[1] ?? "";
    assert.ok(reply.text.includes(`nonce="${nonce}"`) && !reply.text.includes("octavo-nonce"));
    assert.match(policy, /default-src 'none'/);
    assert.ok(!/script-src[^;]*(unsafe|self)|https?:/.test(policy));
    assert.equal(reply.headers.get("x-frame-options"), "DENY");
    assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
    assert.equal(reply.headers.get("referrer-policy"), "no-referrer");
    assert.equal(reply.headers.get("cache-control"), "no-store");
    nonces.add(nonce);
  }
  assert.equal(nonces.size, 3);
});

test("assets of the page are immutable, compressed and from the same host", async () => {
  const { text } = await world.send("GET", "/admin");
  const addresses = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((found) => found[1] as string);
  assert.ok(addresses.some((address) => address.endsWith(".js")));
  for (const address of addresses) {
    assert.match(address, /^\/admin\/assets\//);
    const reply = await world.send("GET", address, { headers: { "Accept-Encoding": "gzip" } });
    assert.equal(reply.status, 200, address);
    assert.match(reply.headers.get("cache-control") ?? "", /immutable/);
    const tag = reply.headers.get("etag") ?? "";
    const headers = { "If-None-Match": tag, "Accept-Encoding": "gzip" };
    assert.equal((await world.send("GET", address, { headers })).status, 304);
  }
});

test("no other file is served, and no URL escapes the built files", async () => {
  for (const path of ["/admin/assets/none.js", "/admin/assets/../../package.json", "/admin/assets/%2e%2e/built-from"]) {
    const reply = await world.send("GET", path);
    assert.ok(reply.status === 404 || reply.text.startsWith("<!doctype html>"), path);
    assert.ok(!reply.text.includes('"dependencies"'));
  }
});

test("with admin_page off there is neither page nor sign-in", async () => {
  refused(await off.send("GET", "/admin"), 404, "route_not_found");
  const body = { token: off.token.management, access_token: off.token.access };
  refused(await off.send("POST", "/admin/session", { body }), 404, "route_not_found");
});

// ---------------------------------------------------------------------------------------------- the tree

test("the children of an entry have the facts for a tree", async () => {
  await manage("POST", "/api/entries", { id: "shelf/sub/leaf", data: { title: "Leaf" } });
  await manage("POST", "/api/entries", { id: "shelf/one", data: { title: 1, visibility: "draft" } });
  const url = "/api/management/entries/children";
  const reply = await manage("GET", url, { id: "shelf" });
  const [one, sub] = reply.json.data as Record<string, unknown>[];
  assert.equal(one?.slug, "shelf/one");
  assert.deepEqual({ ...(one?.entry as object), published_at: 0 }, { title: "", visibility: "draft", published_at: 0 });
  assert.deepEqual(sub, { slug: "shelf/sub", has_children: true, entry: null });
  const more = await manage("GET", url, { id: "shelf", after: "shelf/one", limit: "1" });
  assert.deepEqual(more.json.data, [sub]);
});

// ---------------------------------------------------------------------------------------------- lists for people

test("the newest events are listed first, in pages", async () => {
  const first = await manage("GET", "/api/events", { newest: "true", limit: "3" });
  const sequences = (reply: Reply) => (reply.json.data as { sequence: number }[]).map(({ sequence }) => sequence);
  const [newest = 0, , third = 0] = sequences(first);
  assert.ok(newest > third && third > 0);
  const next = await manage("GET", "/api/events", { newest: "true", limit: "1", before: String(third) });
  assert.ok((sequences(next)[0] ?? third) < third);
});

test("all registry items are listed, read-only ones marked", async () => {
  await manage("PUT", "/api/registry", { id: "admin.test", value: { a: [1] } });
  const list = async (id: string) => (await manage("GET", "/api/registry/items", { id })).json.data as object[];
  assert.deepEqual(await list("admin"), [{ key: "admin.test", value: { a: [1] }, read_only: false }]);
  assert.ok((await list("")).some((row) => (row as { read_only: boolean }).read_only));
});

// ---------------------------------------------------------------------------------------------- the root

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

/** The reply itself, without following redirects. */
async function at({ app }: typeof world, path: string, accept?: string, method = "GET"): Promise<Response> {
  return fetch(app.url + path, { method, redirect: "manual", headers: accept ? { Accept: accept } : {} });
}

const leads: [accept: string, to: string | null][] = [
  [browser, "/admin"],
  ["text/html", "/admin"],
  ["text/html;q=0.5, application/json;q=0.4", "/admin"],
  ["*/*", null],
  ["", null],
  ["application/json", null],
  ["application/json, text/html;q=0.9", null],
  ["text/html;q=0", null],
  ["text/*", null],
];
for (const [accept, to] of leads) {
  test(`/ with Accept "${accept}" ${to ? `leads to ${to}` : "answers JSON"}`, async () => {
    for (const method of ["GET", "HEAD"]) {
      const reply = await at(world, "/", accept, method);
      assert.deepEqual([reply.status, reply.headers.get("location")], to ? [302, to] : [200, null], method);
      assert.match(reply.headers.get("vary") ?? "", /(^|, )Accept(,|$)/);
      if (to) assert.equal(await reply.text(), "");
    }
  });
}

test("without an admin page / redirects to the reference and does not name the page", async () => {
  assert.equal((await at(off, "/", browser)).headers.get("location"), "/docs");
  assert.equal((await off.send("GET", "/")).json.admin, undefined);
});

test("the JSON names working URLs and reveals nothing about the service", async () => {
  const reply = await at(world, "/");
  assert.equal(reply.headers.get("content-type"), "application/json; charset=utf-8");
  const { name, api, ...addresses } = (await reply.json()) as Record<string, string>;
  assert.deepEqual([name, api], ["Octavo", "/api"]);
  assert.deepEqual(Object.keys(addresses), ["openapi", "docs", "admin", "health"]);
  for (const address of Object.values(addresses)) assert.equal((await at(world, address)).status, 200, address);
});

test("/favicon.ico is the logo as an icon that browsers accept", async () => {
  const reply = await at(world, "/favicon.ico");
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "image/x-icon");
  assert.match(reply.headers.get("cache-control") ?? "", /public, max-age=/);
  const bytes = Buffer.from(await reply.arrayBuffer());
  // One PNG: the header of an ICO and one row of its table are 22 bytes.
  assert.deepEqual([...bytes.subarray(0, 8)], [0, 0, 1, 0, 1, 0, 32, 32]);
  const { format, width, height } = await sharp(bytes.subarray(22)).metadata();
  assert.deepEqual([format, width, height], ["png", 32, 32]);
  assert.ok(bytes.length < 3000);
});

test("the service as a whole, `*`, is no page", async () => {
  for (const target of ["*", "*?token=x"]) {
    for (const method of ["GET", "HEAD", "POST", "DELETE"]) {
      const bytes = `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      const reply = await sendRaw(world.app.url, bytes);
      assert.match(reply, /^HTTP\/1\.1 404 /, `${method} ${target}: ${reply}`);
      if (method !== "HEAD") assert.match(reply, /"code":"route_not_found"/);
    }
  }
  assert.match(
    await sendRaw(world.app.url, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    /^HTTP\/1\.1 204 /,
  );
});
