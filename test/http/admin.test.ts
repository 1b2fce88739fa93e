import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Reply, type SendOptions, useWorld } from "../harness.ts";

const world = useWorld();
const brief = useWorld({ "admin-session-hours": "1", "public-url": "https://content.example.org" });
const off = useWorld({ "admin-page": "off" });
const narrow = useWorld({ "auth-failures-per-minute": "3" });

type SignedIn = { cookie: string; csrf: string; setCookie: string; reply: Reply };

function signedIn(reply: Reply): SignedIn {
  assert.equal(reply.status, 200, reply.text);
  const setCookie = reply.headers.get("set-cookie") ?? "";
  const { csrf_token: csrf } = reply.json.data as { csrf_token: string };
  return { cookie: setCookie.split(";", 1)[0] as string, csrf, setCookie, reply };
}

async function signIn(on = world, token = on.token.management): Promise<SignedIn> {
  const body = { token, access_token: on.token.access };
  return signedIn(await on.send("POST", "/admin/session", { body }));
}

const own = { "Sec-Fetch-Site": "same-origin" };
const send = (session: SignedIn, method: string, path: string, options: SendOptions = {}, on = world) =>
  on.send(method, path, { ...options, headers: { ...own, Cookie: session.cookie, ...options.headers } });
const write = (session: SignedIn, method: string, path: string, options: SendOptions = {}) =>
  send(session, method, path, { ...options, headers: { "X-CSRF-Token": session.csrf, ...options.headers } });

function refused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.json.code, code);
}

let session: SignedIn;
before(async () => {
  await Promise.all([world.ready, brief.ready, off.ready, narrow.ready]);
  session = await signIn();
});

// ---------------------------------------------------------------------------------------------- signing in and out

test("two tokens sign in: an HttpOnly, same-site cookie, and no secret in the reply", async () => {
  const { setCookie, reply } = await signIn();
  assert.match(setCookie, /^octavo_session=[\w-]{100,}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
  assert.equal(reply.headers.get("cache-control"), "no-store");
  for (const secret of [world.token.management, world.token.access]) {
    assert.ok(!reply.text.includes(secret) && !setCookie.includes(secret));
  }
  const { token } = reply.json.data as { token: { kind: string; resources: string[] } };
  assert.equal(token.kind, "management");
  assert.ok(token.resources.includes("admin"));
});

test("with a public https URL the cookie is Secure", async () => {
  assert.match((await signIn(brief)).setCookie, /; Max-Age=3600; .*; Secure$/);
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
  const forged = { ...session, cookie: "octavo_session=AAAA" };
  assert.equal((await send(forged, "GET", "/admin/session")).text, '{"data":null}');
});

test("a session is extended with its own cookie", async () => {
  const renewed = signedIn(await write(session, "POST", "/admin/session"));
  assert.notEqual(renewed.cookie, session.cookie);
  assert.equal((await send(renewed, "GET", "/api/stats")).status, 200);
  refused(await send(session, "POST", "/admin/session"), 403, "csrf_invalid");
});

test("signing out removes the cookie, and needs the CSRF token while the session is valid", async () => {
  const leaving = await signIn();
  refused(await send(leaving, "DELETE", "/admin/session"), 403, "csrf_invalid");
  const reply = await write(leaving, "DELETE", "/admin/session");
  assert.equal(reply.status, 204);
  assert.match(reply.headers.get("set-cookie") ?? "", /^octavo_session=; Path=\/; Max-Age=0; HttpOnly/);
  const nobody = await world.send("DELETE", "/admin/session");
  assert.equal(nobody.status, 204);
});

test("a session with an invalid token is over, and can be signed out without a CSRF token", async () => {
  const own = await world.issue("management", ["entries"]);
  const held = await signIn(world, own.secret);
  const shown = async () => (await send(held, "GET", "/admin/session")).json.data;
  assert.ok(await shown());
  await world.app.stores.tokens.update(own.id, { state: "disabled" }, { actor: "test", nowSeconds: 1 });
  assert.equal(await shown(), null);
  refused(await send(held, "GET", "/api/entries", { query: { id: "" } }), 401, "session_invalid");
  assert.equal((await send(held, "DELETE", "/admin/session")).status, 204, "there is nothing to forge");
});

test("failed sign-ins are throttled like other invalid tokens", async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) {
    statuses.push(
      (await narrow.send("POST", "/admin/session", { body: { token: `bad${i}`, access_token: "b" } })).status,
    );
  }
  statuses.push((await narrow.send("POST", "/admin/session/link", { body: { code: "guess" } })).status);
  assert.deepEqual(statuses, [401, 401, 401, 429]);
});

test("a sign-in link works once, and its tokens have full access", async () => {
  const link = new URL(world.app.signInLink());
  assert.equal(link.pathname, "/admin");
  const code = link.hash.replace("#code=", "");
  const first = signedIn(await world.send("POST", "/admin/session/link", { body: { code } }));
  assert.equal((await send(first, "GET", "/api/tokens")).status, 200);
  assert.equal((await write(first, "POST", "/api/entries", { body: { id: "linked", data: {} } })).status, 200);
  refused(await world.send("POST", "/admin/session/link", { body: { code } }), 401, "sign_in_link_invalid");
});

