import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Reply, type SendOptions, useWorld } from "../harness.ts";

/** People sign in as themselves: their roles, links, sessions. Contract, part three, §19. */

const world = useWorld({ "auth-failures-per-minute": "1000", "public-url": "https://octavo.example.org" });
before(() => world.ready);

const good = "a quiet harbour at noon";

type Person = { id: string; name: string; email: string; role: string; state: string; link: string };
type SignedIn = { id: string; cookie: string; csrf: string };

function signedIn(reply: Reply): SignedIn {
  assert.equal(reply.status, 200, reply.text);
  const cookie = reply.headers.get("set-cookie")?.split(";", 1)[0] as string;
  const { id, csrf_token: csrf } = reply.json.data as { id: string; csrf_token: string };
  return { id, cookie, csrf };
}

const manage = (method: string, path: string, args: Record<string, unknown> = {}): Promise<Reply> => {
  const tokens = { token: world.token.management, access_token: world.token.access };
  return method === "GET"
    ? world.send(method, path, { query: { ...(args as Record<string, string>), token: tokens.token } })
    : world.send(method, path, { body: { ...tokens, ...args } });
};

const codeOf = ({ link }: Pick<Person, "link">): string => new URL(link).hash.replace("#code=", "");

let lastEmail = 0;
async function invite(role: string, email = `person-${++lastEmail}@example.org`): Promise<Person> {
  const reply = await manage("POST", "/api/people", { email, role });
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data as Person;
}

const join = (code: string, form: object = { name: "Ada", password: good }, headers: Record<string, string> = {}) =>
  world.send("POST", "/admin/session/link", { body: { code, ...form }, headers });

async function personOf(role: string): Promise<Person & SignedIn & { personId: string }> {
  const person = await invite(role);
  const session = signedIn(await join(codeOf(person), { name: `The ${role}`, password: good }));
  return { ...person, ...session, personId: person.id };
}

const send = (session: SignedIn, method: string, path: string, options: SendOptions = {}) =>
  world.send(method, path, {
    ...options,
    headers: {
      "Sec-Fetch-Site": "same-origin",
      Cookie: session.cookie,
      ...(method === "GET" ? {} : { "X-CSRF-Token": session.csrf }),
      ...options.headers,
    },
  });

function refused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.json.code, code);
}

const signIn = (email: string, password: string) => world.send("POST", "/admin/session", { body: { email, password } });

