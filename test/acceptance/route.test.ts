/** Addresses and methods: 404, 405, override, HEAD, CORS. Contract §1. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused, type Scenario, table } from "./world.ts";

const world = await enter("route");
const { token, access_token } = world.pair;
const path = "/api/entries";
const headers = { authorization: `Bearer ${token}`, "x-access-token": access_token };

let made = 0;
/** An unused id. */
const fresh = (): string => world.id(`fresh-${made++}`);
async function planted(): Promise<string> {
  const id = fresh();
  dataOf(await world.write("POST", { id, data: { title: "before" } }));
  return id;
}

describe("X-Http-Method-Override", () => {
  test("POST stands for PATCH, PUT and DELETE", async () => {
    const id = await planted();
    const override = (method: string, json: Any, at = path) =>
      world.send({
        method: "POST",
        path: at,
        json: { ...world.pair, ...json },
        headers: { "x-http-method-override": method },
      });
    assert.equal(dataOf(await override("PATCH", { id, data: { title: "after" } })).title, "after");
    assert.equal(dataOf(await override("PUT", { id, new_id: `${id}-m` })).slug, `${id}-m`);
    assert.equal(dataOf(await override("PUT", { id: `${id}-m`, new_id: id }, `${path}/copy`)).slug, id);
    assert.equal((await override("DELETE", { id })).status, 204);
    assert.equal((await override("delete", { id: `${id}-m` })).status, 204, "in lower case");
  });

  test("it is ignored on another method", async () => {
    const id = await planted();
    const get = await world.send({
      path,
      query: { id, token },
      headers: { "x-http-method-override": "DELETE", ...headers },
    });
    assert.equal(get.status, 200);
    assert.equal((await world.read({ id })).status, 200);
  });

  test("it bypasses neither the tokens nor the media type", async () => {
    const id = await planted();
    const override = { "x-http-method-override": "DELETE" };
    refused(
      await world.send({ method: "POST", path, json: { id }, headers: override, uniqueAddress: true }),
      401,
      "token_missing",
    );
    const text = { method: "POST", path, body: "x", type: "text/plain", headers: override };
    refused(await world.send(text), 415, "media_type_unsupported");
    assert.equal((await world.read({ id })).status, 200);
  });

  test("any other method name never reads or creates", async () => {
    for (const method of ["GET", "HEAD", "OPTIONS", "TRACE", "NONSENSE", "constructor"]) {
      const id = fresh();
      const reply = await world.send({
        method: "POST",
        path,
        json: { ...world.pair, id, data: {} },
        headers: { "x-http-method-override": method },
      });
      assert.ok(reply.status === 200 ? dataOf(reply).slug === id : reply.status >= 400, `${method}: ${reply.status}`);
    }
  });
});

const methods: Record<string, string[]> = {
  "/api/entries": ["GET", "POST", "PATCH", "PUT", "DELETE"],
  "/api/entries/copy": ["PUT"],
  "/api/delivery/entries": ["GET"],
  "/api/delivery/registry": ["GET"],
  "/api/management/entries": ["GET", "POST", "PATCH", "PUT", "DELETE"],
  "/api/registry": ["GET", "PUT", "DELETE"],
  "/api/tokens": ["GET", "POST", "PATCH", "DELETE"],
  "/api/tokens/rotate": ["PUT"],
  "/api/events": ["GET"],
  "/api/stats": ["GET"],
  "/api/openapi.json": ["GET"],
  "/health/live": ["GET"],
  "/health/ready": ["GET"],
};

for (const [address, known] of Object.entries(methods)) {
  describe(`the methods of ${address}`, () => {
    for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE", "TRACE", "PROPFIND"].filter(
      (m) => !known.includes(m),
    )) {
      test(`${method} is 405, and Allow names the others`, async () => {
        const reply = await world.send({ method, path: address, ...(method === "GET" ? {} : { headers }) });
        refused(reply, 405);
        const allow = (reply.headers.allow ?? "")
          .split(/\s*,\s*/)
          .filter((name) => name !== "HEAD" && name !== "OPTIONS");
        assert.deepEqual(allow.sort(), [...known].sort());
      });
    }

    test("a trailing slash means the same address", async () => {
      const method = known[0] as string;
      const [plain, slashed] = await Promise.all(
        [address, `${address}/`].map((path) =>
          world.send({ method, path, uniqueAddress: true, ...(method === "GET" ? {} : { json: {} }) }),
        ),
      );
      assert.equal(slashed?.status, plain?.status);
      assert.equal(slashed?.headers["content-type"], plain?.headers["content-type"]);
    });
  });
}

