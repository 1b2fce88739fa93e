import assert from "node:assert/strict";
import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import { before, test } from "node:test";
import { hashSecret } from "../../src/domain/access/token.ts";
import { rowNouns } from "../../src/domain/backup/backup.ts";
import { type Reply, type SendOptions, useWorld, type World } from "../harness.ts";
import { peopleOf } from "../people.ts";

/** A session is valid while its row exists: ending it invalidates every copy of its cookie. Decision 23. */

const world = useWorld({ "admin-sessions-max": "3" });
before(() => world.ready);

type SignedIn = { id: string; cookie: string; csrf: string };

function signedIn(reply: Reply): SignedIn {
  assert.equal(reply.status, 200, reply.text);
  const cookie = reply.headers.get("set-cookie")?.split(";", 1)[0] as string;
  const { id, csrf_token: csrf } = reply.json.data as { id: string; csrf_token: string };
  return { id, cookie, csrf };
}

type Pair = { token: string; access_token: string; id: string; accessId: string };

async function issuePair(expiresAt: number | null = null): Promise<Pair> {
  const management = await world.issue("management", ["entries", "admin"], { expiresAt });
  const access = await world.issue("access", [], { expiresAt });
  return { token: management.secret, access_token: access.secret, id: management.id, accessId: access.id };
}

const signIn = async ({ token, access_token }: Pair, headers: Record<string, string> = {}): Promise<SignedIn> =>
  signedIn(await world.send("POST", "/admin/session", { body: { token, access_token }, headers }));

const send = ({ cookie }: SignedIn, method: string, path: string, options: SendOptions = {}, on: World = world) =>
  on.send(method, path, {
    ...options,
    headers: { "Sec-Fetch-Site": "same-origin", Cookie: cookie, ...options.headers },
  });
const write = (session: SignedIn, method: string, path: string, options: SendOptions = {}) =>
  send(session, method, path, { ...options, headers: { "X-CSRF-Token": session.csrf, ...options.headers } });

function refused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.json.code, code);
}

/** Asserts that the session permits neither reads nor writes, in any place. */
async function isOver(session: SignedIn): Promise<void> {
  refused(await send(session, "GET", "/api/stats"), 401, "session_invalid");
  refused(await send(session, "GET", "/api/entries", { query: { id: "", filter: "" } }), 401, "session_invalid");
  const body = { id: `late-${session.id}`, data: {} };
  refused(await write(session, "POST", "/api/entries", { body }), 401, "session_invalid");
  refused(await write(session, "POST", "/admin/session"), 401, "session_invalid");
  const form = new FormData();
  form.set("folder", "late");
  form.set("file", new Blob(["late"]), "late.txt");
  const headers = { "Sec-Fetch-Site": "same-origin", Cookie: session.cookie, "X-CSRF-Token": session.csrf };
  const uploaded = await fetch(`${world.app.url}/api/files`, { method: "POST", body: form, headers });
  const { code } = (await uploaded.json()) as { code: string };
  assert.deepEqual([uploaded.status, code], [401, "session_invalid"]);
  assert.equal((await send(session, "GET", "/admin/session")).text, '{"data":null}');
  const query = { id: `late-${session.id}`, token: world.token.management };
  refused(await world.send("GET", "/api/entries", { query }), 404, "entry_not_found");
}

const isAlive = async (session: SignedIn) => assert.equal((await send(session, "GET", "/api/stats")).status, 200);

const list = async (): Promise<Record<string, unknown>[]> => {
  const { json } = await world.send("GET", "/api/sessions", { query: { token: world.token.management } });
  return json.data as Record<string, unknown>[];
};
const isListed = async ({ id }: SignedIn) => (await list()).some((row) => row.id === id);

test("signing out ends the session: a copy of its cookie is invalid", async () => {
  const pair = await issuePair();
  const [leaving, staying] = [await signIn(pair), await signIn(pair)];
  await isAlive(leaving);
  assert.equal((await write(leaving, "DELETE", "/admin/session")).status, 204);
  await isOver(leaving);
  assert.equal(await isListed(leaving), false);
  await isAlive(staying);
  assert.equal((await write(leaving, "DELETE", "/admin/session")).status, 204, "signing out twice is accepted");
});