describe("links", () => {
  test("an invitation makes an active person with a session, once", async () => {
    const invited = await invite("editor", "Grace@Example.org");
    assert.equal(invited.state, "invited");
    assert.ok(invited.link.startsWith("https://octavo.example.org/admin#code=invite-"), invited.link);
    const other = await join(codeOf(invited), { name: "Grace", password: good, email: "other@example.org" });
    refused(other, 400, "argument_invalid");
    const joined = await join(codeOf(invited), { name: " Grace ", password: good });
    const session = signedIn(joined);
    const { person, role } = joined.json.data as { person: Person; role: { writes: string } };
    assert.deepEqual([person.name, person.state, role.writes], ["Grace", "active", "all"]);
    refused(await join(codeOf(invited)), 401, "sign_in_link_invalid");
    assert.equal((await send(session, "GET", "/api/people/me")).status, 200);
    const again = signedIn(await signIn("grace@EXAMPLE.ORG", good));
    assert.notEqual(again.id, session.id);
  });

  test("what is missing or weak is refused at once and leaves the link as it is", async () => {
    const code = codeOf(await invite("viewer"));
    const missing = await join(code, {});
    refused(missing, 400, "argument_missing");
    const errors = missing.json.errors as { argument: string }[];
    assert.deepEqual(
      errors.map(({ argument }) => argument),
      ["name", "password"],
    );
    for (const password of ["short", "x".repeat(257), "password123", "PASSWORD1", "qwertyuiop"]) {
      refused(await join(code, { name: "Ada", password }), 422, "password_weak");
    }
    signedIn(await join(code, { name: "Ada", password: `${"long ".repeat(51)}x` }));
  });

  test("of two that use a link at once one succeeds", async () => {
    const code = codeOf(await invite("viewer"));
    const replies = await Promise.all([join(code), join(code), join(code)]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401]);
  });

  test("a reset ends all sessions and the old password; an older link is void", async () => {
    const person = await personOf("editor");
    const first = (await manage("POST", "/api/people/reset", { id: person.personId })).json.data as Person;
    const second = (await manage("POST", "/api/people/reset", { id: person.personId })).json.data as Person;
    assert.match(codeOf(second), /^reset-[\w-]{43}$/);
    refused(await join(codeOf(first)), 401, "sign_in_link_invalid");
    assert.equal((await send(person, "GET", "/api/people/me")).status, 200, "until it is used");
    signedIn(await join(codeOf(second), { password: "another quiet harbour" }));
    refused(await send(person, "GET", "/api/people/me"), 401, "session_invalid");
    refused(await signIn(person.email, good), 401, "sign_in_failed");
    signedIn(await signIn(person.email, "another quiet harbour"));
  });

  test("the base of a link is that of the settings, whatever the Host", async () => {
    const body = { email: "host@example.org", role: "viewer" };
    const tokens = { token: world.token.management, access_token: world.token.access };
    const headers = { "X-Forwarded-Host": "evil.example", Forwarded: "host=evil.example" };
    const reply = await world.send("POST", "/api/people", { body: { ...tokens, ...body }, headers });
    assert.ok((reply.json.data as Person).link.startsWith("https://octavo.example.org/admin#code="));
  });

  test("a start's link makes an owner, once; alone it signs in with tokens", async () => {
    const code = () => new URL(world.app.signInLink({ asksOwner: true })).hash.replace("#code=", "");
    const mine = code();
    const form = { name: "Olga", email: "olga@example.org", password: good };
    refused(await join(mine, { name: "Olga", password: good }), 400, "argument_missing");
    refused(await join(mine, { ...form, password: "password" }), 422, "password_weak");
    const session = signedIn(await join(mine, form));
    refused(await join(mine, form), 401, "sign_in_link_invalid");
    const { role } = (await send(session, "GET", "/api/people/me")).json.data as Person;
    assert.equal(role, "owner");
    refused(await join(code(), form), 409, "person_exists");
    const misspelt = code();
    refused(await join(misspelt, { pasword: good }), 400, "argument_unknown");
    const plain = await join(misspelt, {});
    assert.equal(plain.status, 200);
    assert.ok((plain.json.data as { token: object }).token);
  });

  test("a link of another site's page is refused", async () => {
    const code = codeOf(await invite("viewer"));
    refused(await join(code, undefined, { "Sec-Fetch-Site": "cross-site" }), 403, "csrf_invalid");
  });
});

describe("signing in", () => {
  test("one text for a wrong password, an unknown address, one who is invited and one who is disabled", async () => {
    const person = await personOf("editor");
    const invited = await invite("editor");
    const disabled = await personOf("editor");
    await manage("PATCH", "/api/people", { id: disabled.personId, state: "disabled" });
    const replies = [
      await signIn(person.email, "a wrong password"),
      await signIn("nobody@example.org", good),
      await signIn(invited.email, good),
      await signIn(disabled.email, good),
      await signIn("no address", good),
      await signIn(person.email, "x".repeat(3000)),
    ];
    for (const reply of replies) refused(reply, 401, "sign_in_failed");
    assert.equal(new Set(replies.map(({ json }) => json.detail)).size, 1);
    assert.ok(replies.every(({ headers }) => !headers.has("set-cookie")));
  });

  test("an argument that is missing is named; tokens still sign in", async () => {
    refused(await world.send("POST", "/admin/session", { body: { email: "a@example.org" } }), 400, "argument_missing");
    refused(await world.send("POST", "/admin/session", { body: { password: good } }), 400, "argument_missing");
    refused(await world.send("POST", "/admin/session", { body: {} }), 401, "token_missing");
    const body = { token: world.token.management, access_token: world.token.access };
    signedIn(await world.send("POST", "/admin/session", { body }));
  });

  test("a session is extended, also a viewer's, and ended", async () => {
    const session = await personOf("viewer");
    const longer = signedIn(await send(session, "POST", "/admin/session"));
    assert.equal(longer.id, session.id);
    const shown = (await send(longer, "GET", "/admin/session")).json.data as { person: Person };
    assert.equal(shown.person.email, session.email);
    refused(await send({ ...longer, csrf: "x" }, "DELETE", "/admin/session"), 403, "csrf_invalid");
    assert.equal((await send(longer, "DELETE", "/admin/session")).status, 204);
    refused(await send(session, "GET", "/api/people/me"), 401, "session_invalid");
  });

  test("signing in ends the session whose cookie it replaces", async () => {
    const session = await personOf("viewer");
    const headers = { Cookie: session.cookie, "Sec-Fetch-Site": "same-origin" };
    const body = { email: session.email, password: good };
    const other = signedIn(await world.send("POST", "/admin/session", { body, headers }));
    refused(await send(session, "GET", "/api/people/me"), 401, "session_invalid");
    assert.equal((await send(other, "GET", "/api/people/me")).status, 200);
  });
});

