/** The shape of a refusal. Contract §3. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, enter, refused } from "./world.ts";

const world = await enter("problem");
const { pair } = world;
const path = "/api/entries";
await world.create("taken", {});

/** A call for each problem that the contract names and this chapter can provoke. */
const named: [string, number, Call][] = [
  ["route_not_found", 404, { path: "/api/nothing" }],
  ["media_type_unsupported", 415, { method: "POST", path, body: "x", type: "text/plain" }],
  [
    "query_too_complex",
    400,
    { path, query: `${Array.from({ length: 201 }, (_, n) => `x${n}=1`).join("&")}&token=${pair.token}&id=x` },
  ],
  ["path_invalid", 400, { path, query: { id: "a/../b", token: pair.token } }],
  ["text_invalid", 400, { method: "POST", path, json: { ...pair, id: world.id("text"), data: { a: "\0" } } }],
  ["token_ambiguous", 400, { path, query: { id: "x", token: pair.token }, headers: { authorization: "Bearer other" } }],
  ["token_missing", 401, { path, query: { id: "x" }, uniqueAddress: true }],
  ["token_invalid", 401, { path, query: { id: "x", token: "other" }, uniqueAddress: true }],
  ["scope_missing", 403, { path, query: { id: "x", token: world.tokens.images } }],
  ["access_token_missing", 401, { method: "DELETE", path, json: { token: pair.token, id: "x" }, uniqueAddress: true }],
  [
    "access_token_invalid",
    401,
    { method: "DELETE", path, json: { ...pair, access_token: "x", id: "x" }, uniqueAddress: true },
  ],
  ["field_invalid", 400, { method: "POST", path, json: { ...pair, id: world.id("f"), data: { visibility: "x" } } }],
  ["entry_not_found", 404, { path, query: { id: world.id("nothing"), token: pair.token } }],
  ["entry_exists", 409, { method: "POST", path, json: { ...pair, id: world.id("taken"), data: {} } }],
  [
    "move_into_itself",
    409,
    { method: "PUT", path, json: { ...pair, id: world.id("taken"), new_id: world.id("taken/x") } },
  ],
  [
    "revision_mismatch",
    412,
    { method: "DELETE", path, json: { ...pair, id: world.id("taken") }, headers: { "if-match": '"_x"' } },
  ],
  ["limit_too_large", 400, { path, query: { id: world.prefix, token: pair.token, filter: { limit: 99999 } } }],
  [
    "cursor_invalid",
    400,
    { path, query: { id: world.prefix, token: pair.token, filter: { cursor: "x" }, cursor: "x" } },
  ],
  ["registry_item_not_found", 404, { path: "/api/registry", query: { id: world.key, token: pair.token } }],
];

describe("every problem the contract names", () => {
  for (const [code, status, call] of named) {
    test(`${code} is ${status}, with all members of the shape`, async () => {
      const body = refused(await world.send(call), status, code);
      assert.equal(body.http_status_code, status);
      assert.equal(body.message, body.detail);
      assert.ok(body.title.length > 3 && body.title !== body.detail);
      assert.match(body.type, /^(https?:\/\/|\/)/, "type is an address");
    });
  }

  test("request ids are unique", async () => {
    const bodies = await Promise.all(
      Array.from({ length: 5 }, async () => JSON.parse((await world.send({ path: "/api/nothing" })).text)),
    );
    assert.equal(new Set(bodies.map((body) => body.request_id)).size, 5);
  });

  test("the title depends on the code, the detail on the request", async () => {
    const ask = async (name: string) => refused(await world.read({ id: world.id(name) }), 404, "entry_not_found");
    const [one, two] = [await ask("one"), await ask("two")];
    assert.equal(one.title, two.title);
    assert.equal(one.type, two.type);
    assert.notEqual(one.detail, two.detail);
  });
});

describe("a detail names the argument, what was sent and what is accepted", () => {
  const rows: [string, Call, RegExp[]][] = [
    [
      "a field",
      { method: "POST", path, json: { ...pair, id: world.id("f"), data: { visibility: "loud" } } },
      [/visibility/, /loud/, /visible/, /hidden/, /draft/],
    ],
    [
      "an operator",
      {
        path,
        query: { id: world.prefix, token: pair.token, filter: { where: { key: "a", expr: "spells", value: "x" } } },
      },
      [/spells/],
    ],
    [
      "a limit",
      { path, query: { id: world.prefix, token: pair.token, filter: { limit: 77777 } } },
      [/limit/, /77777/, /10,?000/],
    ],
    ["a media type", { method: "POST", path, body: "x", type: "text/plain" }, [/text\/plain/, /application\/json/]],
    ["a path", { path, query: { id: "a//b", token: pair.token } }, [/id/, /a\/\/b/, /segment/]],
  ];
  for (const [what, call, parts] of rows) {
    test(what, async () => {
      const body = refused(await world.send(call), [400, 415]);
      for (const part of parts) assert.match(body.detail, part);
    });
  }

  test("a long or special value is not repeated completely", async () => {
    const loud = "loud".repeat(5000);
    const call = { method: "POST", path, json: { ...pair, id: world.id("f"), data: { visibility: loud } } };
    const body = refused(await world.send(call), 400, "field_invalid");
    assert.ok(body.detail.length < 1000, `${body.detail.length} characters`);
    const html = await world.read({ id: world.id("<script>alert(1)</script>") });
    refused(html, 404);
    assert.equal(html.headers["x-content-type-options"] ?? "nosniff", "nosniff");
    assert.doesNotMatch(html.headers["content-type"] ?? "", /html/);
  });
});

