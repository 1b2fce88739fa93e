import assert from "node:assert/strict";
import { request } from "node:http";
import { before, test } from "node:test";
import { type Reply, useWorld } from "../../test/harness.ts";
import { type Account, startIssuer } from "../../test/issuer.ts";

/** People sign in at an issuer of OpenID Connect, a real one. Contract, part three, §19. */

const started = startIssuer(() => [`${world.app.url}/admin/session/oidc/back`]);
const world = useWorld(
  {},
  started.then(({ env }) => ({ ...env, OCTAVO_OIDC_ROLE_CLAIM: "role" })),
);
before(() => world.ready);

type Session = { id: string; person: { id: string; role: string; name: string; state: string } };
type Visit = { reply: Response; cookies: Map<string, string> };

const startUrl = "/admin/session/oidc";
const backUrl = `${startUrl}/back`;

const get = (path: string, cookies = new Map<string, string>(), headers: Record<string, string> = {}) =>
  fetch(new URL(path, world.app.url), {
    redirect: "manual",
    headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; "), ...headers },
  });

/** The cookies of a browser after a reply. */
function keep(cookies: Map<string, string>, reply: Response): Map<string, string> {
  const kept = new Map(cookies);
  for (const set of reply.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    if (value === "") kept.delete(name);
    else kept.set(name, value);
  }
  return kept;
}

/** Begins a sign-in; answers where the issuer is, and the browser's cookies. */
async function begin(): Promise<{ address: string; cookies: Map<string, string> }> {
  const reply = await get(startUrl);
  assert.equal(reply.status, 302, await reply.text());
  return { address: reply.headers.get("location") ?? "", cookies: keep(new Map(), reply) };
}

/** Signs in at the issuer as the subject, and comes back. */
async function visit(subject: string, account?: Account): Promise<Visit & { answer: URL }> {
  const issuer = await started;
  if (account) issuer.accounts.set(subject, account);
  const { address, cookies } = await begin();
  const answer = await issuer.signIn(address, subject);
  assert.equal(answer.origin + answer.pathname, world.app.url + backUrl);
  const reply = await get(answer.href, cookies);
  return { reply, cookies: keep(cookies, reply), answer };
}

async function sessionOf({ reply, cookies }: Visit): Promise<Session> {
  assert.equal(reply.status, 302, await reply.clone().text());
  assert.equal(reply.headers.get("location"), `${world.app.url}/admin`);
  assert.ok(!cookies.has("octavo_oidc"), "the flow's cookie is gone");
  const session = (await (await get("/admin/session", cookies)).json()) as { data: Session };
  return session.data;
}

async function isOut(visited: Pick<Visit, "reply" | "cookies">, status = 401, code = "sign_in_failed"): Promise<void> {
  const { reply, cookies } = visited;
  assert.equal(reply.status, status);
  assert.equal(((await reply.json()) as { code: string }).code, code);
  assert.ok(!cookies.has("octavo_session"));
}

const manage = (method: string, path: string, args: Record<string, unknown>): Promise<Reply> =>
  world.send(method, path, { body: { token: world.token.management, access_token: world.token.access, ...args } });

async function invite(email: string, role = "author"): Promise<{ id: string; code: string }> {
  const reply = await manage("POST", "/api/people", { email, role });
  assert.equal(reply.status, 200, reply.text);
  const { id, link } = reply.json.data as { id: string; link: string };
  return { id, code: new URL(link).hash.replace("#code=", "") };
}

const join = (code: string) =>
  world.send("POST", "/admin/session/link", { body: { code, name: "Ada", password: "a quiet harbour at noon" } });

const verified = (email: string, more: Account = {}): Account => ({ email, email_verified: true, ...more });

test("who is invited by a verified address comes in, and from then on by the subject", async () => {
  const { id, code } = await invite("Ada@example.org");
  const first = await visit("ada", verified("ada@EXAMPLE.org", { name: "Ada Lovelace" }));
  const session = await sessionOf(first);
  assert.deepEqual([session.person.id, session.person.name, session.person.state], [id, "Ada Lovelace", "active"]);
  const cookie = first.reply.headers.getSetCookie().find((set) => set.startsWith("octavo_session="));
  assert.match(cookie ?? "", /; HttpOnly; SameSite=Strict$/);
  // The invitation is used up.
  assert.equal((await join(code)).json.code, "sign_in_link_invalid");
  // The address may change at the issuer, or be no one's.
  assert.equal((await sessionOf(await visit("ada", { email: "other@example.org" }))).person.id, id);
  // Another subject with the address is nobody.
  await isOut(await visit("eve", verified("ada@example.org")));
  const events = await world.send("GET", "/api/events", { query: { token: world.token.management, newest: "true" } });
  const kinds = (events.json.data as { kind: string; subject: string; actor: string }[])
    .filter(({ subject }) => subject === id)
    .map(({ kind, actor }) => `${kind} ${actor}`);
  assert.ok(kinds.includes(`person.join person:${id}`), kinds.join());
});

