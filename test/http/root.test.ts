import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { sendRaw } from "../acceptance/client.ts";
import { type Reply, useWorld } from "../harness.ts";

const open = useWorld();
const bare = useWorld({ "admin-page": "off" });

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

/** The reply itself, without following redirects. */
async function at(world: typeof open, path: string, accept?: string, method = "GET"): Promise<Response> {
  return fetch(world.app.url + path, { method, redirect: "manual", headers: accept ? { Accept: accept } : {} });
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
      const reply = await at(open, "/", accept, method);
      assert.deepEqual([reply.status, reply.headers.get("location")], to ? [302, to] : [200, null], method);
      assert.match(reply.headers.get("vary") ?? "", /(^|, )Accept(,|$)/);
      if (to) assert.equal(await reply.text(), "");
    }
  });
}

test("without an admin page / redirects to the reference and does not name the page", async () => {
  assert.equal((await at(bare, "/", browser)).headers.get("location"), "/docs");
  assert.equal((await bare.send("GET", "/")).json.admin, undefined);
});

test("the JSON names working URLs and reveals nothing about the service", async () => {
  const reply = await at(open, "/");
  assert.equal(reply.headers.get("content-type"), "application/json; charset=utf-8");
  const { name, api, ...addresses } = (await reply.json()) as Record<string, string>;
  assert.deepEqual([name, api], ["Octavo", "/api"]);
  assert.deepEqual(Object.keys(addresses), ["openapi", "docs", "admin", "health"]);
  for (const address of Object.values(addresses)) assert.equal((await at(open, address)).status, 200, address);
});

test("/ allows no other method", async () => {
  const reply: Reply = await open.send("POST", "/", { body: {} });
  assert.deepEqual([reply.status, reply.headers.get("allow")], [405, "GET, HEAD"]);
});

test("/favicon.ico is the logo as an icon that browsers accept", async () => {
  const reply = await at(open, "/favicon.ico");
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
      const reply = await sendRaw(open.app.url, bytes);
      assert.match(reply, /^HTTP\/1\.1 404 /, `${method} ${target}: ${reply}`);
      if (method !== "HEAD") assert.match(reply, /"code":"route_not_found"/);
    }
  }
  assert.match(
    await sendRaw(open.app.url, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    /^HTTP\/1\.1 204 /,
  );
});