describe("rights", () => {
  const draft = async () => {
    const id = `draft-${crypto.randomUUID()}`;
    const made = await manage("POST", "/api/entries", { id, data: { title: "x", visibility: "draft" } });
    assert.equal(made.status, 200, made.text);
    return id;
  };
  const update = (session: SignedIn, id: string) =>
    send(session, "PATCH", "/api/entries", { body: { id, data: { title: "y" } } });

  test("each built-in role may do what it says", async () => {
    const id = await draft();
    const [viewer, author, editor, owner] = [
      await personOf("viewer"),
      await personOf("author"),
      await personOf("editor"),
      await personOf("owner"),
    ];
    for (const session of [viewer, author, editor, owner]) {
      assert.equal((await send(session, "GET", "/api/entries", { query: { id } })).status, 200);
      assert.equal((await send(session, "GET", "/api/files", { query: { path: "" } })).status === 403, false);
    }
    for (const path of ["/api/events", "/api/tokens", "/api/people", "/api/roles", "/api/sessions", "/api/stats"]) {
      for (const session of [viewer, author, editor]) refused(await send(session, "GET", path), 403, "scope_missing");
      assert.equal((await send(owner, "GET", path)).status, 200, path);
    }
    refused(await update(viewer, id), 403, "scope_missing");
    refused(await update(author, id), 403, "scope_missing");
    const staged = await send(author, "PATCH", "/api/entries/staged", { body: { id, data: { title: "z" } } });
    assert.equal(staged.status, 200, staged.text);
    refused(
      await send(viewer, "PATCH", "/api/entries/staged", { body: { id, data: { title: "z" } } }),
      403,
      "scope_missing",
    );
    assert.equal((await update(editor, id)).status, 200);
    for (const session of [viewer, author, editor]) {
      const body = { email: "someone@example.org", role: "viewer" };
      refused(await send(session, "POST", "/api/people", { body }), 403, "scope_missing");
    }
  });

  test("a role of one's own, bound to paths, is a token bound to paths", async () => {
    const role = { id: "news", title: "News", resources: ["entries"], paths: ["news"], writes: "all" };
    const put = await manage("PUT", "/api/roles", role);
    assert.deepEqual(put.json.data, { ...role, built_in: false });
    const session = await personOf("news");
    const write = (id: string) => send(session, "POST", "/api/entries", { body: { id, data: {} } });
    assert.equal((await write("news/one")).status, 200);
    refused(await write("other"), 404, "entry_not_found");
    await manage("POST", "/api/entries", { id: "secret-of-others", data: {} });
    refused(await send(session, "GET", "/api/entries", { query: { id: "secret-of-others" } }), 404, "entry_not_found");
    assert.equal((await manage("PUT", "/api/roles", { ...role, writes: "none" })).status, 200);
    refused(await write("news/two"), 403, "scope_missing");
    refused(await manage("DELETE", "/api/roles", { id: "news" }), 409, "role_in_use");
    await manage("PATCH", "/api/people", { id: session.personId, role: "editor" });
    assert.equal((await write("other")).status, 200);
    assert.equal((await manage("DELETE", "/api/roles", { id: "news" })).status, 204);
    refused(await manage("DELETE", "/api/roles", { id: "news" }), 404, "role_not_found");
  });

  test("no role holds admin, the built-in ones stay, and one that is not there is given to nobody", async () => {
    const role = { id: "boss", resources: ["entries", "admin"], writes: "all" };
    refused(await manage("PUT", "/api/roles", role), 400, "argument_invalid");
    for (const id of ["owner", "editor", "author", "viewer"]) {
      refused(await manage("PUT", "/api/roles", { ...role, id, resources: ["entries"] }), 409, "role_built_in");
      refused(await manage("DELETE", "/api/roles", { id }), 409, "role_built_in");
    }
    const none = await manage("PUT", "/api/roles", { ...role, resources: [] });
    refused(none, 400, "argument_invalid");
    assert.equal(
      none.json.detail,
      '"resources" was "an empty list"; expected one or more of entries, registry, files, folders',
    );
    const untitled = await manage("PUT", "/api/roles", { ...role, resources: ["entries"], title: 5 });
    assert.equal(untitled.json.detail, '"title" was "5"; expected a line of at most 200 characters. Defaults to none');
    const paths = { resources: ["registry"], paths: ["news"] };
    refused(await manage("PUT", "/api/roles", { ...role, ...paths }), 400, "argument_invalid");
    refused(await manage("POST", "/api/people", { email: "x@example.org", role: "nobody" }), 404, "role_not_found");
    const { id } = await invite("viewer");
    refused(await manage("PATCH", "/api/people", { id, role: "nobody" }), 404, "role_not_found");
    refused(await manage("GET", "/api/roles", { i: "1" }), 400, "argument_unknown");
  });

  test("disabling ends the sessions, and enabling does not bring them back", async () => {
    const session = await personOf("editor");
    const reset = (await manage("POST", "/api/people/reset", { id: session.personId })).json.data as Person;
    assert.equal((await manage("PATCH", "/api/people", { id: session.personId, state: "disabled" })).status, 200);
    refused(await send(session, "GET", "/api/people/me"), 401, "session_invalid");
    refused(await join(codeOf(reset)), 401, "sign_in_link_invalid");
    refused(await manage("POST", "/api/people/reset", { id: session.personId }), 409, "person_disabled");
    const enabled = await manage("PATCH", "/api/people", { id: session.personId, state: "active" });
    assert.equal((enabled.json.data as Person).state, "active");
    refused(await send(session, "GET", "/api/people/me"), 401, "session_invalid");
    signedIn(await signIn(session.email, good));
    const invited = await invite("viewer");
    await manage("PATCH", "/api/people", { id: invited.id, state: "disabled" });
    const back = await manage("PATCH", "/api/people", { id: invited.id, state: "active" });
    assert.equal((back.json.data as Person).state, "invited", "without a password one is only invited");
  });

  test("a preview link ends with the person who made it", async () => {
    const session = await personOf("editor");
    const id = await draft();
    const made = await send(session, "POST", "/api/tokens/preview", { body: { paths: [id] } });
    const { token, maker } = made.json.data as { token: string; maker: string };
    assert.equal(maker, `person:${session.personId}`);
    const read = () => world.send("GET", "/api/entries", { query: { id, token } });
    assert.equal((await read()).status, 200);
    await manage("PATCH", "/api/people", { id: session.personId, role: "author" });
    refused(await read(), 401, "token_invalid");
    await manage("PATCH", "/api/people", { id: session.personId, role: "editor" });
    assert.equal((await read()).status, 200);
    await manage("DELETE", "/api/people", { id: session.personId });
    refused(await read(), 401, "token_invalid");
  });

  test("a write with a session needs its CSRF token, also of what is one's own", async () => {
    const session = { ...(await personOf("owner")), csrf: "forged" };
    for (const [method, path] of [
      ["POST", "/api/people"],
      ["PATCH", "/api/people/me"],
      ["DELETE", "/api/people/me/sessions"],
    ] as const) {
      refused(await send(session, method, path, { body: {} }), 403, "csrf_invalid");
    }
    const headers = { "Sec-Fetch-Site": "cross-site" };
    refused(await send(session, "GET", "/api/people/me", { headers }), 401, "token_missing");
  });
});