test("an address that is not verified, or not invited, lets nobody in", async () => {
  const { id, code } = await invite("grace@example.org");
  for (const account of [
    { email: "grace@example.org" },
    { email: "grace@example.org", email_verified: false },
    { email: "grace@example.org", email_verified: "true" },
    verified("grace@example.org.evil.org"),
    verified("nobody@example.org"),
    {},
  ])
    await isOut(await visit("mallory", account));
  // Nothing of these tries is kept: the invitation is Grace's.
  const session = await sessionOf(await visit("grace", verified("grace@example.org")));
  assert.equal(session.person.id, id);
  await isOut(await visit("mallory", verified("grace@example.org")));
  assert.equal((await join(code)).status, 401);
});

test("an address alone does not lead into an account that is in use, nor by its reset", async () => {
  const { id, code } = await invite("edith@example.org");
  assert.equal((await join(code)).status, 200);
  await isOut(await visit("edith", verified("edith@example.org")));
  assert.equal((await manage("POST", "/api/people/reset", { id })).status, 200);
  await isOut(await visit("edith", verified("edith@example.org")));
});

test("pocketbase#7662: who took an address before its owner came does not get him as an account's second holder", async () => {
  const { id, code } = await invite("mallory-was@example.org");
  const mallory = await join(code);
  const { csrf_token } = mallory.json.data as { csrf_token: string };
  const Cookie = mallory.headers.get("set-cookie")?.split(";", 1)[0] as string;
  const headers = { Cookie, "X-CSRF-Token": csrf_token };
  const taken = await world.send("PATCH", "/api/people/me", { headers, body: { email: "vera@example.org" } });
  assert.equal(taken.status, 200, taken.text);
  await isOut(await visit("vera", verified("vera@example.org")));
  // Nor by a link of that account, whoever asked for it.
  assert.equal((await manage("POST", "/api/people/reset", { id })).status, 200);
  await isOut(await visit("vera", verified("vera@example.org")));
  const { identity } = await world.app.stores.people.get(id);
  assert.equal(identity, null);
});

test("an invitation that was replaced by a newer one, or taken back, is none", async () => {
  const { id } = await invite("tove@example.org");
  assert.equal((await manage("PATCH", "/api/people", { id, state: "disabled" })).status, 200);
  await isOut(await visit("tove", verified("tove@example.org")));
  // Enabled again, but the link is gone.
  assert.equal((await manage("PATCH", "/api/people", { id, state: "active" })).status, 200);
  await isOut(await visit("tove", verified("tove@example.org")));
  assert.equal((await manage("POST", "/api/people/reset", { id })).status, 200);
  assert.equal((await sessionOf(await visit("tove", verified("tove@example.org")))).person.id, id);
  const other = await invite("tone@example.org");
  assert.equal((await manage("PATCH", "/api/people", { id: other.id, email: "tine@example.org" })).status, 200);
  await isOut(await visit("tone", verified("tone@example.org")));
});

test("who is disabled or deleted does not get in; who is enabled again does", async () => {
  const { id } = await invite("mary@example.org");
  const came = await visit("mary", verified("mary@example.org"));
  await sessionOf(came);
  assert.equal((await manage("PATCH", "/api/people", { id, state: "disabled" })).status, 200);
  assert.equal(((await (await get("/admin/session", came.cookies)).json()) as { data: null }).data, null);
  await isOut(await visit("mary"));
  // Not even where somebody invites the same address again.
  const enabled = await manage("PATCH", "/api/people", { id, state: "active" });
  assert.equal((enabled.json.data as { state: string }).state, "active");
  assert.equal((await sessionOf(await visit("mary"))).person.id, id);
  const reply = await manage("DELETE", "/api/people", { id });
  assert.equal(reply.status, 204);
  await isOut(await visit("mary"));
  const again = await invite("mary@example.org");
  assert.equal((await sessionOf(await visit("mary"))).person.id, again.id);
});

test("the claim's role wins at each sign-in", async () => {
  const { id } = await invite("kay@example.org", "viewer");
  const roleOf = async (role?: unknown) =>
    (await sessionOf(await visit("kay", verified("kay@example.org", { role })))).person.role;
  assert.equal(await roleOf(), "viewer");
  assert.equal(await roleOf("editor"), "editor");
  assert.equal((await manage("PATCH", "/api/people", { id, role: "viewer" })).status, 200);
  assert.equal(await roleOf(["staff", "editor"]), "editor");
  for (const role of ["root", "", undefined, [], 7])
    await isOut(await visit("kay", verified("kay@example.org", { role })));
  // Of the last owner the claim takes nothing: there would be nobody who manages people.
  assert.equal(await roleOf("owner"), "owner");
  await isOut(await visit("kay", verified("kay@example.org", { role: "viewer" })), 409, "last_owner");
  assert.equal(await roleOf("owner"), "owner");
});