// ---------------------------------------------------------------------------------------------- using the cookie

test("the cookie grants its tokens' reads and, with the CSRF token, writes", async () => {
  assert.equal((await send(session, "GET", "/api/entries", { query: { id: "", filter: "" } })).status, 200);
  const made = await write(session, "POST", "/api/entries", { body: { id: "by/cookie", data: { title: "T" } } });
  assert.equal(made.status, 200, made.text);
  const events = await send(session, "GET", "/api/events");
  const actors = (events.json.data as { subject: string; actor: string }[]).filter((e) => e.subject === "by/cookie");
  const { token } = session.reply.json.data as { token: { id: string } };
  assert.equal(actors[0]?.actor, token.id, "the log names the token that signed in");
});

test("a write without the CSRF token, or with another session's, is 403 and changes nothing", async () => {
  const other = await signIn();
  for (const headers of [{}, { "X-CSRF-Token": other.csrf }, { "X-CSRF-Token": "" }] as Record<string, string>[]) {
    const reply = await send(session, "POST", "/api/entries", { headers, body: { id: "forged", data: {} } });
    refused(reply, 403, "csrf_invalid");
  }
  assert.equal((await send(session, "GET", "/api/entries", { query: { id: "forged" } })).status, 404);
});

test("from a page of another origin the cookie is ignored, even on the same site", async () => {
  for (const site of ["cross-site", "same-site"]) {
    refused(await send(session, "GET", "/api/stats", { headers: { "Sec-Fetch-Site": site } }), 401, "token_missing");
    const body = { id: "foreign", data: {} };
    const reply = await write(session, "POST", "/api/entries", { headers: { "Sec-Fetch-Site": site }, body });
    refused(reply, 401, "token_missing");
    const signing = await world.send("POST", "/admin/session", {
      headers: { "Sec-Fetch-Site": site },
      body: { token: world.token.management, access_token: world.token.access },
    });
    refused(signing, 403, "csrf_invalid");
  }
  const plain = { Cookie: session.cookie, Origin: "http://evil.example" };
  refused(await world.send("GET", "/api/stats", { headers: plain }), 401, "token_missing");
  assert.equal((await world.send("GET", "/api/stats", { headers: { ...plain, Origin: world.app.url } })).status, 200);
});

test("sent tokens take precedence over the cookie", async () => {
  const query = { token: world.token.delivery };
  refused(await send(session, "GET", "/api/stats", { query }), 403, "scope_missing");
});

test("an invalid cookie is 401 session_invalid", async () => {
  refused(await send({ ...session, cookie: "octavo_session=nonsense" }, "GET", "/api/stats"), 401, "session_invalid");
  const [name, value = ""] = session.cookie.split("=");
  const flipped = `${name}=${value.slice(0, -2)}${value.endsWith("AA") ? "BB" : "AA"}`;
  refused(await send({ ...session, cookie: flipped }, "GET", "/api/stats"), 401, "session_invalid");
  const ofAnotherStore = await signIn(brief);
  refused(await send(ofAnotherStore, "GET", "/api/stats"), 401, "session_invalid");
});

test("a session has no more access than its token", async () => {
  const { secret } = await world.issue("management", ["entries"]);
  const editor = await signIn(world, secret);
  assert.equal((await send(editor, "GET", "/api/entries", { query: { id: "", filter: "" } })).status, 200);
  refused(await send(editor, "GET", "/api/tokens"), 403, "scope_missing");
  refused(await write(editor, "POST", "/api/tokens", { body: { kind: "access" } }), 403, "scope_missing");
});

test("revoking a token ends its sessions", async () => {
  const { secret, id } = await world.issue("management", ["admin"]);
  const doomed = await signIn(world, secret);
  assert.equal((await write(session, "DELETE", "/api/tokens", { body: { id } })).status, 204);
  refused(await send(doomed, "GET", "/api/stats"), 401, "session_invalid");
  assert.equal((await send(doomed, "GET", "/admin/session")).text, '{"data":null}');
});

test("an upload with the cookie is admitted before its file, and images are open to file managers", async () => {
  const form = new FormData();
  form.set("folder", "cookie");
  form.set("file", new Blob(['<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>']), "dot.svg");
  const headers = { ...own, Cookie: session.cookie, "X-CSRF-Token": session.csrf };
  const made = await fetch(`${world.app.url}/api/files`, { method: "POST", body: form, headers });
  assert.equal(made.status, 200, await made.text());
  assert.equal((await send(session, "GET", "/api/images/cookie/dot.svg", { query: { w: "8" } })).status, 200);
  const { secret } = await world.issue("management", ["entries"]);
  const editor = await signIn(world, secret);
  refused(await send(editor, "GET", "/api/images/cookie/dot.svg"), 403, "scope_missing");
  const served = await world.send("GET", "/project/uploads/cookie/dot.svg");
  assert.match(served.headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/);
});

