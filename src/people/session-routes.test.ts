import assert from "node:assert/strict";
import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import { before, test } from "node:test";
import { type Reply, type SendOptions, useWorld } from "../../test/harness.ts";
import { peopleOf, refused } from "../../test/people.ts";
import type { TokenInput } from "../core/access/token.ts";

/**
 * A session is valid while its row exists: ending it invalidates every copy of its cookie. Decision 23. What ends one is
 * tested with the store (test/ports/session-store.suite.ts), other sites' pages in test/http/stranger-write.test.ts.
 */

const publicUrl = "https://content.example.org";
const world = useWorld({ "admin-sessions-max": "3", "admin-session-hours": "1", "public-url": publicUrl });

type SignedIn = { id: string; cookie: string; csrf: string; setCookie: string; reply: Reply };

function signedIn(reply: Reply): SignedIn {
  assert.equal(reply.status, 200, reply.text);
  const setCookie = reply.headers.get("set-cookie") ?? "";
  const { id, csrf_token: csrf } = reply.json.data as { id: string; csrf_token: string };
  return { id, cookie: setCookie.split(";", 1)[0] as string, csrf, setCookie, reply };
}

type Cookies = Pick<SignedIn, "id" | "cookie" | "csrf">;
type Pair = { token: string; access_token: string; id: string };

async function issuePair(
  resources: ("entries" | "admin")[] = ["entries", "admin"],
  more: Partial<TokenInput> = {},
): Promise<Pair> {
  const management = await world.issue("management", resources, more);
  const access = await world.issue("access", [], { expiresAt: more.expiresAt ?? null });
  return { token: management.secret, access_token: access.secret, id: management.id };
}

const signIn = async ({ token, access_token }: Omit<Pair, "id">, headers: Record<string, string> = {}) =>
  signedIn(await world.send("POST", "/admin/session", { body: { token, access_token }, headers }));

const send = ({ cookie }: Pick<SignedIn, "cookie">, method: string, path: string, options: SendOptions = {}) =>
  world.send(method, path, {
    ...options,
    headers: { "Sec-Fetch-Site": "same-origin", Cookie: cookie, ...options.headers },
  });
const write = (session: SignedIn, method: string, path: string, options: SendOptions = {}) =>
  send(session, method, path, { ...options, headers: { "X-CSRF-Token": session.csrf, ...options.headers } });

/** Asserts that the session permits neither reads nor writes, in any place. */
async function isOver(session: SignedIn): Promise<void> {
  refused(await send(session, "GET", "/api/stats"), 401, "session_invalid");
  refused(await send(session, "GET", "/api/entries", { query: { id: "", filter: "" } }), 401, "session_invalid");
  const body = { id: `late-${session.id}`, data: {} };
  refused(await write(session, "POST", "/api/entries", { body }), 401, "session_invalid");
  refused(await write(session, "POST", "/admin/session"), 401, "session_invalid");
  const uploaded = await upload(session, "late");
  const { code } = (await uploaded.json()) as { code: string };
  assert.deepEqual([uploaded.status, code], [401, "session_invalid"]);
  assert.equal((await send(session, "GET", "/admin/session")).text, '{"data":null}');
  const query = { id: `late-${session.id}`, token: world.token.management };
  refused(await world.send("GET", "/api/entries", { query }), 404, "entry_not_found");
}

function upload(session: SignedIn, folder: string): Promise<Response> {
  const form = new FormData();
  form.set("folder", folder);
  form.set("file", new Blob(['<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>']), "dot.svg");
  const headers = { "Sec-Fetch-Site": "same-origin", Cookie: session.cookie, "X-CSRF-Token": session.csrf };
  return fetch(`${world.app.url}/api/files`, { method: "POST", body: form, headers });
}

const isAlive = async (session: SignedIn) => assert.equal((await send(session, "GET", "/api/stats")).status, 200);

const list = async (query: Record<string, string> = {}): Promise<Record<string, unknown>[]> => {
  const { json } = await world.send("GET", "/api/sessions", { query: { ...query, token: world.token.management } });
  return json.data as Record<string, unknown>[];
};
const isListed = async ({ id }: SignedIn) => (await list()).some((row) => row.id === id);

