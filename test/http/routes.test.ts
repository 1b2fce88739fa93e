import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { allResources, type Reply, useWorld } from "../harness.ts";

/** Every route and verb of the OpenAPI description: new routes are tested without a change here. */

type Schema = { $ref?: string; type?: string; required?: string[]; properties?: Record<string, Schema> };
type Described = {
  security: object[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Operation = {
  method: string;
  url: string;
  security: object[];
  needsWrite: boolean;
  /** Any one of them is needed. */
  resources: readonly string[];
  /** The schemas of the arguments other than the tokens. */
  arguments: Record<string, Schema>;
  required: readonly string[];
};

const trashResources = ["entries", "files", "folders"];
const resourcesOf = (url: string, method: string): readonly string[] =>
  url.startsWith("/api/trash")
    ? trashResources
    : url.endsWith("/preview") || url.startsWith("/api/releases")
      ? ["entries"]
      : ["/api/files/references", "/api/delivery/changes", "/api/translations/xliff"].includes(url)
        ? ["entries"]
        : url === "/api/types/check"
          ? ["entries", "admin"]
          : url === "/api/types" && method === "get"
            ? ["entries"]
            : [["entries", "registry", "folders", "files"].find((name) => url.includes(name)) ?? "admin"];

// Every bad token is a failure of this address.
const world = useWorld({ "auth-failures-per-minute": "0", locales: "en,de" });
let description: {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};
let operations: Operation[];

before(async () => {
  await world.ready;
  description = (await world.send("GET", "/api/openapi.json")).json as typeof description;
  // Those of the tus protocol have headers for arguments: src/transfer/routes.test.ts.
  const paths = Object.entries(description.paths).filter(([url]) => !url.startsWith("/api/uploads"));
  operations = paths.flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      url,
      security: described.security,
      needsWrite: described.security.some((scheme) => "access_token" in scheme),
      resources: resourcesOf(url, method),
      ...argumentsOf(described),
    })),
  );
});

const tokens = new Set(["token", "access_token"]);

function argumentsOf({ parameters = [], requestBody }: Described): Pick<Operation, "arguments" | "required"> {
  const queried = parameters.filter((parameter) => parameter.in === "query");
  const [sent] = Object.values(requestBody?.content ?? {});
  const name = sent?.schema.$ref?.split("/").at(-1);
  const body = name === undefined ? sent?.schema : description.components.schemas[name];
  const schemas = [
    ...queried.map(({ name, schema }) => [name, schema] as const),
    ...Object.entries(body?.properties ?? {}).filter(([name]) => !tokens.has(name)),
  ];
  const required = [...queried.filter((one) => one.required).map((one) => one.name), ...(body?.required ?? [])];
  return { arguments: Object.fromEntries(schemas), required };
}

/** Those of the values that the operation takes. */
const takenBy = (operation: Operation, values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in operation.arguments));

/** Those that take tokens: the others are for a person's session. */
const guarded = () => operations.filter(({ security }) => security.length > 0 && !isOwn({ security }));
const isOwn = ({ security }: Pick<Operation, "security">): boolean => security.some((scheme) => "session" in scheme);

/** Sends the operation with only these tokens, in the places of contract §2. */
function call({ method, url }: Operation, token?: string, access?: string): Promise<Reply> {
  const tokens = { ...(token ? { token } : {}), ...(access ? { access_token: access } : {}) };
  return send({ method, url }, tokens);
}

const send = ({ method, url }: Pick<Operation, "method" | "url">, all: Record<string, unknown>): Promise<Reply> =>
  world.send(method, url, method === "GET" ? { query: all as Record<string, string> } : { body: all });

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

const isImage = (url: string): boolean => /^\/api\/(delivery\/)?images/.test(url);

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
    // The resources are those of its operations: src/batch/routes.test.ts.
    if (operation.url === "/api/batch") continue;
    const others = [...allResources, "admin" as const].filter((resource) => !operation.resources.includes(resource));
    const { secret } = await world.issue("management", others);
    const reply = await call(operation, secret, world.token.access);
    refusal(reply, 403, "scope_missing", `${operation.method} ${operation.url}`);
  }
});

