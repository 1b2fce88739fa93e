import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { type Reply, temporaryFolder, useWorld } from "../../test/harness.ts";
import { startReceiver } from "../../test/hook-receiver.ts";
import { closed, listen } from "../../test/listening.ts";
import { codeOf, good, peopleOf, signedIn } from "../../test/people.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import { Bucket } from "./bytes/s3/bucket.ts";
import { jsonLog } from "./http/log.ts";
import { eventColumns } from "./sql/event.ts";
import { currentTraceparent, inTrace, parseTraceparent, traceparentOf } from "./trace.ts";

/** What the log keeps of the request that wrote, and traces (W3C Trace Context). Contract, part three, §20. */

const noPostgres = lacksPostgres();
const quiet = useWorld();
const engines = {
  SQLite: useWorld({ "audit-addresses": "on", "trust-proxy": "127.0.0.1", "webhook-private": "on" }),
  ...(noPostgres === undefined && {
    PostgreSQL: useWorld(
      { "audit-addresses": "on", "trust-proxy": "127.0.0.1", "webhook-private": "on", data: temporaryFolder() },
      createDatabase().then((url) => ({ OCTAVO_POSTGRES_URL: url })),
    ),
  }),
};

type Event = Record<string, unknown>;
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const tokens = ({ token }: typeof quiet) => ({
  Authorization: `Bearer ${token.management}`,
  "X-Access-Token": token.access,
});
const create = (world: typeof quiet, id: string, headers: Record<string, string> = {}) =>
  world.send("POST", "/api/entries", { body: { id, data: {} }, headers: { ...tokens(world), ...headers } });
async function newest(world: typeof quiet): Promise<Event> {
  const { json } = await world.send("GET", "/api/events?newest=true&limit=1", { headers: tokens(world) });
  return (json.data as Event[])[0] as Event;
}

/** The newest events are these, of the request with this reply, from the client at 2001:db8::8. */
async function tells(world: typeof quiet, reply: Reply, kinds: string[]): Promise<void> {
  assert.ok(reply.status < 300, reply.text);
  const { json } = await world.send("GET", `/api/events?newest=true&limit=${kinds.length}`, { headers: tokens(world) });
  const events = json.data as Event[];
  assert.deepEqual(
    events.map(({ kind, request_id, address }) => [kind, request_id, address]),
    kinds.map((kind) => [kind, reply.headers.get("x-request-id"), "2001:db8::8"]),
  );
  assert.equal(reply.headers.get("octavo-sequence"), String(events[0]?.sequence));
}

const valid: [text: string, id: string, isSampled: boolean][] = [
  [traceparent, traceId, true],
  [`00-${traceId}-00f067aa0ba902b7-00`, traceId, false],
  [`00-${traceId}-00f067aa0ba902b7-02`, traceId, false],
  [`00-${traceId}-00f067aa0ba902b7-ff`, traceId, true],
  [`cc-${traceId}-00f067aa0ba902b7-01`, traceId, true],
  [`cc-${traceId}-00f067aa0ba902b7-01-what-will-be`, traceId, true],
];
const wrong = [
  "",
  "x",
  traceparent.toUpperCase(),
  ` ${traceparent}`,
  `${traceparent}-`,
  `${traceparent}-more`,
  `${traceparent}, ${traceparent}`,
  `ff-${traceId}-00f067aa0ba902b7-01`,
  `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `00-${traceId.slice(1)}-00f067aa0ba902b7-01`,
  `00-${traceId}-00f067aa0ba902b7`,
  `00-${traceId}-00f067aa0ba902b7-1`,
  `cc-${traceId}-00f067aa0ba902b7-01.what`,
  `00-${traceId}-00f067aa0ba902bg-01`,
  `00-${traceId}-00f067aa0ba902b7-01\n`,
];

test("a traceparent is read where it is valid, and what is sent on has an id of its own", () => {
  for (const [text, id, isSampled] of valid) assert.deepEqual(parseTraceparent(text), { id, isSampled }, text);
  for (const text of wrong) assert.equal(parseTraceparent(text), undefined, text);
  assert.equal(parseTraceparent(undefined), undefined);
  const sent = [1, 2].map(() => traceparentOf({ id: traceId, isSampled: true }));
  for (const text of sent) assert.match(text, new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  assert.notEqual(sent[0], sent[1]);
  assert.equal(currentTraceparent(), undefined);
  inTrace({ id: traceId, isSampled: false }, () =>
    assert.match(currentTraceparent() as string, new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`)),
  );
});