let session: SignedIn;
before(async () => {
  await world.ready;
  session = await signIn({ token: world.token.management, access_token: world.token.access });
});

// ---------------------------------------------------------------------------------------------- signing in and out

test("two tokens sign in: an HttpOnly, same-site, secure cookie, and no secret in the reply", async () => {
  const { setCookie, reply } = session;
  const form = /^octavo_session=[\w-]{100,}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure$/;
  assert.match(setCookie, form);
  assert.equal(reply.headers.get("cache-control"), "no-store");
  for (const secret of [world.token.management, world.token.access])
    assert.ok(!reply.text.includes(secret) && !setCookie.includes(secret));
  const { token } = reply.json.data as { token: { kind: string; resources: string[] } };
  assert.equal(token.kind, "management");
  assert.ok(token.resources.includes("admin"));
});

test("signing in needs both tokens of the right kinds", async () => {
  const post = (body: object) => world.send("POST", "/admin/session", { body });
  const { management, access, delivery } = world.token;
  refused(await post({}), 401, "token_missing");
  refused(await post({ token: "oct_m_wrong", access_token: access }), 401, "token_invalid");
  refused(await post({ token: management }), 401, "access_token_missing");
  refused(await post({ token: management, access_token: "oct_a_wrong" }), 401, "access_token_invalid");
  refused(await post({ token: delivery, access_token: access }), 403, "scope_missing");
});

test("GET says who is signed in, and null for nobody", async () => {
  const shown = await send(session, "GET", "/admin/session");
  const current = shown.json.data as { csrf_token: string; token: { kind: string }; access_token_id: string };
  assert.equal(current.csrf_token, session.csrf);
  assert.equal(current.token.kind, "management");
  assert.equal((await world.app.stores.tokens.get(current.access_token_id)).kind, "access");
  assert.ok(!shown.text.includes(world.token.access));
  assert.equal((await world.send("GET", "/admin/session")).text, '{"data":null}');
});

test("signing out ends the session: a copy of its cookie is invalid, another session stays", async () => {
  const pair = await issuePair();
  const [leaving, staying] = [await signIn(pair), await signIn(pair)];
  refused(await send(leaving, "DELETE", "/admin/session"), 403, "csrf_invalid");
  await isAlive(leaving);
  const reply = await write(leaving, "DELETE", "/admin/session");
  assert.equal(reply.status, 204);
  assert.match(reply.headers.get("set-cookie") ?? "", /^octavo_session=; Path=\/; Max-Age=0; HttpOnly/);
  await isOver(leaving);
  assert.equal(await isListed(leaving), false);
  await isAlive(staying);
  assert.equal((await write(leaving, "DELETE", "/admin/session")).status, 204, "signing out twice is accepted");
  assert.equal((await world.send("DELETE", "/admin/session")).status, 204);
});

test("a session with an invalid token is over for good, and can be signed out without a CSRF token", async () => {
  const pair = await issuePair();
  const held = await signIn(pair);
  await isAlive(held);
  const by = { actor: "test", nowSeconds: 1 };
  await world.app.stores.tokens.update(pair.id, { state: "disabled" }, by);
  await isOver(held);
  await world.app.stores.tokens.update(pair.id, { state: "enabled" }, by);
  await isOver(held);
  assert.equal((await send(held, "DELETE", "/admin/session")).status, 204, "there is nothing to forge");
});

test("a session announces the end of its tokens, and past a token's limit the oldest ends", async () => {
  const expiresAt = Math.floor(Date.now() / 1000) + 600;
  const pair = await issuePair(["entries", "admin"], { expiresAt });
  const sessions: SignedIn[] = [];
  for (let i = 0; i < 4; i++) sessions.push(await signIn(pair));
  const alive = await Promise.all(sessions.map(async (one) => (await send(one, "GET", "/api/stats")).status));
  // All started within a second or two, so the id may decide which is the oldest.
  assert.deepEqual(alive.toSorted(), [200, 200, 200, 401]);
  const newest = sessions[3] as SignedIn;
  const shown = (await send(newest, "GET", "/admin/session")).json.data as { expires_at: number };
  assert.equal(shown.expires_at, expiresAt);
  assert.equal((await list()).find(({ id }) => id === newest.id)?.expires_at, expiresAt);
});

