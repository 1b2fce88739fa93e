import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Reply, temporaryFolder, useWorld } from "../../../test/harness.ts";
import { isProblem } from "../problem.ts";
import { quotaHeaders, RequestLimits, requestLimits } from "./limit.ts";

const open = useWorld();
const limited = useWorld({ "limit-token": "1,5", "limit-address": "1,20", "trust-proxy": "127.0.0.1" });
const direct = useWorld({ "limit-address": "1,2" });
const quick = useWorld({ "limit-token": "20,2" });
const shared = temporaryFolder();
const nodes = [
  useWorld({ "limit-token": "1,3", data: shared }),
  useWorld({ "limit-token": "1,3", data: shared }),
] as const;

// ------------------------------------------------------------------------------------------------------- the algorithm

/** How many of so many requests of one caller are accepted at a time, and the wait that the last refusal named. */
function accepted(limits: RequestLimits, caller: string, count: number, nowMs: number) {
  let taken = 0;
  let seconds: unknown;
  for (let i = 0; i < count; i++) {
    try {
      limits.takeToken(caller, [], nowMs);
      taken++;
    } catch (error) {
      if (!isProblem(error, "too_many_requests")) throw error;
      ({ seconds } = error.params);
    }
  }
  return { taken, seconds };
}

test("a burst at once, then as many a second as the rate, however often refused ones come back", () => {
  const limits = new RequestLimits({ token: { perSecond: 10, burst: 50 } });
  assert.deepEqual(accepted(limits, "a", 60, 1000), { taken: 50, seconds: 1 });
  assert.deepEqual(accepted(limits, "b", 60, 1000), { taken: 50, seconds: 1 }, "another caller has his own");
  assert.equal(accepted(limits, "a", 60, 1050).taken, 0);
  assert.equal(accepted(limits, "a", 60, 1100).taken, 1);
  assert.equal(accepted(limits, "a", 60, 2100).taken, 10);
  assert.equal(accepted(limits, "a", 60, 60_000).taken, 50, "never more than the burst");
  let taken = 0;
  for (let nowMs = 100_000; nowMs < 110_000; nowMs += 7) taken += accepted(limits, "c", 3, nowMs).taken;
  assert.equal(taken, 50 + 99);
});

test("a rate that divides nothing evenly gives the whole burst", () => {
  for (const [perSecond, burst] of [
    [3, 7],
    [7, 3],
    [999_999, 999_999],
    [1, 1],
  ] as const) {
    const limits = new RequestLimits({ token: { perSecond, burst } });
    assert.equal(accepted(limits, "a", Math.min(burst, 2000) + 5, 12_345.678).taken, Math.min(burst, 2005));
  }
});

test("the wait until the burst is whole is the same at every time of the clock", () => {
  for (let nowMs = 1000.1; nowMs < 100_000; nowMs += 12.3) {
    const quotas: Parameters<RequestLimits["takeToken"]>[1] = [];
    new RequestLimits({ token: { perSecond: 1, burst: 5 } }).takeToken("a", quotas, nowMs);
    assert.deepEqual(quotas, [{ name: "token", remaining: 4, fullInSeconds: 1 }], `at ${nowMs}`);
  }
});

test("many callers push out who called longest ago, nobody else", () => {
  const limits = new RequestLimits({ token: { perSecond: 1, burst: 1 } });
  limits.takeToken("kept", [], 0);
  for (let i = 0; i < 99_999; i++) limits.takeToken(`caller ${i}`, [], 1);
  assert.equal(accepted(limits, "kept", 1, 2).taken, 0);
  limits.takeToken("one more", [], 2);
  assert.equal(accepted(limits, "kept", 1, 2).taken, 1);
});

test("an address in any of its forms is one caller, the next network another, and a time that steps back gives nothing", () => {
  const forms = [
    ["2001:db8:0:7::1", "2001:0DB8:0000:0007:ffff:ffff:ffff:ffff", "2001:db8:0:7::192.0.2.1", "2001:db8:0:7::1%eth0"],
    ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:192.0.2.1"],
  ];
  for (const [first = "", ...others] of forms) {
    const limits = new RequestLimits({ address: { perSecond: 1, burst: 1 } });
    limits.takeAddress(first, [], 1000);
    for (const other of others)
      for (const nowMs of [1000, 999, 0]) assert.throws(() => limits.takeAddress(other, [], nowMs), other);
    for (const next of ["2001:db8:0:8::1", "2001:db8:1:7::1", "192.0.2.2"]) limits.takeAddress(next, [], 1000);
    limits.takeAddress(first, [], 2000);
  }
});

test("a refused request has nothing left, and is told when the burst is back, which it does not delay", () => {
  const limits = new RequestLimits({ token: { perSecond: 1, burst: 2 } });
  const quotas: Parameters<RequestLimits["takeToken"]>[1] = [];
  for (let i = 0; i < 2; i++) limits.takeToken("a", quotas, 1000);
  for (let i = 0; i < 3; i++) assert.throws(() => limits.takeToken("a", quotas, 1000), { code: "too_many_requests" });
  assert.deepEqual(quotas.slice(2), Array(3).fill({ name: "token", remaining: 0, fullInSeconds: 2 }));
});

