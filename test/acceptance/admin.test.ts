/** Managing the service: tokens, events, stats. Contract §8. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import {
  type Any,
  allRepliesKeptTheirPromises,
  dataOf,
  enter,
  nowSeconds,
  refused,
  type Scenario,
  table,
} from "./world.ts";

const world = await enter("admin");
const { management } = world.tokens;
const path = "/api/tokens";
const list = async (): Promise<Any[]> => dataOf(await world.read({}, management, path));

const columns = [
  "id",
  "kind",
  "resources",
  "label",
  "environment",
  "state",
  "limit_calls",
  "calls",
  "expires_at",
  "created_at",
  "last_used_at",
];

const kinds: [string, string[] | undefined, string][] = [
  ["delivery", ["entries", "registry", "files", "folders"], "oct_d_"],
  ["delivery", ["entries"], "oct_d_"],
  ["management", ["entries", "registry", "files", "folders", "admin"], "oct_m_"],
  ["management", ["admin"], "oct_m_"],
  ["images", undefined, "oct_i_"],
  ["access", undefined, "oct_a_"],
];

describe("POST /api/tokens", () => {
  for (const [kind, resources, prefix] of kinds) {
    test(`creates a token of kind ${kind} with ${resources?.join(", ") ?? "no resources"} and answers its secret`, async () => {
      const before = nowSeconds();
      const row: Any = await world.token({ kind, ...(resources ? { resources } : {}) });
      assert.match(row.token, new RegExp(`^${prefix}[A-Za-z0-9_-]{43}$`));
      assert.deepEqual([...Object.keys(row)].sort(), [...columns, "token"].sort());
      assert.equal(row.kind, kind);
      assert.deepEqual([...row.resources].sort(), [...(resources ?? [])].sort());
      assert.equal(row.state, "enabled");
      assert.equal(row.limit_calls, 0);
      assert.equal(row.calls, 0);
      assert.equal(row.expires_at, null);
      assert.equal(row.last_used_at, null);
      assert.equal(row.environment, "");
      assert.ok(row.created_at >= before - 2 && row.created_at <= nowSeconds() + 2);
    });
  }

  test("accepts label, environment, limit and expiry", async () => {
    const sent = { label: "é 😀", environment: "staging", limit_calls: 7, expires_at: nowSeconds() + 1000 };
    const row: Any = await world.token({ kind: "delivery", resources: ["entries"], ...sent });
    for (const [name, value] of Object.entries(sent)) assert.equal(row[name], value, name);
    const listed = (await list()).find(({ id }) => id === row.id);
    const { token: _, ...rest } = row;
    assert.deepEqual(listed, rest);
  });

  test("accepts a state, so that a token can be created disabled", async () => {
    const input = { kind: "delivery", resources: ["entries"] };
    const row: Any = await world.token({ ...input, state: "disabled" });
    assert.equal(row.state, "disabled");
    refused(await world.read({ id: world.prefix }, row.token), 401, "token_invalid");
    dataOf(await world.write("PATCH", { id: row.id, state: "enabled" }, path));
    assert.equal((await world.read({ id: world.prefix }, row.token)).status, 200);
    assert.equal((await world.token({ ...input, state: "enabled" })).state, "enabled");
    refused(await world.write("POST", { ...input, state: "paused" }, path), 400, "argument_invalid", /state/);
  });

  test("accepts a form, with numbers as digits", async () => {
    const form = {
      ...world.pair,
      kind: "delivery",
      resources: ["entries", "registry"],
      limit_calls: "5",
      label: world.prefix,
    };
    const row = dataOf(await world.send({ method: "POST", path, form }));
    assert.equal(row.limit_calls, 5);
    assert.deepEqual([...row.resources].sort(), ["entries", "registry"]);
    await world.write("DELETE", { id: row.id }, path);
  });

  test("a repeated resource is stored once", async () => {
    const row: Any = await world.token({ kind: "delivery", resources: ["entries", "entries"] });
    assert.deepEqual(row.resources, ["entries"]);
  });

  test("two tokens never share an id or a secret", async () => {
    const rows = await Promise.all(Array.from({ length: 5 }, () => world.token({ kind: "access" })));
    assert.equal(new Set(rows.map(({ id }) => id)).size, 5);
    assert.equal(new Set(rows.map(({ token }) => token)).size, 5);
  });
});

describe("GET /api/tokens", () => {
  test("lists rows without secrets or their hashes", async () => {
    const made = await world.token({ kind: "access" });
    const reply = await world.read({}, management, path);
    const rows: Any[] = dataOf(reply);
    assert.ok(Array.isArray(rows) && rows.some(({ id }) => id === made.id));
    for (const row of rows) assert.deepEqual([...Object.keys(row)].sort(), [...columns].sort());
    for (const secret of [made.token, ...Object.values(world.tokens)]) {
      const hash = createHash("sha256").update(secret);
      const [hex, base64] = [hash.copy().digest("hex"), hash.digest("base64url")];
      for (const text of [secret, hex, base64, hex.slice(0, 16)]) assert.ok(!reply.text.includes(text));
    }
  });

  test("HEAD answers too", async () => {
    assert.equal((await world.send({ method: "HEAD", path, query: { token: management } })).status, 200);
  });
});

describe("PATCH /api/tokens", () => {
  test("changes state, label, environment, limit and expiry, one by one and together", async () => {
    const { id } = await world.token({ kind: "delivery", resources: ["entries"] });
    const changes: Any[] = [
      { state: "disabled" },
      { label: "new" },
      { environment: "production" },
      { limit_calls: 9 },
      { expires_at: nowSeconds() + 500 },
      { state: "enabled", label: "", limit_calls: 0, expires_at: null },
    ];
    let expected = (await list()).find((row) => row.id === id);
    for (const change of changes) {
      const row = dataOf(await world.write("PATCH", { id, ...change }, path));
      expected = { ...expected, ...change };
      assert.deepEqual(row, expected, JSON.stringify(change));
      assert.deepEqual(
        (await list()).find((row) => row.id === id),
        expected,
      );
    }
  });

  test("does not change kind, resources, calls or the secret", async () => {
    const made = await world.token({ kind: "delivery", resources: ["registry"] });
    const sent = { kind: "management", resources: ["admin"], calls: -5, created_at: 1, token: world.pair.token };
    const reply = await world.write("PATCH", { id: made.id, ...sent, label: "x" }, path);
    assert.ok([200, 400].includes(reply.status), reply.text);
    const row = (await list()).find(({ id }) => id === made.id);
    assert.equal(row.kind, "delivery");
    assert.deepEqual(row.resources, ["registry"]);
    assert.equal(row.calls, 0);
    assert.ok(row.created_at > 1);
  });
});

describe("PUT /api/tokens/rotate and DELETE /api/tokens", () => {
  test("rotating answers the token with a new secret each time", async () => {
    const made: Any = await world.token({ kind: "management", resources: ["entries"], limit_calls: 5, label: "l" });
    const { token, ...row } = dataOf(await world.write("PUT", { id: made.id }, `${path}/rotate`));
    const again = dataOf(await world.write("PUT", { id: made.id }, `${path}/rotate`));
    assert.equal(new Set([made.token, token, again.token]).size, 3);
    assert.deepEqual([...Object.keys(row)].sort(), [...columns].sort());
    for (const name of ["id", "kind", "label", "limit_calls", "state", "created_at"])
      assert.equal(row[name], made[name], name);
  });

  test("revoking answers 204 and deletes the token; repeated it is 404", async () => {
    const { id } = await world.token({ kind: "access" });
    const reply = await world.write("DELETE", { id }, path);
    assert.equal(reply.status, 204);
    assert.equal(reply.bytes.length, 0);
    assert.ok(!(await list()).some((row) => row.id === id));
    refused(await world.write("DELETE", { id }, path), 404, "token_not_found");
    refused(await world.write("PATCH", { id, label: "x" }, path), 404, "token_not_found");
    refused(await world.write("PUT", { id }, `${path}/rotate`), 404, "token_not_found");
  });
});

const post = (args: Any): Any => ({
  method: "POST",
  path,
  json: { ...world.pair, label: `${world.prefix}-refused`, ...args },
});
const patched = await world.token({ kind: "delivery", resources: ["entries"] });
const patch = (args: Any): Any => ({ method: "PATCH", path, json: { ...world.pair, id: patched.id, ...args } });
const noneMade = async () => assert.ok(!(await list()).some(({ label }) => label === `${world.prefix}-refused`));

const refusals: Scenario[] = [
  { name: "an unknown kind", call: post({ kind: "root" }), status: 400, about: /kind/ },
  { name: "a kind that is a method of objects", call: post({ kind: "constructor" }), status: 400, about: /kind/ },
  { name: "no kind", call: post({ resources: ["entries"] }), status: 400, about: /kind/ },
  {
    name: "an unknown resource",
    call: post({ kind: "delivery", resources: ["everything"] }),
    status: 400,
    about: /resources/,
  },
  { name: "delivery without resources", call: post({ kind: "delivery" }), status: 400, about: /resources/ },
  {
    name: "management with no resources",
    call: post({ kind: "management", resources: [] }),
    status: 400,
    about: /resources/,
  },
  {
    name: "a delivery token for admin",
    call: post({ kind: "delivery", resources: ["admin"] }),
    status: 400,
    about: /resources/,
  },
  {
    name: "an images token with resources",
    call: post({ kind: "images", resources: ["files"] }),
    status: 400,
    about: /resources/,
  },
  {
    name: "an access token with resources",
    call: post({ kind: "access", resources: ["entries"] }),
    status: 400,
    about: /resources/,
  },
  {
    name: "resources as an object",
    call: post({ kind: "delivery", resources: { a: 1 } }),
    status: 400,
    about: /resources/,
  },
  { name: "a negative limit", call: post({ kind: "access", limit_calls: -1 }), status: 400, about: /limit_calls/ },
  { name: "half a call", call: post({ kind: "access", limit_calls: 1.5 }), status: 400, about: /limit_calls/ },
  { name: "a limit as a word", call: post({ kind: "access", limit_calls: "many" }), status: 400, about: /limit_calls/ },
  { name: "a limit past 2^53", call: post({ kind: "access", limit_calls: 1e300 }), status: 400, about: /limit_calls/ },
  { name: "an expiry as a word", call: post({ kind: "access", expires_at: "soon" }), status: 400, about: /expires_at/ },
  { name: "an expiry as an object", call: post({ kind: "access", expires_at: {} }), status: 400, about: /expires_at/ },
  { name: "a label as a list", call: post({ kind: "access", label: [] }), status: 400, about: /label/ },
  { name: "a label of two lines", call: post({ kind: "access", label: "a\nb" }), status: 400, about: /label/ },
  { name: "a label of two lines on PATCH", call: patch({ label: "a\nb" }), status: 400, about: /label/ },
  { name: "a label with U+0000", call: post({ kind: "access", label: "a\0" }), status: 400 },
  { name: "an unknown state", call: patch({ state: "sleeping" }), status: 400, about: /state/ },
  { name: "a state as a boolean", call: patch({ state: true }), status: 400, about: /state/ },
  { name: "a negative limit on PATCH", call: patch({ limit_calls: -1 }), status: 400, about: /limit_calls/ },
  { name: "an expiry as a word on PATCH", call: patch({ expires_at: "soon" }), status: 400, about: /expires_at/ },
  { name: "no id on PATCH", call: patch({ id: undefined, label: "x" }), status: 400, about: /id/ },
  { name: "an unknown id on PATCH", call: patch({ id: "nothing", label: "x" }), status: [400, 404] },
  { name: "no id on DELETE", call: { method: "DELETE", path, json: world.pair }, status: 400, about: /id/ },
  {
    name: "no id on rotate",
    call: { method: "PUT", path: `${path}/rotate`, json: world.pair },
    status: 400,
    about: /id/,
  },
  {
    name: "an id as a list on DELETE",
    call: { method: "DELETE", path, json: { ...world.pair, id: [patched.id] } },
    status: 400,
    about: /id/,
  },
];

table(
  "/api/tokens refuses, and no token comes of it",
  world,
  refusals.map((row) => ({ ...row, check: noneMade })),
);

// ---------------------------------------------------------------------------------------------- events

const events = async (since?: number | string): Promise<Any[]> =>
  dataOf(await world.read(since === undefined ? {} : { since }, management, "/api/events"));

describe("GET /api/events", () => {
  test("each write appends one event with the prefix and count of its subtree", async () => {
    const start = await world.newestEvent();
    const startSeconds = nowSeconds();
    const ours = (name: string) => world.id(`ev/${name}`);
    await world.create("ev/a", {});
    await world.create("ev/a/b", {});
    await world.create("ev/a/c", {});
    await world.write("PATCH", { id: ours("a"), data: { t: 1 } });
    await world.write("PUT", { id: ours("a"), new_id: ours("m") });
    await world.write("PUT", { id: ours("m"), new_id: ours("n") }, "/api/entries/copy");
    await world.write("DELETE", { id: ours("m") });
    const found = (await world.eventsAfter(start)).filter(({ subject }) => String(subject).startsWith(world.id("ev")));
    const told = found.map(({ kind, subject, target, count }) => [
      String(kind).replace(/^entry\./, ""),
      subject,
      target,
      count,
    ]);
    assert.deepEqual(told, [
      ["create", ours("a"), null, 1],
      ["create", ours("a/b"), null, 1],
      ["create", ours("a/c"), null, 1],
      ["update", ours("a"), null, 1],
      ["move", ours("a"), ours("m"), 3],
      ["copy", ours("m"), ours("n"), 3],
      ["delete", ours("m"), null, 3],
    ]);
    for (const event of found) {
      assert.deepEqual([...Object.keys(event)].sort(), [
        "actor",
        "at",
        "count",
        "kind",
        "request_id",
        "sequence",
        "subject",
        "target",
      ]);
      assert.ok(Number.isInteger(event.at) && event.at >= startSeconds - 2 && event.at <= nowSeconds() + 2);
      assert.ok(typeof event.actor === "string" && event.actor !== "");
    }
    const sequences = found.map(({ sequence }) => sequence);
    assert.deepEqual(
      sequences,
      [...sequences].sort((a, b) => a - b),
    );
    assert.equal(new Set(sequences).size, sequences.length);
    const actors = new Set(found.map(({ actor }) => actor));
    assert.equal(actors.size, 1, "one token wrote them all");
    const rows = await list();
    assert.ok(
      rows.some(({ id }) => actors.has(id)),
      "the actor is a token's id, not its secret",
    );
  });

  test("a refused write, a read and a move to the same id append nothing", async () => {
    await world.create("quiet", {});
    const start = await world.newestEvent();
    const id = world.id("quiet");
    await world.read({ id });
    await world.write("POST", { id, data: {} });
    await world.write("PATCH", { id, data: { visibility: "nope" } });
    await world.write("PATCH", { id: world.id("nothing"), data: {} });
    await world.write("DELETE", { id: world.id("nothing") });
    await world.write("PUT", { id, new_id: `${id}/x` });
    await world.send({
      method: "DELETE",
      path: "/api/entries",
      json: { ...world.pair, id },
      headers: { "if-match": '"_x"' },
    });
    const found = (await world.eventsAfter(start)).filter(({ subject }) => String(subject).startsWith(world.prefix));
    assert.deepEqual(found, []);
  });

  test("registry and token writes are logged without values and secrets", async () => {
    const start = await world.newestEvent();
    await world.write("PUT", { id: world.key, value: "confidential-value" }, "/api/registry");
    await world.write("DELETE", { id: world.key }, "/api/registry");
    const made = await world.token({ kind: "access" });
    await world.write("PATCH", { id: made.id, label: "x" }, path);
    await world.write("PUT", { id: made.id }, `${path}/rotate`);
    await world.write("DELETE", { id: made.id }, path);
    const events = await world.eventsAfter(start);
    assert.ok(!JSON.stringify(events).includes("confidential-value"));
    const kinds = events.filter(({ subject }) => subject === world.key || subject === made.id).map(({ kind }) => kind);
    assert.equal(kinds.length, 6, kinds.join(" "));
    assert.equal(new Set(kinds).size, 6);
  });

  test("since answers exactly the events after it", async () => {
    const start = await world.newestEvent();
    await world.create("since-a", {});
    await world.create("since-b", {});
    const [first, second] = (await world.eventsAfter(start)).filter(({ subject }) =>
      String(subject).startsWith(world.prefix),
    );
    const after = (await world.eventsAfter(first.sequence)).filter(({ subject }) =>
      String(subject).startsWith(world.prefix),
    );
    assert.deepEqual(after, [second]);
    assert.deepEqual(await events(1e12), []);
  });

  test("without since the log starts at its first event", async () => {
    assert.deepEqual((await events())[0], (await events(0))[0]);
  });

  table("it refuses", world, [
    ...["x", "-1", "1.5", " ", "1e3"].map((since) => ({
      name: `since=${JSON.stringify(since)}`,
      call: { path: "/api/events", query: { since, token: management } },
      status: 400,
      about: /since/,
    })),
    {
      name: "since as a list",
      call: { path: "/api/events", query: { since: ["1"], token: management } },
      status: 400,
      about: /since/,
    },
  ]);
});

describe("GET /api/stats", () => {
  test("answers counts, bytes, cache, version and uptime", async () => {
    const data = dataOf(await world.read({}, management, "/api/stats"));
    const text = JSON.stringify(data);
    assert.match(text, /entries/);
    assert.match(text, /version/);
    assert.match(text, /uptime/);
    assert.doesNotMatch(text, /\/tmp|\/home|sqlite|oct_/);
    const version = dataOf(await world.read({ id: "octavo.manifest.version" }, management, "/api/registry")).value;
    assert.ok(text.includes(version), "the version of the manifest");
  });

  test("counts follow the entries", async () => {
    const numbers = (value: Any): number[] =>
      typeof value === "number"
        ? [value]
        : value && typeof value === "object"
          ? Object.values(value).flatMap(numbers)
          : [];
    assert.ok(numbers(dataOf(await world.read({}, management, "/api/stats"))).length >= 2);
  });
});

allRepliesKeptTheirPromises(world);