test("extending keeps the session's id, and its end invalidates the old and the new cookie", async () => {
  const old = await signIn(await issuePair());
  refused(await send(old, "POST", "/admin/session"), 403, "csrf_invalid");
  const renewed = signedIn(await write(old, "POST", "/admin/session"));
  assert.equal(renewed.id, old.id);
  assert.notEqual(renewed.cookie, old.cookie);
  await isAlive(old);
  await isAlive(renewed);
  await write(renewed, "DELETE", "/admin/session");
  await isOver(old);
  await isOver(renewed);
});

test("signing in ends the session whose cookie it replaces; a sign-in link works once, with full access", async () => {
  const first = await signIn(await issuePair());
  const second = await signIn(await issuePair(), { Cookie: first.cookie, "Sec-Fetch-Site": "same-origin" });
  await isOver(first);
  await isAlive(second);
  const link = new URL(world.app.signInLink());
  assert.equal(link.pathname, "/admin");
  const body = { code: link.hash.replace("#code=", "") };
  const headers = { Cookie: second.cookie, "Sec-Fetch-Site": "same-origin" };
  const third = signedIn(await world.send("POST", "/admin/session/link", { body, headers }));
  await isOver(second);
  assert.equal((await send(third, "GET", "/api/tokens")).status, 200);
  assert.equal((await write(third, "POST", "/api/entries", { body: { id: "linked", data: {} } })).status, 200);
  refused(await world.send("POST", "/admin/session/link", { body }), 401, "sign_in_link_invalid");
});

// ---------------------------------------------------------------------------------------------- using the cookie

test("the cookie grants what its tokens do, with the CSRF token writes, and no more", async () => {
  const pair = await issuePair(["entries"]);
  const editor = await signIn(pair);
  assert.equal((await send(editor, "GET", "/api/entries", { query: { id: "", filter: "" } })).status, 200);
  const made = await write(editor, "POST", "/api/entries", { body: { id: "by/cookie", data: { title: "T" } } });
  assert.equal(made.status, 200, made.text);
  const events = (await send(session, "GET", "/api/events")).json.data as { subject: string; actor: string }[];
  const { actor } = events.find(({ subject }) => subject === "by/cookie") ?? {};
  assert.equal(actor, pair.id, "the log names the token that signed in");
  refused(await send(editor, "GET", "/api/tokens"), 403, "scope_missing");
  refused(await write(editor, "POST", "/api/tokens", { body: { kind: "access" } }), 403, "scope_missing");
});

test("without Sec-Fetch-Site the Origin says whose page it is", async () => {
  const stats = (Origin: string) => world.send("GET", "/api/stats", { headers: { Cookie: session.cookie, Origin } });
  refused(await stats("http://evil.example"), 401, "token_missing");
  assert.equal((await stats(world.app.url)).status, 200);
});

test("sent tokens take precedence over the cookie", async () => {
  const query = { token: world.token.delivery };
  refused(await send(session, "GET", "/api/stats", { query }), 403, "scope_missing");
});

test("an invalid cookie is 401 session_invalid, also one from before sessions had rows, or of another store", async () => {
  const sealed = (key: string) => {
    const sealing = createCipheriv("aes-256-gcm", Buffer.from(hkdfSync("sha256", key, "", "octavo session", 32)), iv);
    const text = JSON.stringify([world.token.management, world.token.access, Math.floor(Date.now() / 1000) + 3600]);
    const bytes = Buffer.concat([sealing.update(text), sealing.final()]);
    return Buffer.concat([iv, sealing.getAuthTag(), bytes]).toString("base64url");
  };
  const iv = randomBytes(12);
  const [, value = ""] = session.cookie.split("=");
  const flipped = `${value.slice(0, -2)}${value.endsWith("AA") ? "BB" : "AA"}`;
  for (const wrong of ["nonsense", flipped, sealed(world.app.stores.signingKey), sealed("another")]) {
    const cookie = `octavo_session=${wrong}`;
    refused(await send({ cookie }, "GET", "/api/stats"), 401, "session_invalid");
    assert.equal((await send({ cookie }, "GET", "/admin/session")).text, '{"data":null}');
  }
});