const changes: [how: string, change: (id: string) => Promise<unknown>][] = [
  ["disabled", (id) => manage("PATCH", "/api/tokens", { id, state: "disabled" })],
  ["rotated", (id) => manage("PUT", "/api/tokens/rotate", { id })],
  ["revoked", (id) => manage("DELETE", "/api/tokens", { id })],
];

async function manage(method: string, path: string, body: object): Promise<Reply> {
  const tokens = { token: world.token.management, access_token: world.token.access };
  const reply = await world.send(method, path, { body: { ...tokens, ...body } });
  assert.ok(reply.status < 300, reply.text);
  return reply;
}

for (const [how, change] of changes) {
  for (const half of ["id", "accessId"] as const) {
    test(`a ${half === "id" ? "management" : "access"} token that is ${how} ends its sessions for good, reads, too`, async () => {
      const pair = await issuePair();
      const session = await signIn(pair);
      await isAlive(session);
      await change(pair[half]);
      await isOver(session);
      assert.equal(await isListed(session), false);
      if (how === "disabled") {
        await manage("PATCH", "/api/tokens", { id: pair[half], state: "enabled" });
        await isOver(session);
      }
    });
  }
}

test("a session expires with its tokens and announces it", async () => {
  const expiresAt = Math.floor(Date.now() / 1000) + 600;
  const session = await signIn(await issuePair(expiresAt));
  const shown = (await send(session, "GET", "/admin/session")).json.data as { expires_at: number };
  assert.equal(shown.expires_at, expiresAt);
  assert.equal((await list()).find(({ id }) => id === session.id)?.expires_at, expiresAt);
  const renewed = signedIn(await write(session, "POST", "/admin/session"));
  assert.equal(renewed.id, session.id);
  assert.equal((await list()).find(({ id }) => id === session.id)?.expires_at, expiresAt);
});

test("extending keeps the session's id, and its end invalidates the old and the new cookie", async () => {
  const old = await signIn(await issuePair());
  const renewed = signedIn(await write(old, "POST", "/admin/session"));
  assert.equal(renewed.id, old.id);
  assert.notEqual(renewed.cookie, old.cookie);
  await isAlive(old);
  await isAlive(renewed);
  await write(renewed, "DELETE", "/admin/session");
  await isOver(old);
  await isOver(renewed);
});

test("signing in ends the session whose cookie it replaces", async () => {
  const pair = await issuePair();
  const first = await signIn(pair);
  const second = await signIn(await issuePair(), { Cookie: first.cookie, "Sec-Fetch-Site": "same-origin" });
  await isOver(first);
  await isAlive(second);
  const code = new URL(world.app.signInLink()).hash.replace("#code=", "");
  const options = { body: { code }, headers: { Cookie: second.cookie, "Sec-Fetch-Site": "same-origin" } };
  const third = signedIn(await world.send("POST", "/admin/session/link", options));
  await isOver(second);
  await isAlive(third);
});

test("a session past a token's limit ends its oldest, and no other token's", async () => {
  const pair = await issuePair();
  const other = await signIn(await issuePair());
  const sessions: SignedIn[] = [];
  for (let i = 0; i < 3; i++) sessions.push(await signIn(pair));
  for (const session of sessions) await isAlive(session);
  sessions.push(await signIn(pair));
  const alive = await Promise.all(sessions.map(async (one) => (await send(one, "GET", "/api/stats")).status));
  // All started within a second or two, so the id may decide which is the oldest.
  assert.deepEqual(alive.toSorted(), [200, 200, 200, 401]);
  assert.equal(alive[3], 200);
  await isAlive(other);
});

test("a cookie from before sessions had rows is invalid", async () => {
  const pair = await issuePair();
  const key = Buffer.from(hkdfSync("sha256", world.app.stores.signingKey, "", "octavo session", 32));
  const iv = randomBytes(12);
  const sealing = createCipheriv("aes-256-gcm", key, iv);
  const text = JSON.stringify([pair.token, pair.access_token, Math.floor(Date.now() / 1000) + 3600]);
  const sealed = Buffer.concat([sealing.update(text), sealing.final()]);
  const cookie = `octavo_session=${Buffer.concat([iv, sealing.getAuthTag(), sealed]).toString("base64url")}`;
  refused(await send({ id: "", cookie, csrf: "" }, "GET", "/api/stats"), 401, "session_invalid");
  assert.equal((await send({ id: "", cookie, csrf: "" }, "GET", "/admin/session")).text, '{"data":null}');
});