test("the headers name each limit that counted the request", () => {
  const limits = new RequestLimits({ address: { perSecond: 10, burst: 50 }, token: { perSecond: 3, burst: 5 } });
  const quotas: Parameters<RequestLimits["takeToken"]>[1] = [];
  limits.takeAddress("192.0.2.1", quotas, 0);
  limits.takeToken("a", quotas, 0);
  assert.deepEqual(quotaHeaders(quotas, limits.policy), [
    "RateLimit-Policy",
    '"address";q=50;w=5, "token";q=5;w=2',
    "RateLimit",
    '"address";r=49;t=1, "token";r=4;t=1',
  ]);
  assert.equal(requestLimits("off", "10,50")?.policy, '"address";q=50;w=5');
  assert.equal(requestLimits("off", "off"), undefined);
});

// ---------------------------------------------------------------------------------------------------------- over HTTP

const read = (world: typeof open, headers: Record<string, string>, token = ""): Promise<Reply> =>
  world.send("GET", `/api/entries?id=x&token=${token}`, { headers });
const from = (address: string) => ({ "X-Forwarded-For": address });

test("without a setting nothing is counted and no header is sent", async () => {
  const reply = await read(open, {}, open.token.delivery);
  assert.deepEqual([reply.headers.get("ratelimit"), reply.headers.get("ratelimit-policy")], [null, null]);
});

test("a token past its burst gets 429, from whatever address; others are served, and no call is counted", async () => {
  const { token } = limited;
  const first = await read(limited, from("192.0.2.100"), token.delivery);
  const tries = Array.from({ length: 20 }, (_, i) => read(limited, from(`192.0.2.${i}`), token.delivery));
  const replies = await Promise.all(tries);
  const refused = replies.find(({ status }) => status === 429);
  assert.ok(replies.filter(({ status }) => status === 404).length >= 4);
  assert.match(first.headers.get("ratelimit") ?? "", /^"address";r=19;t=1, "token";r=4;t=1$/);
  assert.equal(first.headers.get("ratelimit-policy"), '"address";q=20;w=20, "token";q=5;w=5');
  assert.equal(refused?.json.code, "too_many_requests");
  assert.match(String(refused?.json.detail), /limit_token/);
  assert.equal(refused?.headers.get("retry-after"), "1");
  assert.match(refused?.headers.get("ratelimit") ?? "", /"token";r=0;t=\d/);
  assert.equal((await read(limited, from("192.0.2.1"), token.management)).status, 404);
});

test("an address past its burst gets 429, also for what is not there; networks of IPv6 count as one", async () => {
  const tries = Array.from({ length: 40 }, (_, i) => read(limited, from(`2001:DB8:0:7::${i.toString(16)}`)));
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 401).length >= 20);
  assert.ok(statuses.includes(429));
  const elsewhere = { headers: from("2001:db8:0:7:ffff::") };
  const nothing = await Promise.all(Array.from({ length: 20 }, () => limited.send("GET", "/nothing", elsewhere)));
  assert.ok(nothing.some(({ json }) => json.code === "too_many_requests"));
  assert.equal((await read(limited, from("2001:db8:0:8::1"))).status, 401);
});

test("X-Forwarded-For of a stranger buys nothing, and probes of supervisors are never refused", async () => {
  const tries = Array.from({ length: 20 }, (_, i) => read(direct, from(`192.0.2.${i}`)));
  const statuses = new Set((await Promise.all(tries)).map(({ status }) => status));
  assert.deepEqual(statuses, new Set([401, 429]));
  const probes = Array.from({ length: 20 }, () => direct.send("GET", "/health/live"));
  for (const { status } of await Promise.all(probes)) assert.equal(status, 200);
});

test("what a client writes before the address that its proxy appends buys nothing", async () => {
  const tries = Array.from({ length: 40 }, (_, i) =>
    read(limited, from(`198.51.100.${i}, 203.0.113.${i}, 192.0.2.77`)),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  assert.ok(statuses.includes(429), "the last address that is no proxy's counts");
  assert.equal((await read(limited, from("192.0.2.77, 192.0.2.78"))).status, 401);
});

test("a token counts what it may not do, too", async () => {
  const query = { token: limited.token.management };
  const refused = await limited.send("GET", "/api/people/me", { query, headers: from("192.0.2.200") });
  assert.equal(refused.status, 403);
  assert.match(refused.headers.get("ratelimit") ?? "", /"token";r=\d/);
});

test("a request whose body comes slowly is counted when its token is read, not when it began", async () => {
  const { management, access } = quick.token;
  const body = JSON.stringify({ id: "slow", data: {}, token: management, access_token: access });
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  const sent = request(`${quick.app.url}/api/entries`, { method: "POST", headers });
  sent.write(body.slice(0, 10));
  for (let i = 0; i < 20; i++) {
    await sleep(60);
    await read(quick, {}, management);
  }
  await sleep(150);
  sent.end(body.slice(10));
  const [reply] = (await once(sent, "response")) as [IncomingMessage];
  reply.resume();
  assert.equal(reply.statusCode, 200);
});

test("each node counts by itself, and secrets that are no token's count for none", async () => {
  const [one, other] = nodes;
  const { delivery } = one.token;
  const replies = await Promise.all(Array.from({ length: 20 }, () => read(one, {}, delivery)));
  assert.ok(replies.some(({ status }) => status === 429));
  const elsewhere = await read(other, {}, delivery);
  assert.equal(elsewhere.status, 404);
  assert.match(elsewhere.headers.get("ratelimit") ?? "", /^"token";r=2;/);
  const guesses = await Promise.all(Array.from({ length: 20 }, (_, i) => read(other, {}, `${delivery}${i}`)));
  for (const { status, headers } of guesses) {
    assert.ok([401, 429].includes(status));
    assert.equal(headers.get("ratelimit"), null, "nobody was counted");
  }
  assert.equal((await read(other, {}, delivery)).status, 404);
});
