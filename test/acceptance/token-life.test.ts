/** The life of a token: calls counted, limits, expiry, rotation, revocation, throttling. Contract §2, §8. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Call, freshAddress, type Reply } from "./client.ts";
import { allRepliesKeptTheirPromises, dataOf, enter, nowSeconds, refused, sleep } from "./world.ts";

const world = await enter("token-life");
const { tokens, pair } = world;
await world.create("there", { title: "there" });
const there = world.id("there");
const nothing = world.id("nothing");
const unknown = "oct_d_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const unknownAccess = "oct_a_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

const ask = (token: string, id = there, more: Partial<Call> = {}): Promise<Reply> =>
  world.send({ path: "/api/entries", query: { id, token }, uniqueAddress: true, ...more });

describe("calls are counted", () => {
  test("once each with a valid token and scope, whatever the result", async () => {
    const reader = await world.token({ kind: "delivery", resources: ["entries"], limit_calls: 100 });
    const calls = async () => (await world.row(reader.id)).calls;
    assert.equal(await calls(), 0);
    const first = await ask(reader.token);
    assert.equal(await calls(), 1, "200");
    await ask(reader.token, there, { method: "HEAD" });
    assert.equal(await calls(), 2, "HEAD");
    const headers = { "if-none-match": first.headers.etag as string };
    assert.equal((await ask(reader.token, there, { headers })).status, 304);
    assert.equal(await calls(), 3, "304");
    assert.equal((await ask(reader.token, nothing)).status, 404);
    assert.equal(await calls(), 4, "404");
    assert.equal((await ask(reader.token, "..")).status, 400);
    assert.equal(await calls(), 5, "400 of an argument");
    refused(await world.send({ path: "/api/registry", query: { id: "x", token: reader.token } }), 403);
    refused(await world.send({ path: "/api/management/entries", query: { id: there, token: reader.token } }), 403);
    assert.equal(await calls(), 5, "403 is not counted");
    await world.send({ path: "/api/nothing", query: { token: reader.token } });
    await world.send({ method: "POST", path: "/api/registry", query: { token: reader.token } });
    assert.equal(await calls(), 5, "404 of a route and 405 are not counted");
    assert.ok(((await world.row(reader.id)).last_used_at ?? 0) >= nowSeconds() - 30);
  });

  test("a write counts both tokens, or neither", async () => {
    const writer = await world.token({ kind: "management", resources: ["entries"], limit_calls: 100 });
    const access = await world.token({ kind: "access", limit_calls: 2 });
    const calls = async () => [(await world.row(writer.id)).calls, (await world.row(access.id)).calls];
    const write = (n: number, access_token = access.token) =>
      world.send({
        method: "POST",
        path: "/api/entries",
        json: { token: writer.token, access_token, id: world.id(`both-${n}`), data: {} },
        uniqueAddress: true,
      });
    dataOf(await write(0));
    assert.deepEqual(await calls(), [1, 1]);
    refused(await write(1, unknownAccess), 401, "access_token_invalid");
    assert.deepEqual(await calls(), [1, 1], "neither when the access token is invalid");
    refused(await write(0), 409);
    assert.deepEqual(await calls(), [2, 2], "both when the write is refused");
    refused(await write(3), 429, "call_limit_reached");
    assert.deepEqual(await calls(), [2, 2], "neither when one has no calls left");
    assert.equal(await world.statusOf("both-3"), 404);
    assert.equal((await ask(writer.token)).status, 200);
    assert.deepEqual(await calls(), [3, 2], "a read counts its token");
  });

  test("a token without a limit is counted within some seconds", async () => {
    const reader = await world.token({ kind: "delivery", resources: ["entries"] });
    for (let n = 0; n < 3; n++) await ask(reader.token);
    for (let n = 0; n < 40 && (await world.row(reader.id)).calls < 3; n++) await sleep(200);
    const row = await world.row(reader.id);
    assert.equal(row.calls, 3);
    assert.equal(row.limit_calls, 0);
    assert.ok(row.last_used_at !== null && row.last_used_at >= nowSeconds() - 30);
  });
});

describe("a limit is exact", () => {
  test("50 parallel reads on a limit of 20 give 20 answers and 30 refusals", async () => {
    const reader = await world.token({ kind: "delivery", resources: ["entries"], limit_calls: 20 });
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => ask(reader.token, there, { uniqueAddress: false })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 20);
    for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply, 429, "call_limit_reached");
    assert.equal((await world.row(reader.id)).calls, 20);
    refused(await ask(reader.token), 429, "call_limit_reached");
    refused(await ask(reader.token, nothing), 429, "call_limit_reached");
    assert.equal((await world.row(reader.id)).calls, 20, "a refusal does not count");
  });

  for (const spent of ["token", "access_token"] as const) {
    test(`50 parallel writes on a ${spent} with a limit of 20 create 20 entries`, async () => {
      const limited = await world.token(
        spent === "token"
          ? { kind: "management", resources: ["entries"], limit_calls: 20 }
          : { kind: "access", limit_calls: 20 },
      );
      const both = { ...pair, [spent]: limited.token };
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          world.send({
            method: "POST",
            path: "/api/entries",
            json: { ...both, id: world.id(`limit-${spent}/${n}`), data: {} },
          }),
        ),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 20);
      for (const reply of replies.filter(({ status }) => status !== 200)) {
        const problem = refused(reply, 429, "call_limit_reached");
        assert.match(problem.detail, new RegExp(`"${spent}"`));
      }
      assert.equal((await world.list(`limit-${spent}`, {})).length, 20);
      assert.equal((await world.row(limited.id)).calls, 20);
    });
  }

  test("raising the limit permits calls again, and 0 permits all", async () => {
    const reader = await world.token({ kind: "delivery", resources: ["entries"], limit_calls: 1 });
    assert.equal((await ask(reader.token)).status, 200);
    refused(await ask(reader.token), 429, "call_limit_reached");
    await world.write("PATCH", { id: reader.id, limit_calls: 2 }, "/api/tokens");
    assert.equal((await ask(reader.token)).status, 200);
    refused(await ask(reader.token), 429, "call_limit_reached");
    await world.write("PATCH", { id: reader.id, limit_calls: 0 }, "/api/tokens");
    for (let n = 0; n < 3; n++) assert.equal((await ask(reader.token)).status, 200);
  });

  test("the scope is checked before the limit", async () => {
    const reader = await world.token({ kind: "delivery", resources: ["entries"], limit_calls: 1 });
    await ask(reader.token);
    refused(await world.send({ path: "/api/registry", query: { id: "x", token: reader.token } }), 403, "scope_missing");
  });
});

describe("the life of a token", () => {
  test("it expires to the second, and the expiry can be changed", async () => {
    const reader = await world.token({ kind: "delivery", resources: ["entries"], expires_at: nowSeconds() + 2 });
    assert.equal((await ask(reader.token)).status, 200);
    await sleep(3100);
    refused(await ask(reader.token), 401, "token_invalid");
    await world.write("PATCH", { id: reader.id, expires_at: nowSeconds() + 100 }, "/api/tokens");
    assert.equal((await ask(reader.token)).status, 200);
    // A past time may be refused; if accepted, the token ends at once.
    const past = await world.write("PATCH", { id: reader.id, expires_at: nowSeconds() - 1 }, "/api/tokens");
    if (past.status === 200) refused(await ask(reader.token), 401, "token_invalid");
    else refused(past, 400, undefined, /expires_at/);
    await world.write("PATCH", { id: reader.id, expires_at: null }, "/api/tokens");
    assert.equal((await ask(reader.token)).status, 200);
  });

  test("disabling and enabling take effect on the next request", async () => {
    const reader = await world.token({ kind: "delivery", resources: ["entries"] });
    for (const [state, status] of [
      ["disabled", 401],
      ["enabled", 200],
      ["disabled", 401],
    ] as const) {
      await world.write("PATCH", { id: reader.id, state }, "/api/tokens");
      assert.equal((await ask(reader.token)).status, status, state);
    }
  });

  test("rotating invalidates the old secret at once and keeps the token", async () => {
    const reader = await world.token({ kind: "delivery", resources: ["entries"], limit_calls: 10, label: "rotated" });
    assert.equal((await ask(reader.token)).status, 200);
    const rotated = dataOf(await world.write("PUT", { id: reader.id }, "/api/tokens/rotate"));
    assert.equal(rotated.id, reader.id);
    assert.equal(rotated.label, "rotated");
    assert.notEqual(rotated.token, reader.token);
    assert.match(rotated.token, /^oct_d_[A-Za-z0-9_-]{43}$/);
    refused(await ask(reader.token), 401, "token_invalid");
    assert.equal((await ask(rotated.token)).status, 200);
    assert.equal((await world.row(reader.id)).limit_calls, 10);
  });

  test("revoking takes effect on the next request, even on open connections", async () => {
    const reader = await world.token({ kind: "delivery", resources: ["entries"] });
    for (let n = 0; n < 3; n++) assert.equal((await ask(reader.token, there, { uniqueAddress: false })).status, 200);
    assert.equal((await world.write("DELETE", { id: reader.id }, "/api/tokens")).status, 204);
    refused(await ask(reader.token, there, { uniqueAddress: false }), 401, "token_invalid");
    refused(await world.write("DELETE", { id: reader.id }, "/api/tokens"), 404);
  });

  test("an access token that is rotated or revoked stops writes at once", async () => {
    const access = await world.token({ kind: "access" });
    const write = (n: number, access_token: string) =>
      world.send({
        method: "POST",
        path: "/api/entries",
        json: { token: tokens.management, access_token, id: world.id(`life-${n}`), data: {} },
        uniqueAddress: true,
      });
    dataOf(await write(1, access.token));
    const { token } = dataOf(await world.write("PUT", { id: access.id }, "/api/tokens/rotate"));
    refused(await write(2, access.token), 401, "access_token_invalid");
    dataOf(await write(3, token));
    await world.write("DELETE", { id: access.id }, "/api/tokens");
    refused(await write(4, token), 401, "access_token_invalid");
  });
});

describe("failed authentication", () => {
  const from = freshAddress(world.url);

  test("is throttled per address, without effect on other addresses", {
    skip: from ? false : "needs a loopback service",
  }, async () => {
    let throttled: Reply | undefined;
    for (let n = 0; n < 40 && !throttled; n++) {
      const replies = await Promise.all(
        Array.from({ length: 25 }, () =>
          world.send({ path: "/api/entries", query: { id: there, token: unknown }, from }),
        ),
      );
      throttled = replies.find(({ status }) => status === 429);
    }
    assert.ok(throttled, "all 1,000 invalid tokens of one address were looked up");
    refused(throttled, 429);
    assert.notEqual(JSON.parse(throttled.text).code, "call_limit_reached");
    assert.match(throttled.headers["retry-after"] ?? "", /^[1-9]\d*$/);
    assert.equal((await ask(tokens.delivery)).status, 200, "a valid token from another address");
    refused(await ask(unknown), 401, "token_invalid");
  });
});

allRepliesKeptTheirPromises(world);