test("/api/sessions lists sessions, newest first, in pages, without facts about the device", async () => {
  const pair = await issuePair();
  const mine = await signIn(pair, { "User-Agent": "Browser/1.0" });
  const rows = await list();
  const row = rows.find(({ id }) => id === mine.id);
  assert.deepEqual(Object.keys(row ?? {}).sort(), ["actor", "created_at", "expires_at", "id", "last_seen_at"]);
  assert.equal(row?.actor, pair.id);
  const walked: unknown[] = [];
  let next: string | undefined = "/api/sessions?limit=2";
  while (next) {
    const reply: Reply = await world.send("GET", `${next}&token=${world.token.management}`);
    const page = reply.json.data as { id: string }[];
    assert.ok(page.length <= 2);
    walked.push(...page.map(({ id }) => id));
    next = /<([^>]+)>; rel="next"/.exec(reply.headers.get("link") ?? "")?.[1];
    assert.ok(!next?.includes("token="));
  }
  assert.deepEqual(
    walked,
    rows.map(({ id }) => id),
  );
  const times = rows.map(({ created_at }) => created_at as number);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  for (const query of [{ limit: "0" }, { limit: "1001" }, { limit: "x" }] as Record<string, string>[]) {
    const reply = await world.send("GET", "/api/sessions", { query: { ...query, token: world.token.management } });
    refused(reply, 400, "argument_invalid");
  }
  const ofActor = async (actor: string) => {
    const reply = await world.send("GET", "/api/sessions", { query: { actor, token: world.token.management } });
    return (reply.json.data as { id: string }[]).map(({ id }) => id);
  };
  assert.deepEqual(await ofActor(pair.id), [mine.id]);
  assert.deepEqual(await ofActor("person:nobody"), []);
  const query = { cursor: "x", token: world.token.management };
  refused(await world.send("GET", "/api/sessions", { query }), 400, "cursor_invalid");
});

test("DELETE /api/sessions ends any session, even its own, and needs an access token", async () => {
  const [first, second] = [await signIn(await issuePair()), await signIn(await issuePair())];
  const tokens = { token: world.token.management, access_token: world.token.access };
  const end = (body: object) => world.send("DELETE", "/api/sessions", { body });
  refused(await end({ ...tokens, access_token: undefined, id: first.id }), 401, "access_token_missing");
  const { secret } = await world.issue("management", ["entries"]);
  refused(await end({ ...tokens, token: secret, id: first.id }), 403, "scope_missing");
  await isAlive(first);
  assert.equal((await end({ ...tokens, id: first.id })).status, 204);
  await isOver(first);
  refused(await end({ ...tokens, id: first.id }), 404, "session_not_found");
  refused(await send(second, "DELETE", "/api/sessions", { body: { id: second.id } }), 403, "csrf_invalid");
  assert.equal((await write(second, "DELETE", "/api/sessions", { body: { id: second.id } })).status, 204);
  await isOver(second);
});

test("the event log records sign-ins and who ended which session", async () => {
  const pair = await issuePair();
  const session = await signIn(pair);
  await manage("DELETE", "/api/sessions", { id: session.id });
  const { json } = await world.send("GET", "/api/events", { query: { token: world.token.management, newest: "true" } });
  const logged = (json.data as { kind: string; subject: string; actor: string }[]).filter(
    ({ subject }) => subject === session.id,
  );
  const { id: manager } = (await world.app.stores.tokens.findByHash(hashSecret(world.token.management))) ?? {};
  assert.deepEqual(
    logged.map(({ kind, actor }) => [kind, actor]),
    [
      ["session.end", manager],
      ["session.start", pair.id],
    ],
  );
});