test("an upload with the cookie is admitted before its file, and images are open to file managers", async () => {
  const made = await upload(session, "cookie");
  assert.equal(made.status, 200, await made.text());
  assert.equal((await send(session, "GET", "/api/images/cookie/dot.svg", { query: { w: "8" } })).status, 200);
  const editor = await signIn(await issuePair(["entries"]));
  refused(await send(editor, "GET", "/api/images/cookie/dot.svg"), 403, "scope_missing");
  const served = await world.send("GET", "/project/uploads/cookie/dot.svg");
  assert.match(served.headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/);
});

// ---------------------------------------------------------------------------------------------- the list of sessions

test("/api/sessions lists sessions in pages, without facts about the device", async () => {
  const pair = await issuePair();
  const mine = await signIn(pair, { "User-Agent": "Browser/1.0" });
  const rows = await list();
  const row = rows.find(({ id }) => id === mine.id);
  assert.deepEqual(Object.keys(row ?? {}).sort(), ["actor", "created_at", "expires_at", "id", "last_seen_at"]);
  assert.equal(row?.actor, pair.id);
  const walked: unknown[] = [];
  for (let next: string | undefined = "/api/sessions?limit=2"; next; ) {
    const reply: Reply = await world.send("GET", `${next}&token=${world.token.management}`);
    walked.push(...(reply.json.data as { id: string }[]).map(({ id }) => id));
    next = /<([^>]+)>; rel="next"/.exec(reply.headers.get("link") ?? "")?.[1];
    assert.ok(!next?.includes("token="));
  }
  assert.deepEqual(
    walked,
    rows.map(({ id }) => id),
  );
  const ofActor = async (actor: string) => (await list({ actor })).map(({ id }) => id);
  assert.deepEqual([await ofActor(pair.id), await ofActor("person:nobody")], [[mine.id], []]);
  const token = world.token.management;
  for (const limit of ["0", "1001", "x"])
    refused(await world.send("GET", "/api/sessions", { query: { limit, token } }), 400, "argument_invalid");
  refused(await world.send("GET", "/api/sessions", { query: { cursor: "x", token } }), 400, "cursor_invalid");
});

test("DELETE /api/sessions ends any session, even its own", async () => {
  const [first, second] = [await signIn(await issuePair()), await signIn(await issuePair())];
  assert.equal((await write(second, "DELETE", "/api/sessions", { body: { id: first.id } })).status, 204);
  await isOver(first);
  refused(await send(second, "DELETE", "/api/sessions", { body: { id: second.id } }), 403, "csrf_invalid");
  assert.equal((await write(second, "DELETE", "/api/sessions", { body: { id: second.id } })).status, 204);
  await isOver(second);
});

test("a backup has sessions only in its event log, and no secrets of them", async () => {
  const session = await signIn(await issuePair());
  const { stores } = world.app;
  const found = await stores.rows.snapshot(async (rows) => {
    const nouns: string[] = [];
    for (const noun of stores.rows.rules.keys()) {
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
  const pair = (label: string, paths: string[] | null = null) => issuePair(["entries"], { label, paths });
  for (const id of ["open", "open/a", "shut"]) await manage("POST", "/api/entries", { id, data: { title: "A" } });
  const [ada, desk] = [(await personOf("viewer")).session, await signIn(await pair("Front desk"))];
  const nameless = await signIn(await pair(""));
  const bound = await signIn(await pair("Bound", ["shut"]));
  const note = (session: Cookies, id = "open/a", more: SendOptions = {}) =>
    call(session, "POST", "/admin/presence", { body: { id }, ...more });
  const present = async (session: Cookies, id?: string): Promise<Present> => {
    const reply = await note(session, id);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get("cache-control"), "no-store");
    return reply.json.data as Present;
  };
  const namesAt = async (session: Cookies, id?: string) => (await present(session, id)).people.map(({ name }) => name);

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