// ---------------------------------------------------------------------------------------------- the page

test("/admin and any URL below it is the page, with a CSP that trusts only its nonce", async () => {
  const nonces = new Set<string>();
  for (const path of ["/admin", "/admin/", "/admin/entries/movies/alien"]) {
    const reply = await world.send("GET", path);
    assert.equal(reply.status, 200, path);
    assert.match(reply.headers.get("content-type") ?? "", /^text\/html/);
    const policy = reply.headers.get("content-security-policy") ?? "";
    const nonce = /script-src 'nonce-([\w-]{22})';/.exec(policy)?.[1] ?? "";
    assert.ok(reply.text.includes(`nonce="${nonce}"`) && !reply.text.includes("octavo-nonce"));
    assert.match(policy, /default-src 'none'/);
    assert.ok(!/script-src[^;]*(unsafe|self)|https?:/.test(policy));
    assert.equal(reply.headers.get("x-frame-options"), "DENY");
    assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
    assert.equal(reply.headers.get("referrer-policy"), "no-referrer");
    assert.equal(reply.headers.get("cache-control"), "no-store");
    nonces.add(nonce);
  }
  assert.equal(nonces.size, 3);
});

test("assets of the page are immutable, compressed and from the same host", async () => {
  const { text } = await world.send("GET", "/admin");
  const addresses = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((found) => found[1] as string);
  assert.ok(addresses.some((address) => address.endsWith(".js")));
  for (const address of addresses) {
    assert.match(address, /^\/admin\/assets\//);
    const reply = await world.send("GET", address, { headers: { "Accept-Encoding": "gzip" } });
    assert.equal(reply.status, 200, address);
    assert.match(reply.headers.get("cache-control") ?? "", /immutable/);
    const tag = reply.headers.get("etag") ?? "";
    const headers = { "If-None-Match": tag, "Accept-Encoding": "gzip" };
    assert.equal((await world.send("GET", address, { headers })).status, 304);
  }
});

test("no other file is served, and no URL escapes the built files", async () => {
  for (const path of ["/admin/assets/none.js", "/admin/assets/../../package.json", "/admin/assets/%2e%2e/built-from"]) {
    const reply = await world.send("GET", path);
    assert.ok(reply.status === 404 || reply.text.startsWith("<!doctype html>"), path);
    assert.ok(!reply.text.includes('"dependencies"'));
  }
});

test("with admin_page off there is neither page nor sign-in", async () => {
  refused(await off.send("GET", "/admin"), 404, "route_not_found");
  const body = { token: off.token.management, access_token: off.token.access };
  refused(await off.send("POST", "/admin/session", { body }), 404, "route_not_found");
});

// ---------------------------------------------------------------------------------------------- the tree

test("the children of an entry have the facts for a tree, for management tokens only", async () => {
  await write(session, "POST", "/api/entries", { body: { id: "shelf/sub/leaf", data: { title: "Leaf" } } });
  await write(session, "POST", "/api/entries", { body: { id: "shelf/one", data: { title: 1, visibility: "draft" } } });
  const url = "/api/management/entries/children";
  const reply = await world.send("GET", url, { query: { id: "shelf", token: world.token.management } });
  const [one, sub] = reply.json.data as Record<string, unknown>[];
  assert.equal(one?.slug, "shelf/one");
  assert.deepEqual({ ...(one?.entry as object), published_at: 0 }, { title: "", visibility: "draft", published_at: 0 });
  assert.deepEqual(sub, { slug: "shelf/sub", has_children: true, entry: null });
  const more = await send(session, "GET", url, { query: { id: "shelf", after: "shelf/one", limit: "1" } });
  assert.deepEqual(more.json.data, [sub]);
  refused(await world.send("GET", url, { query: { id: "", token: world.token.delivery } }), 403, "scope_missing");
});

// ---------------------------------------------------------------------------------------------- lists for people

test("the newest events are listed first, in pages", async () => {
  const first = await send(session, "GET", "/api/events", { query: { newest: "true", limit: "3" } });
  const sequences = (reply: Reply) => (reply.json.data as { sequence: number }[]).map(({ sequence }) => sequence);
  const [newest = 0, , third = 0] = sequences(first);
  assert.ok(newest > third && third > 0);
  const query = { newest: "true", limit: "1", before: String(third) };
  assert.ok((sequences(await send(session, "GET", "/api/events", { query }))[0] ?? third) < third);
});

test("all registry items are listed, read-only ones marked", async () => {
  await write(session, "PUT", "/api/registry", { body: { id: "admin.test", value: { a: [1] } } });
  const list = async (id: string) =>
    (await send(session, "GET", "/api/registry/items", { query: { id } })).json.data as object[];
  assert.deepEqual(await list("admin"), [{ key: "admin.test", value: { a: [1] }, read_only: false }]);
  assert.ok((await list("")).some((row) => (row as { read_only: boolean }).read_only));
});