table("an address that is none of the service's", world, [
  ...[
    "/api",
    "/api/",
    "/api/nothing",
    "/api/entries/x",
    "/api/entries/copy/x",
    "/api/entriesx",
    "/api/v1/entries",
    "/api/delivery",
    "/api/management/registry",
    "/api/Entries",
    "/health",
    "/.env",
    "/.git/config",
    "/package.json",
    "/src/main.ts",
    "/data/octavo.db",
    "/%2e%2e/package.json",
    "/api/entries%2fcopy",
    "/api/%00",
    "/api/%ff",
    "/api/entries;x=1",
  ].map(
    (address): Scenario => ({
      name: `${address} is 404 without any token`,
      call: { path: address },
      status: address.includes("%") ? [400, 404] : 404,
      ...(address.includes("%") ? {} : { code: "route_not_found" }),
    }),
  ),
  ...["POST", "PUT", "PATCH", "DELETE"].map(
    (method): Scenario => ({
      name: `${method} to an unknown address is 404 before anything else`,
      call: { method, path: "/api/nothing", body: "{", type: "text/odd" },
      status: 404,
      code: "route_not_found",
    }),
  ),
]);

describe("HEAD is answered wherever GET is", () => {
  const get: [string, () => Call][] = [
    ["an entry", () => ({ path, query: { id: world.prefix, token } })],
    ["a collection", () => ({ path, query: { id: world.prefix, token, filter: { total: "true" } } })],
    ["a missing entry", () => ({ path, query: { id: world.id("nothing"), token } })],
    ["a delivery entry", () => ({ path: "/api/delivery/entries", query: { id: world.prefix, token } })],
    ["a management entry", () => ({ path: "/api/management/entries", query: { id: world.prefix, token } })],
    ["a registry item", () => ({ path: "/api/registry", query: { id: "flextype.manifest.version", token } })],
    [
      "a delivery registry item",
      () => ({ path: "/api/delivery/registry", query: { id: "flextype.manifest.version", token } }),
    ],
    ["the description", () => ({ path: "/api/openapi.json" })],
    ["live", () => ({ path: "/health/live" })],
    ["ready", () => ({ path: "/health/ready" })],
    ["no token", () => ({ path, query: { id: world.prefix }, uniqueAddress: true })],
  ];
  for (const [what, call] of get) {
    test(`${what}: the same status and headers, and no body`, async () => {
      const [got, head] = await Promise.all([world.send(call()), world.send({ ...call(), method: "HEAD" })]);
      assert.equal(head.status, got.status);
      assert.equal(head.bytes.length, 0);
      for (const name of ["content-type", "etag", "cache-control", "last-modified", "x-total-count", "vary"]) {
        assert.equal(head.headers[name], got.headers[name], name);
      }
      if (head.headers["content-length"] !== undefined && got.status < 400) {
        assert.equal(Number(head.headers["content-length"]), got.bytes.length);
      }
    });
  }
});

describe("CORS", () => {
  const origin = "https://site.example";

  for (const [address, known] of Object.entries(methods).filter(([address]) => address.startsWith("/api/"))) {
    test(`a preflight of ${address} is 204 and allows what the API needs`, async () => {
      const reply = await world.send({
        method: "OPTIONS",
        path: address,
        headers: {
          origin,
          "access-control-request-method": known.at(-1) as string,
          "access-control-request-headers": "authorization, content-type, x-access-token, if-match",
        },
      });
      assert.equal(reply.status, 204, reply.text);
      assert.equal(reply.bytes.length, 0);
      assert.equal(reply.headers["access-control-allow-origin"], "*");
      const allowed = (reply.headers["access-control-allow-methods"] ?? "").toUpperCase();
      for (const method of known) assert.ok(allowed.includes(method), `${method} in ${allowed}`);
      const names = (reply.headers["access-control-allow-headers"] ?? "").toLowerCase();
      const needed = [
        "authorization",
        "content-type",
        "x-access-token",
        "if-match",
        "if-none-match",
        "x-http-method-override",
        "traceparent",
        "tracestate",
        "x-request-id",
      ];
      for (const name of needed) assert.ok(names.split(", ").includes(name), `${name} in ${names}`);
      assert.equal(reply.headers["access-control-allow-credentials"], undefined, "no credentials with *");
    });
  }

  test("every reply, even a problem, is readable by a page of another origin", async () => {
    const calls: Call[] = [
      { path, query: { id: world.prefix, token } },
      { path, query: { id: world.id("nothing"), token } },
      { path, query: { id: world.prefix }, uniqueAddress: true },
      { path: "/api/nothing" },
      { method: "POST", path, body: "x", type: "text/plain" },
      { method: "POST", path: "/api/registry" },
    ];
    for (const call of calls) {
      const reply = await world.send({ ...call, headers: { origin } });
      assert.equal(reply.headers["access-control-allow-origin"], "*", `${call.path} ${reply.status}`);
      const exposed = (reply.headers["access-control-expose-headers"] ?? "").toLowerCase();
      for (const name of ["etag", "link", "x-total-count"]) assert.ok(exposed.includes(name), `${name} in ${exposed}`);
    }
  });
});

allRepliesKeptTheirPromises(world);