test("any token: 403 on every route of a person's session; none: 401; an unknown one: 401", async () => {
  const own = operations.filter(isOwn);
  assert.ok(own.length >= 4);
  for (const operation of own) {
    const what = `${operation.method} ${operation.url}`;
    refusal(await call(operation), 401, "token_missing", what);
    refusal(await call(operation, "oct_m_unknown"), 401, "token_invalid", what);
    for (const kind of ["management", "delivery", "images"] as const)
      refusal(await call(operation, world.token[kind], world.token.access), 403, "scope_missing", what);
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
  const open = new Set([
    "/api/tokens",
    "/api/sessions",
    "/api/people",
    "/api/roles",
    "/api/events",
    "/api/delivery/changes",
    "/api/stats",
    "/metrics",
    "/api/delivery/changes",
    "/api/trash",
    "/api/entries/staged/list",
    "/api/entries/recent",
    "/api/tokens/preview",
    "/api/types",
    "/api/webhooks",
    "/api/releases",
  ]);
  for (const operation of guarded()) {
    if (operation.method === "GET" && (open.has(operation.url) || isImage(operation.url))) continue;
    // Every argument of a new preview token is optional.
    if (operation.method === "POST" && operation.url === "/api/tokens/preview") continue;
    const reply = await call(operation, world.token.management, world.token.access);
    refusal(reply, 400, "argument_missing", `${operation.method} ${operation.url}`);
    assert.match(
      reply.json.detail as string,
      /"(id|path|q|kind|file|operations|email|url|title|types|steps|group)" is missing/,
    );
  }
});

test("arguments of the wrong type: 400 on every write", async () => {
  for (const operation of guarded().filter(({ needsWrite }) => needsWrite)) {
    const wrong = {
      id: ["x"],
      path: { a: 1 },
      new_id: { a: 1 },
      data: "text",
      kind: 7,
      email: 7,
      url: 7,
      title: 7,
      file: "text",
      folder: 7,
      limit_calls: "x",
      operations: "text",
      types: "text",
      steps: "text",
      group: "text",
    };
    const tokens = { token: world.token.management, access_token: world.token.access };
    const reply = await send(operation, { ...tokens, ...takenBy(operation, wrong) });
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
  const texts = {
    id: "missing",
    path: "missing",
    new_id: "elsewhere",
    new_path: "elsewhere",
    data: {},
    field: "f",
    value: "v",
    email: "someone@example.org",
    role: "missing",
    title: "Missing",
    locale: "de",
  };
  // Integers come from the schemas: the id of a trash item, a revision.
  const valueFor = (operation: Operation, name: string) =>
    operation.arguments[name]?.type === "integer" ? 999_999 : texts[name as keyof typeof texts];
  for (const operation of guarded()) {
    if (
      /\/(tokens|preview|entries|folders|files|webhooks|releases)$/.test(operation.url) &&
      operation.method === "POST"
    )
      continue;
    // A put of a role creates, as a type's.
    if (operation.url === "/api/roles" && operation.method === "PUT") continue;
    if (operation.url === "/api/registry" && operation.method === "PUT") continue;
    // The entries of a file are those that its units name.
    if (["/api/batch", "/api/translations/xliff"].includes(operation.url)) continue;
    // A put creates, a check is of a type that need not exist.
    if (operation.url.startsWith("/api/types") && operation.method !== "DELETE") continue;
    if (operation.method === "GET" && !/entries|registry|folders|files/.test(operation.url)) continue;
    // A search is below the root unless it says otherwise.
    if (operation.url.endsWith("/search")) continue;
    // The history of a key without one is empty: an item that was deleted has one.
    if (["/api/registry/history", "/api/entries/staged/list", "/api/entries/recent"].includes(operation.url)) continue;
    // `revision` is one of two ways to say which content, `data` of what is staged.
    const either = new Map([
      ["POST /api/entries/restore", "revision"],
      ["PATCH /api/entries/staged", "data"],
      ["PATCH /api/entries/translations", "locale data"],
      ["DELETE /api/entries/translations", "locale"],
    ]);
    const names = [...operation.required, ...(either.get(`${operation.method} ${operation.url}`)?.split(" ") ?? [])];
    const sent = Object.fromEntries(names.map((name) => [name, valueFor(operation, name)]));
    const { access_token, ...read } = tokens;
    const reply = await send(operation, {
      ...(operation.method === "GET" ? read : { ...read, access_token }),
      ...sent,
    });
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
    const query =
      security.length > 0 && !isOwn({ security }) ? { token: world.token.management, id: "octavo" } : undefined;
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