test("an answer is good once, and for the browser that asked", async () => {
  await invite("rosa@example.org");
  const issuer = await started;
  const came = await visit("rosa", verified("rosa@example.org"));
  await sessionOf(came);
  // The same address again, without the flow's cookie, and with it.
  await isOut({ reply: await get(came.answer.href), cookies: new Map() });
  const [mine, theirs] = [await begin(), await begin()];
  const answer = await issuer.signIn(theirs.address, "rosa");
  await isOut({ reply: await get(answer.href, mine.cookies), cookies: new Map() });
  assert.equal((await get(answer.href, theirs.cookies)).status, 302);
  await isOut({ reply: await get(answer.href, theirs.cookies), cookies: new Map() });
  for (const cookie of ["", "x", [...mine.cookies.values()].join().replace(/.$/, "")])
    await isOut({ reply: await get(answer.href, new Map([["octavo_oidc", cookie]])), cookies: new Map() });
  // A session's cookie is no flow's.
  const session = came.cookies.get("octavo_session") as string;
  await isOut({ reply: await get(answer.href, new Map([["octavo_oidc", session]])), cookies: new Map() });
  for (const query of ["", "?error=access_denied", "?code=x", "?state=x&iss=https://evil.example.org"])
    await isOut({ reply: await get(backUrl + query, mine.cookies), cookies: new Map() });
  await isOut(
    { reply: await get(`${backUrl}?code=x&code=y`, mine.cookies), cookies: new Map() },
    400,
    "argument_repeated",
  );
});

test("a browser is led to the page, which says why; the flow's cookie is its own and short", async () => {
  const html = { accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" };
  const refused = await get(backUrl, undefined, html);
  assert.equal(refused.status, 302);
  assert.equal(refused.headers.get("location"), `${world.app.url}/admin#refused=sign_in_failed`);
  const reply = await get(startUrl);
  assert.match(
    reply.headers.getSetCookie().join(),
    /^octavo_oidc=[\w-]+; Path=\/admin\/session\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/,
  );
  assert.equal(reply.headers.get("cache-control"), "no-store");
  const address = new URL(reply.headers.get("location") ?? "");
  assert.equal(address.origin, (await started).issuer);
  assert.equal(address.searchParams.get("redirect_uri"), world.app.url + backUrl);
});

test("nothing in a request chooses where the browser goes, or comes back to", async () => {
  const evil = "https://evil.example.org";
  const names = ["return_to", "redirect", "redirect_uri", "next", "url", "state", "iss"];
  const query = new URLSearchParams(Object.fromEntries(names.map((name) => [name, evil]))).toString();
  const headers = { "x-forwarded-host": "evil.example.org", "x-forwarded-proto": "https", referer: evil };
  const reply = await get(`${startUrl}?${query}`, undefined, headers);
  const location = new URL(reply.headers.get("location") ?? "");
  assert.equal(location.origin, (await started).issuer);
  assert.ok(!location.href.includes("evil"), location.href);
  const { port } = new URL(world.app.url);
  const { promise, resolve } = Promise.withResolvers<string>();
  const named = { host: "evil.example.org" };
  request({ port, host: "127.0.0.1", path: startUrl, headers: named }, ({ headers }) =>
    resolve(headers.location ?? ""),
  ).end();
  assert.equal(new URL(await promise).searchParams.get("redirect_uri"), world.app.url + backUrl);
  await invite("lena@example.org");
  (await started).accounts.set("lena", verified("lena@example.org"));
  const begun = await begin();
  const answer = await (await started).signIn(begun.address, "lena");
  answer.searchParams.append("return_to", evil);
  const came = await get(answer.href, begun.cookies, headers);
  assert.equal(came.headers.get("location"), `${world.app.url}/admin`);
});

test("a browser that calls the service localhost is led to where it listens", async () => {
  const { port } = new URL(world.app.url);
  const at = await fetch(`http://localhost:${port}${startUrl}`, { redirect: "manual" });
  assert.equal(at.headers.get("location"), world.app.url + startUrl);
});

test("the page is told that there is the issuer", async () => {
  const { host } = new URL((await started).issuer);
  const page = await (await get("/admin")).text();
  // The page may not be built where these tests run.
  if (!page.includes("admin_not_built")) assert.ok(page.includes(` data-oidc="${host}" `), page.slice(0, 100));
});