test("what a call asks the bucket for is a part of its trace", async () => {
  const seen: unknown[] = [];
  const server = createServer((request, reply) => {
    seen.push(request.headers.traceparent);
    reply.writeHead(404).end();
  });
  const endpoint = await listen(server);
  const keys = { region: "us-east-1", accessKey: "a", secretKey: "b", prefix: "" };
  const bucket = new Bucket({ ...keys, endpoint, bucket: "some", isPathStyle: true, timeoutMs: 5000, tries: 1 });
  await inTrace({ id: traceId, isSampled: true }, () => bucket.head("x"));
  await bucket.head("x");
  bucket.close();
  await closed(server);
  assert.match(String(seen[0]), new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  assert.equal(seen[1], undefined);
});

test("a line of the request log names the trace, and has no such key without one", () => {
  const written: string[] = [];
  const log = jsonLog((lines) => written.push(lines.toString()));
  const line = { id: "1", address: "a", method: "GET", url: "/", status: 200, startedMs: 0, actor: "" };
  log.request({ ...line, trace: traceId });
  log.request({ ...line, trace: undefined });
  log.close();
  const [traced, other] = written
    .join("")
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  assert.equal(traced.trace, traceId);
  assert.ok(!("trace" in other));
});

test("followers of the log read nothing of requests", () => assert.doesNotMatch(eventColumns, /request|address|trace/));

test("an event names its request by the id of the reply's header, and no address unless that is asked for", async () => {
  const reply = await create(quiet, "asked");
  const event = await newest(quiet);
  assert.equal(reply.status, 200);
  assert.equal(event.request_id, reply.headers.get("x-request-id"));
  assert.ok(!("address" in event) && !("trace" in event));
  await quiet.app.stores.entries.create(
    "by-itself" as never,
    { data: "{}", isMergePatch: false, fields: {} },
    { actor: "octavo", nowSeconds: 1_800_000_000 },
  );
  assert.ok(!("request_id" in (await newest(quiet))), "the command line makes no request");
});

for (const [engine, world] of Object.entries(engines)) {
  test(`${engine}: with audit_addresses every event of a request has the client's address; batches, too`, async () => {
    const from = { "X-Forwarded-For": "2001:db8::7" };
    const reply = await create(world, "from", from);
    const event = await newest(world);
    assert.deepEqual([event.address, event.request_id], ["2001:db8::7", reply.headers.get("x-request-id")]);
    await create(world, "claimed", { "X-Forwarded-For": "<b>".repeat(100) });
    assert.equal((await newest(world)).address, undefined, "what is no address is not kept");
    const operations = ["a", "b"].map((id) => ({ method: "POST", path: "/api/entries", body: { id, data: {} } }));
    const batch = await world.send("POST", "/api/batch", {
      body: { operations },
      headers: { ...tokens(world), ...from },
    });
    assert.equal(batch.status, 200, batch.text);
    const { json } = await world.send("GET", "/api/events?newest=true&limit=2", { headers: tokens(world) });
    for (const each of json.data as Event[])
      assert.deepEqual([each.address, each.request_id], ["2001:db8::7", batch.headers.get("x-request-id")]);
    const kept = await world.send("POST", "/api/entries", {
      ...{ body: { id: "kept", data: {} }, headers: { ...tokens(world), ...from, "Idempotency-Key": "one" } },
    });
    assert.equal((await newest(world)).request_id, kept.headers.get("x-request-id"));
  });

  test(`${engine}: so have those of signing in and out, of the own account, and of a token`, async () => {
    const { invite, send, signIn } = peopleOf(world);
    const headers = { "X-Forwarded-For": "2001:db8::8" };
    const person = await invite("viewer");
    const body = { code: codeOf(person), name: "Ada", password: good };
    const joined = await world.send("POST", "/admin/session/link", { body, headers });
    await tells(world, joined, ["session.start", "person.join"]);
    const session = signedIn(joined);
    const changed = await send(session, "PATCH", "/api/people/me", { body: { name: "Ada L." }, headers });
    await tells(world, changed, ["person.update"]);
    const again = await signIn(person.email, good, headers);
    await tells(world, again, ["session.start"]);
    const { id } = again.json.data as { id: string };
    await tells(world, await send(session, "DELETE", "/api/people/me/sessions", { body: { id }, headers }), [
      "session.end",
    ]);
    await tells(world, await send(session, "DELETE", "/admin/session", { headers }), ["session.end"]);
    const token = { kind: "delivery", resources: ["entries"], label: "" };
    const { management, access: access_token } = world.token;
    await tells(
      world,
      await world.send("POST", "/api/tokens", { body: { ...token, token: management, access_token }, headers }),
      ["token.create"],
    );
  });

  test(`${engine}: what is sent to a webhook is a part of the trace of the write, on each attempt, and has no address`, async () => {
    const receiver = await startReceiver();
    const made = await world.send("POST", "/api/webhooks", { body: { url: receiver.url }, headers: tokens(world) });
    const { id } = made.json.data as { id: string };
    await create(world, "traced", { traceparent });
    await receiver.has(1);
    await create(world, "untraced");
    await receiver.has(2);
    const [traced, untraced] = receiver.received;
    assert.match(
      String(traced?.headers.traceparent),
      new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
    );
    assert.equal(untraced?.headers.traceparent, undefined);
    assert.doesNotMatch(receiver.received.map(({ body }) => body).join(), /127\.0\.0\.1|address/);
    const sequence = traced?.json.data.from;
    const again = await world.send("POST", "/api/webhooks/resend", { body: { id, sequence }, headers: tokens(world) });
    assert.equal(again.status, 200, again.text);
    assert.match(String(receiver.received[2]?.headers.traceparent), new RegExp(`^00-${traceId}-`));
    assert.notEqual(receiver.received[2]?.headers.traceparent, traced?.headers.traceparent);
    const other = "a".repeat(32);
    const headers = { ...tokens(world), traceparent: `00-${other}-00f067aa0ba902b7-00` };
    await world.send("POST", "/api/webhooks/test", { body: { id }, headers });
    assert.match(String(receiver.received[3]?.headers.traceparent), new RegExp(`^00-${other}-[0-9a-f]{16}-00$`));
    await world.send("DELETE", "/api/webhooks", { body: { id }, headers: tokens(world) });
  });
}