describe("people", () => {
  test("an address belongs to one person, without case; a person who is gone frees it", async () => {
    const person = await invite("viewer", "Double@example.org");
    const body = { email: "dOUBLE@Example.ORG", role: "viewer" };
    refused(await manage("POST", "/api/people", body), 409, "person_exists");
    const other = await invite("viewer");
    refused(await manage("PATCH", "/api/people", { id: other.id, email: body.email }), 409, "person_exists");
    assert.equal((await manage("DELETE", "/api/people", { id: person.id })).status, 204);
    refused(await manage("DELETE", "/api/people", { id: person.id }), 404, "person_not_found");
    refused(await manage("PATCH", "/api/people", { id: person.id, name: "x" }), 404, "person_not_found");
    await invite("viewer", body.email);
    for (const email of ["", "x", "a@b@c", "a b@c.d", `${"x".repeat(250)}@example.org`])
      refused(await manage("POST", "/api/people", { email, role: "viewer" }), 400, "argument_invalid");
  });

  test("the list has everybody, by pages, without secrets", async () => {
    const person = await personOf("viewer");
    const first = await manage("GET", "/api/people", { limit: "1" });
    assert.equal((first.json.data as Person[]).length, 1);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1];
    assert.ok(next);
    const all = await manage("GET", "/api/people", { limit: "1000" });
    const found = (all.json.data as Person[]).find(({ id }) => id === person.personId) as Person;
    assert.deepEqual(Object.keys(found), ["id", "name", "email", "role", "state", "created_at", "last_seen_at"]);
    assert.doesNotMatch(all.text, /argon2|link|hash/);
  });

  test("lists name the person beside each actor", async () => {
    const session = await personOf("editor");
    const id = `of-${session.personId}`;
    const post = (path: string, body: object, method = "POST") => send(session, method, path, { body });
    await post("/api/entries", { id, data: { n: 1 } });
    await post("/api/entries", { id, data: { n: 2 } }, "PATCH");
    await post("/api/entries/staged", { id, data: { n: 3 } }, "PATCH");
    const rows = async (path: string, query: Record<string, string>) =>
      (await send(session, "GET", path, { query })).json.data as Record<string, unknown>[];
    const [state] = await rows("/api/entries/history", { id });
    assert.deepEqual([state?.actor_name, state?.replaced_by_name], ["The editor", "The editor"]);
    const copies = await rows("/api/entries/staged/list", { limit: "1000" });
    assert.equal(copies.find((copy) => copy.id === id)?.staged_by_name, "The editor");
    await post("/api/entries", { id }, "DELETE");
    const [item] = await rows("/api/trash", { search: id });
    assert.equal(item?.deleted_by_name, "The editor");
  });

  test("the log names the person, also one who is gone", async () => {
    const session = await personOf("editor");
    await send(session, "POST", "/api/entries", { body: { id: `by-${session.personId}`, data: {} } });
    const newest = async () => {
      const { json } = await manage("GET", "/api/events", { newest: "true", limit: "5" });
      const rows = json.data as { actor: string; actor_name?: string; kind: string; subject: string }[];
      return rows.find(({ subject }) => subject === `by-${session.personId}`);
    };
    const told = { actor: `person:${session.personId}`, actor_name: "The editor" };
    const { actor, actor_name } = (await newest()) ?? {};
    assert.deepEqual({ actor, actor_name }, told);
    await manage("DELETE", "/api/people", { id: session.personId });
    assert.equal((await newest())?.actor_name, "The editor");
    const { json } = await manage("GET", "/api/events", { newest: "true", limit: "1" });
    assert.ok(!("actor_name" in ((json.data as object[])[0] as object)), "a token has none");
  });
});