describe("several wrong arguments are listed in errors", () => {
  const rows: [string, Call, RegExp[]][] = [
    ["missing ones", { method: "PUT", path, json: { ...pair } }, [/"id"/, /"new_id"/]],
    ["missing ones of a create", { method: "POST", path, json: { ...pair } }, [/"id"/, /data/]],
    [
      "fields",
      {
        method: "POST",
        path,
        json: { ...pair, id: world.id("f"), data: { visibility: "x", routable: "y", published_at: "z" } },
      },
      [/visibility/, /routable/, /published_at/],
    ],
    ["paths", { method: "PUT", path, json: { ...pair, id: "a//b", new_id: "c//d" } }, [/"id"/, /"new_id"/]],
    ["a path and another type", { method: "POST", path, json: { ...pair, id: "a//b", data: 5 } }, [/"id"/, /"data"/]],
    ["a path and a missing argument", { method: "PUT", path, json: { ...pair, id: "a//b" } }, [/"id"/, /"new_id"/]],
    [
      "arguments of an upload",
      { method: "POST", path: "/api/files", multipart: { ...pair, folder: "a//b", on_conflict: "x" } },
      [/"file"/, /"folder"/, /"on_conflict"/],
    ],
    [
      "a token's time and kind",
      { method: "POST", path: "/api/tokens", json: { ...pair, kind: "x", expires_at: "x" } },
      [/"kind"/, /"expires_at"/],
    ],
  ];
  for (const [what, call, parts] of rows) {
    test(what, async () => {
      const body = refused(await world.send(call), 400);
      assert.ok(Array.isArray(body.errors), `errors of ${JSON.stringify(body)}`);
      assert.equal(body.errors.length, parts.length);
      const details = body.errors.map((error: Any) => error.detail).join("\n");
      for (const part of parts) assert.match(details, part);
      for (const { code, argument, detail } of body.errors) {
        assert.match(code, /^[a-z_]+$/);
        assert.ok(detail.includes(`"${argument}"`), `${argument} is the argument of: ${detail}`);
      }
    });
  }

  test("one wrong argument has no list of errors, or a list of one", async () => {
    const body = refused(await world.send({ method: "PUT", path, json: { ...pair, id: "a" } }), 400);
    assert.ok(body.errors === undefined || body.errors.length === 1);
  });
});

allRepliesKeptTheirPromises(world);

describe("what many try first is told what works here", () => {
  const nothing: [path: string, about: RegExp][] = [
    ["/api/entries/blog/x", /\/api\/entries\?id=blog\/x/],
    ["/api/delivery/entries/blog", /\/api\/delivery\/entries\?id=blog/],
    ["/api/files/a/b.png", /\/api\/files\?path=a\/b\.png/],
    ["/api/folders/a", /\/api\/folders\?path=a/],
    ["/api/registry/site.title", /\/api\/registry\?id=site\.title/],
    ["/api/types/movie", /\/api\/types\?id=movie/],
    ["/api", /\/api\/entries.*\/docs/],
    ["/graphql", /no GraphQL/],
    ["/health", /\/health\/live.*\/health\/ready/],
  ];
  for (const [at, about] of nothing) {
    test(`GET ${at}`, async () => void refused(await world.send({ path: at }), 404, "route_not_found", about));
  }

  test("JSON sent as a form, as curl does where no type is given", async () => {
    for (const [method, body] of [
      ["POST", '{"id": "x", "data": {}}'],
      ["PATCH", ' {"id":"x","data":{"a":"b=c&d"}}\n'],
      ["DELETE", "{}"],
    ] as const) {
      const type = "application/x-www-form-urlencoded";
      const headers = { authorization: `Bearer ${world.pair.token}`, "x-access-token": world.pair.access_token };
      const reply = await world.send({ method, path: "/api/entries", body, type, headers });
      refused(reply, 400, "body_invalid", /Content-Type: application\/json/);
    }
  });

  test("PUT for an update", async () => {
    for (const at of ["/api/entries", "/api/management/entries"])
      refused(await world.write("PUT", { id: "x", data: {} }, at), 400, "argument_missing", /PATCH changes/);
  });
});