test("a backup has sessions only in its event log, and no secrets of them", async () => {
  const session = await signIn(await issuePair());
  const { stores } = world.app;
  const found = await stores.rows.snapshot(async (rows) => {
    const nouns: string[] = [];
    for (const noun of rowNouns) {
      for await (const batch of rows.rows(noun)) if (JSON.stringify(batch).includes(session.id)) nouns.push(noun);
    }
    return nouns;
  });
  assert.deepEqual(found, ["event"]);
  const row = (await stores.sessions.find(session.id, Math.floor(Date.now() / 1000))) as object;
  assert.deepEqual(Object.keys(row).sort(), ["accessTokenId", "actor", "createdAt", "expiresAt", "id", "lastSeenAt"]);
  assert.deepEqual(await stores.verify(), []);
});

type Present = {
  people: { actor: string; name: string }[];
  tag: string;
  changed: { at: number; kind: string; actor: string; name: string } | null;
};

test("sessions that have an entry open see each other, and who changed it last; nobody else learns of it", async () => {
  const { manage, personOf, send: call } = peopleOf(world);
  const pair = async (label: string, paths: string[] | null = null) => {
    const management = await world.issue("management", ["entries"], { label, paths });
    const access = await world.issue("access", []);
    return { token: management.secret, access_token: access.secret, id: management.id, accessId: access.id };
  };
  for (const id of ["open", "open/a", "shut"]) await manage("POST", "/api/entries", { id, data: { title: "A" } });
  const [ada, desk] = [(await personOf("viewer")).session, await signIn(await pair("Front desk"))];
  const nameless = await signIn(await pair(""));
  const bound = await signIn(await pair("Bound", ["shut"]));
  const note = (session: SignedIn, id = "open/a", more: SendOptions = {}) =>
    call(session, "POST", "/admin/presence", { body: { id }, ...more });
  const present = async (session: SignedIn, id?: string): Promise<Present> => {
    const reply = await note(session, id);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get("cache-control"), "no-store");
    return reply.json.data as Present;
  };
  const namesAt = async (session: SignedIn, id?: string) => (await present(session, id)).people.map(({ name }) => name);

  assert.deepEqual(await namesAt(ada), []);
  assert.deepEqual(await namesAt(desk), ["Ada"]);
  assert.deepEqual((await namesAt(nameless)).sort(), ["Ada", "Front desk"]);
  assert.deepEqual((await namesAt(ada)).sort(), ["", "Front desk"]);
  assert.deepEqual(await namesAt(ada, "open"), [], "another entry");
  const events = await lastSequence();
  await present(ada);
  assert.equal(await lastSequence(), events, "no event");

  // A session that ends is gone at once.
  await write(nameless, "DELETE", "/admin/session");
  assert.deepEqual(await namesAt(ada), ["Front desk"]);

  // The tag names the state that an editor has read, and what was changed since says by whom.
  const read = async () =>
    (await call(ada, "GET", "/api/entries/staged", { query: { id: "open/a" } })).headers.get("etag");
  const before = await present(ada);
  assert.equal(before.tag, await read());
  const copy = { id: "open/a", data: { title: "B" } };
  assert.equal((await write(desk, "PATCH", "/api/entries/staged", { body: copy })).status, 200);
  const after = await present(ada);
  assert.equal(after.tag, await read());
  assert.notEqual(after.tag, before.tag);
  assert.partialDeepStrictEqual(after.changed, { kind: "entry.stage", name: "Front desk" });

  refused(await note(bound), 404, "entry_not_found");
  refused(await note(ada, "open/none"), 404, "entry_not_found");
  refused(await note(ada, "open//a"), 400, "path_invalid");
  refused(await note(ada, "open/a", { headers: { "X-CSRF-Token": "x" } }), 403, "csrf_invalid");
  refused(await note(ada, "open/a", { headers: { "Sec-Fetch-Site": "cross-site" } }), 401, "token_missing");
  refused(await manage("POST", "/admin/presence", { id: "open/a" }), 403, "scope_missing");
  const files = await world.issue("management", ["files"]);
  const other = await signIn({ ...(await issuePair()), token: files.secret });
  refused(await note(other), 403, "scope_missing");
});

async function lastSequence(): Promise<number> {
  const query = { token: world.token.management, newest: "1", limit: "1" };
  const { json } = await world.send("GET", "/api/events", { query });
  return (json.data as { sequence: number }[])[0]?.sequence ?? 0;
}