describe("one's own account", () => {
  test("a new password needs the old one, and ends the other sessions", async () => {
    const session = await personOf("viewer");
    const other = signedIn(await signIn(session.email, good));
    const change = (body: object) => send(session, "PATCH", "/api/people/me", { body });
    refused(await change({ password: "a louder harbour" }), 400, "argument_missing");
    refused(await change({ password: "a louder harbour", current_password: "wrong one" }), 401, "sign_in_failed");
    refused(await change({ password: "password1", current_password: good }), 422, "password_weak");
    assert.equal((await change({ password: "a louder harbour", current_password: good })).status, 200);
    refused(await send(other, "GET", "/api/people/me"), 401, "session_invalid");
    assert.equal((await send(session, "GET", "/api/people/me")).status, 200);
    refused(await signIn(session.email, good), 401, "sign_in_failed");
    signedIn(await signIn(session.email, "a louder harbour"));
    assert.equal((await change({ name: "Other", role: "owner" })).status, 400);
    const named = await change({ name: "Other" });
    assert.equal((named.json.data as Person).name, "Other");
  });

  test("one's own sessions are listed and ended, no others", async () => {
    const session = await personOf("author");
    const other = signedIn(await signIn(session.email, good));
    const stranger = await personOf("author");
    const { json } = await send(session, "GET", "/api/people/me/sessions");
    const rows = json.data as { id: string; current: boolean }[];
    assert.deepEqual(new Set(rows.map(({ id }) => id)), new Set([session.id, other.id]));
    assert.deepEqual(
      rows.filter(({ current }) => current).map(({ id }) => id),
      [session.id],
    );
    const end = (id: string) => send(session, "DELETE", "/api/people/me/sessions", { body: { id } });
    refused(await end(stranger.id), 404, "session_not_found");
    assert.equal((await end(other.id)).status, 204);
    refused(await send(other, "GET", "/api/people/me"), 401, "session_invalid");
  });

  test("tokens have none", async () => {
    for (const path of ["/api/people/me", "/api/people/me/sessions"])
      refused(await manage("GET", path), 403, "scope_missing");
    refused(await manage("PATCH", "/api/people/me", { name: "x" }), 403, "scope_missing");
  });
});
