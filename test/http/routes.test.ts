import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { allResources, type Reply, useWorld } from "../harness.ts";

/** Every route and verb of the OpenAPI description: new routes are tested without a change here. */

type Operation = { method: string; url: string; security: object[]; needsWrite: boolean; resource: string };

const resourceOf = (url: string): string =>
  ["entries", "registry", "folders", "files"].find((name) => url.includes(name)) ?? "admin";

const world = useWorld();
let description: { paths: Record<string, Record<string, { security: object[] }>> };
let operations: Operation[];

before(async () => {
  await world.ready;
  description = (await world.send("GET", "/api/openapi.json")).json as typeof description;
  operations = Object.entries(description.paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      url,
      security,
      needsWrite: security.some((scheme) => "access_token" in scheme),
      resource: resourceOf(url),
    })),
  );
});

const guarded = () => operations.filter(({ security }) => security.length > 0);

/** Sends the operation with only these tokens, in the places of contract §2. */
function call({ method, url }: Operation, token?: string, access?: string): Promise<Reply> {
  const tokens = { ...(token ? { token } : {}), ...(access ? { access_token: access } : {}) };
  return method === "GET" ? world.send(method, url, { query: tokens }) : world.send(method, url, { body: tokens });
}

function refusal(reply: Reply, status: number, code: string, what: string): void {
  assert.equal(reply.status, status, `${what}: ${reply.text}`);
  assert.equal(reply.json.code, code, what);
  assert.match(reply.headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.equal(reply.headers.get("cache-control"), "no-store");
  for (const secret of Object.values(world.token))
    assert.ok(!reply.text.includes(secret), `${what}: a token in the body`);
}

test("the description contains every kind of route", () => {
  assert.ok(operations.length >= 25, `only ${operations.length} operations`);
  assert.ok(guarded().some(({ url }) => url === "/api/entries/copy"));
});

test("no token: 401 on every guarded route", async () => {
  for (const operation of guarded()) {
    refusal(await call(operation), 401, "token_missing", `${operation.method} ${operation.url}`);
  }
});

test("an unknown token: 401 on every guarded route", async () => {
  for (const operation of guarded()) {
    refusal(await call(operation, "oct_m_unknown"), 401, "token_invalid", `${operation.method} ${operation.url}`);
  }
});

function wrongKinds({ url, needsWrite }: Operation): ("images" | "access" | "delivery" | "management")[] {
  if (isImage(url)) return ["delivery", "management", "access"];
  return needsWrite ? ["images", "access", "delivery"] : ["images", "access"];
}

const isImage = (url: string): boolean => url.startsWith("/api/images");

test("a token of another kind: 403 on every guarded route", async () => {
  for (const operation of guarded()) {
    for (const kind of wrongKinds(operation)) {
      const reply = await call(operation, world.token[kind], world.token.access);
      refusal(reply, 403, "scope_missing", `${kind} on ${operation.method} ${operation.url}`);
    }
  }
});

test("a token without the resource: 403 on every guarded route", async () => {
  for (const operation of guarded()) {
    const others = [...allResources, "admin" as const].filter((resource) => resource !== operation.resource);
    const { secret } = await world.issue("management", others);
    const reply = await call(operation, secret, world.token.access);
    refusal(reply, 403, "scope_missing", `${operation.method} ${operation.url}`);
  }
});

test("a missing or invalid access token: 401 on every write", async () => {
  for (const operation of guarded().filter(({ needsWrite }) => needsWrite)) {
    const what = `${operation.method} ${operation.url}`;
    refusal(await call(operation, world.token.management), 401, "access_token_missing", what);
    for (const wrong of ["oct_a_unknown", world.token.management, world.token.images]) {
      refusal(await call(operation, world.token.management, wrong), 401, "access_token_invalid", what);
    }
  }
});

test("valid tokens and no arguments: 400 naming the argument wherever one is required", async () => {
  const open = new Set(["/api/tokens", "/api/sessions", "/api/events", "/api/stats"]);
  for (const operation of guarded()) {
    if (operation.method === "GET" && (open.has(operation.url) || isImage(operation.url))) continue;
    const reply = await call(operation, world.token.management, world.token.access);
    refusal(reply, 400, "argument_missing", `${operation.method} ${operation.url}`);
    assert.match(reply.json.detail as string, /"(id|path|kind|file)" is missing/);
  }
});

test("arguments of the wrong type: 400 on every write", async () => {
  for (const operation of guarded().filter(({ needsWrite }) => needsWrite)) {
    const body = {
      token: world.token.management,
      access_token: world.token.access,
      ...{ id: ["x"], path: { a: 1 }, new_id: { a: 1 }, data: "text", value: 1, kind: 7, file: "text", folder: 7 },
    };
    const reply = await world.send(operation.method, operation.url, { body });
    refusal(reply, 400, "argument_invalid", `${operation.method} ${operation.url}`);
  }
});

test("a malformed body: 400 on every write, before authentication", async () => {
  for (const operation of guarded().filter(({ needsWrite }) => needsWrite)) {
    const headers = { "Content-Type": "application/json" };
    const reply = await world.send(operation.method, operation.url, { headers, body: "{" });
    refusal(reply, 400, "body_invalid", `${operation.method} ${operation.url}`);
  }
});

test("a missing target: 404 on every route that names one", async () => {
  const tokens = { token: world.token.management, access_token: world.token.access };
  const body = { ...tokens, id: "missing", new_id: "elsewhere", data: {}, field: "f", value: "v" };
  for (const operation of guarded()) {
    if (/\/(tokens|entries|folders|files)$/.test(operation.url) && operation.method === "POST") continue;
    if (operation.url === "/api/registry" && operation.method === "PUT") continue;
    if (operation.method === "GET" && !/entries|registry|folders|files/.test(operation.url)) continue;
    const reply =
      operation.method === "GET"
        ? await world.send("GET", operation.url, { query: { id: "missing", token: tokens.token } })
        : await world.send(operation.method, operation.url, { body });
    assert.equal(reply.status, 404, `${operation.method} ${operation.url}: ${reply.text}`);
    assert.match(reply.json.code as string, /_not_found$/);
  }
});

test("a method that a route does not have: 405 with Allow", async () => {
  for (const [url, methods] of Object.entries(description.paths)) {
    for (const method of ["POST", "PATCH", "PUT", "DELETE"].filter((name) => !(name.toLowerCase() in methods))) {
      const reply = await world.send(method, url);
      refusal(reply, 405, "method_not_allowed", `${method} ${url}`);
      const allowed = reply.headers.get("allow")?.split(", ") ?? [];
      for (const name of Object.keys(methods)) assert.ok(allowed.includes(name.toUpperCase()));
    }
  }
});

test("HEAD answers as GET, without the body", async () => {
  for (const { method, url, security } of operations) {
    if (method !== "GET") continue;
    const query = security.length > 0 ? { token: world.token.management, id: "octavo" } : undefined;
    const [head, get] = [await world.send("HEAD", url, { query }), await world.send("GET", url, { query })];
    assert.equal(head.status, get.status, url);
    assert.equal(head.text, "");
    assert.equal(head.headers.get("content-type"), get.headers.get("content-type"));
  }
});

test("the description is valid OpenAPI 3.1", async () => {
  const source = JSON.stringify(description);
  const config = await createConfig({
    extends: ["recommended"],
    // Every route lists its 4xx; open routes have only the shared ones.
    rules: { "operation-4xx-response": "off", "security-defined": "error" },
  });
  const found = await lintFromString({ source, config });
  assert.deepEqual(
    found.map(({ message, location }) => `${message} ${location[0]?.pointer}`),
    [],
  );
});
