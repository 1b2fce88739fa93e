import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Reply, until, useWorld } from "../../test/harness.ts";
import { codeOf, good, peopleOf, refused, type Shown, type SignedIn, signedIn } from "../../test/people.ts";

/**
 * People sign in as themselves: their roles, links, views. Contract, part three, §19. What a role may do on each route, and
 * what a stranger may not: test/http/stranger-write.test.ts.
 */

const issuer = "https://id.example.org";
const world = useWorld(
  { "auth-failures-per-minute": "1000", "public-url": "https://octavo.example.org" },
  { OCTAVO_OIDC_ISSUER: issuer, OCTAVO_OIDC_CLIENT_ID: "octavo", OCTAVO_OIDC_CLIENT_SECRET: "unused" },
);
before(() => world.ready);
const { manage, invite, join, send, signIn } = peopleOf(world);

async function personOf(role: string, name = `The ${role}`): Promise<Shown & SignedIn & { personId: string }> {
  const person = await invite(role);
  const session = signedIn(await join(codeOf(person), { name, password: good }));
  return { ...person, ...session, personId: person.id };
}

describe("links", () => {
  test("an invitation makes an active person with a session, once", async () => {
    const invited = await invite("editor", "Grace@Example.org");
    assert.equal(invited.state, "invited");
    assert.ok(invited.link.startsWith("https://octavo.example.org/admin#code=invite-"), invited.link);
    const other = await join(codeOf(invited), { name: "Grace", password: good, email: "other@example.org" });
    refused(other, 400, "argument_invalid");
    const joined = await join(codeOf(invited), { name: " Grace ", password: good });
    const session = signedIn(joined);
    const { person, role } = joined.json.data as { person: Shown; role: { writes: string } };
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

  test("a reset ends all sessions and the old password; an older link is void", async () => {
    const person = await personOf("editor");
    const first = (await manage("POST", "/api/people/reset", { id: person.personId })).json.data as Shown;
    const second = (await manage("POST", "/api/people/reset", { id: person.personId })).json.data as Shown;
    assert.match(codeOf(second), /^reset-[\w-]{43}$/);
    refused(await join(codeOf(first)), 401, "sign_in_link_invalid");
    assert.equal((await send(person, "GET", "/api/people/me")).status, 200, "until it is used");
    signedIn(await join(codeOf(second), { password: "another quiet harbour" }));
    refused(await send(person, "GET", "/api/people/me"), 401, "session_invalid");
    refused(await signIn(person.email, good), 401, "sign_in_failed");
    signedIn(await signIn(person.email, "another quiet harbour"));
  });

  test("a start's link makes an owner, once; alone it signs in with tokens", async () => {
    const code = () => new URL(world.app.signInLink({ asksOwner: true })).hash.replace("#code=", "");
    const mine = code();
    const form = { name: "Olga", email: "olga@example.org", password: good };
    refused(await join(mine, { name: "Olga", password: good }), 400, "argument_missing");
    refused(await join(mine, { ...form, password: "password" }), 422, "password_weak");
    const session = signedIn(await join(mine, form));
    refused(await join(mine, form), 401, "sign_in_link_invalid");
    const { role } = (await send(session, "GET", "/api/people/me")).json.data as Shown;
    assert.equal(role, "owner");
    refused(await join(code(), form), 409, "person_exists");
    const misspelt = code();
    refused(await join(misspelt, { pasword: good }), 400, "argument_unknown");
    const plain = await join(misspelt, {});
    assert.equal(plain.status, 200);
    assert.ok((plain.json.data as { token: object }).token);
  });
});

describe("signing in", () => {
  test("an argument that is missing is named; tokens still sign in", async () => {
    refused(await world.send("POST", "/admin/session", { body: { email: "a@example.org" } }), 400, "argument_missing");
    refused(await world.send("POST", "/admin/session", { body: { password: good } }), 400, "argument_missing");
    refused(await world.send("POST", "/admin/session", { body: {} }), 401, "token_missing");
    refused(await signIn("a@example.org", "x".repeat(3000)), 401, "sign_in_failed");
    const body = { token: world.token.management, access_token: world.token.access };
    signedIn(await world.send("POST", "/admin/session", { body }));
  });
});

describe("rights", () => {
  test("each built-in role may do what it says", async () => {
    const id = "drafted";
    await manage("POST", "/api/entries", { id, data: { title: "x", visibility: "draft" } });
    const [viewer, author, editor, owner] = [
      await personOf("viewer"),
      await personOf("author"),
      await personOf("editor"),
      await personOf("owner"),
    ];
    const write = async (session: SignedIn, path: string) =>
      (await send(session, "PATCH", path, { body: { id, data: { title: "y" } } })).status;
    const all = [viewer, author, editor, owner];
    const statuses = (call: (session: SignedIn) => Promise<number>) => Promise.all(all.map(call));
    const read = async (session: SignedIn) => (await send(session, "GET", "/api/entries", { query: { id } })).status;
    assert.deepEqual(await statuses(read), [200, 200, 200, 200]);
    assert.deepEqual(await statuses((one) => write(one, "/api/entries/staged")), [403, 200, 200, 200]);
    assert.deepEqual(await statuses((one) => write(one, "/api/entries")), [403, 403, 200, 200]);
    assert.deepEqual(
      await statuses(async (one) => (await send(one, "GET", "/api/tokens")).status),
      [403, 403, 403, 200],
    );
    assert.equal(signedIn(await send(viewer, "POST", "/admin/session")).id, viewer.id, "extended, without any write");
  });

  test("a role of one's own is put, given, and deleted where nobody has it", async () => {
    const role = { id: "news", title: "News", resources: ["entries"], paths: ["news"], writes: "all" };
    assert.deepEqual((await manage("PUT", "/api/roles", role)).json.data, { ...role, locales: null, built_in: false });
    const { personId: id } = await personOf("news");
    refused(await manage("DELETE", "/api/roles", { id: "news" }), 409, "role_in_use");
    await manage("PATCH", "/api/people", { id, role: "editor" });
    assert.equal((await manage("DELETE", "/api/roles", { id: "news" })).status, 204);
  });

  test("who is disabled gets no link; enabled again without a password one is only invited", async () => {
    const stateOf = async (id: string, state: string) =>
      ((await manage("PATCH", "/api/people", { id, state })).json.data as Shown).state;
    const { personId } = await personOf("editor");
    assert.equal(await stateOf(personId, "disabled"), "disabled");
    refused(await manage("POST", "/api/people/reset", { id: personId }), 409, "person_disabled");
    assert.equal(await stateOf(personId, "active"), "active");
    const invited = await invite("viewer");
    await stateOf(invited.id, "disabled");
    assert.equal(await stateOf(invited.id, "active"), "invited");
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
});

describe("people", () => {
  test("the list has everybody, by pages, without secrets", async () => {
    const person = await personOf("viewer");
    const first = await manage("GET", "/api/people", { limit: "1" });
    assert.equal((first.json.data as Shown[]).length, 1);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1];
    assert.ok(next);
    const all = await manage("GET", "/api/people", { limit: "1000" });
    const found = (all.json.data as Shown[]).find(({ id }) => id === person.personId) as Shown;
    assert.deepEqual(Object.keys(found), [
      ...["id", "name", "email", "role", "state", "issuer", "subject"],
      ...["created_at", "last_seen_at"],
    ]);
    assert.doesNotMatch(all.text, /argon2|link|hash/);
  });

  test("who is bound to a subject is active, shown with it, and no link leads in any more", async () => {
    const invited = await invite("viewer");
    assert.deepEqual([invited.issuer, invited.subject], [null, null]);
    const bound = (await manage("PATCH", "/api/people", { id: invited.id, subject: "1|a" })).json.data as Shown;
    assert.deepEqual([bound.state, bound.issuer, bound.subject], ["active", issuer, "1|a"]);
    refused(await join(codeOf(invited)), 401, "sign_in_link_invalid");
    const other = await personOf("editor");
    refused(await manage("PATCH", "/api/people", { id: other.personId, subject: "1|a" }), 409, "subject_taken");
    for (const subject of ["", "x".repeat(256), 7])
      refused(await manage("PATCH", "/api/people", { id: other.personId, subject }), 400, "argument_invalid");
    refused(await manage("PATCH", "/api/people", { id: "nobody", subject: "2" }), 404, "person_not_found");
    // A password stays good beside a first subject, and no session outlives another one.
    const bind = (subject: string) => manage("PATCH", "/api/people", { id: other.personId, subject });
    assert.deepEqual([(await bind("2")).status, (await send(other, "GET", "/api/people/me")).status], [200, 200]);
    assert.deepEqual([(await bind("3")).status, (await send(other, "GET", "/api/people/me")).status], [200, 401]);
    signedIn(await signIn(other.email, good));
  });

  test("who is bound no more has no session, and without another credential is only invited", async () => {
    const unbind = (id: string) => manage("PATCH", "/api/people", { id, subject: null });
    const bound = async (id: string, subject: string) => manage("PATCH", "/api/people", { id, subject });
    const bare = await invite("viewer");
    await bound(bare.id, "5");
    const shown = (await unbind(bare.id)).json.data as Shown;
    assert.deepEqual([shown.state, shown.issuer, shown.subject], ["invited", null, null]);
    assert.equal(((await unbind(bare.id)).json.data as Shown).state, "invited", "again");
    const other = await personOf("editor");
    await bound(other.personId, "5");
    const left = (await unbind(other.personId)).json.data as Shown;
    assert.deepEqual([left.state, left.subject], ["active", null]);
    refused(await send(other, "GET", "/api/people/me"), 401, "session_invalid");
    signedIn(await signIn(other.email, good));
    refused(await unbind("nobody"), 404, "person_not_found");
  });

  test("in a form an empty subject stands for null", async () => {
    const { id } = await invite("viewer");
    await manage("PATCH", "/api/people", { id, subject: "6" });
    const form = new URLSearchParams({
      id,
      subject: "",
      token: world.token.management,
      access_token: world.token.access,
    });
    const reply = await fetch(`${world.app.url}/api/people`, { method: "PATCH", body: form });
    assert.equal(((await reply.json()) as { data: Shown }).data.subject, null);
  });

  test("only who manages people binds them, nobody the own account by PATCH of it", async () => {
    const [editor, owner] = [await personOf("editor"), await personOf("owner")];
    const body = { id: owner.personId, subject: "4" };
    refused(await send(editor, "PATCH", "/api/people", { body }), 403, "scope_missing");
    refused(await send(editor, "PATCH", "/api/people/me", { body: { subject: "4" } }), 400, "argument_unknown");
    assert.equal((await send(owner, "PATCH", "/api/people", { body })).status, 200);
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
    assert.equal((named.json.data as Shown).name, "Other");
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
});

// ---------------------------------------------------------------------------------------------- views, preferences

type View = { id: string; title: string; owner: string; owner_name: string; shared: boolean };

const listed = async (session: SignedIn): Promise<string[]> => {
  const { json } = await send(session, "GET", "/api/views");
  return (json.data as View[]).map(({ title }) => title);
};

const late = { title: "Late", path: "news", columns: ["title", "author"], sort: "-year" };

test("a view is saved, shared, replaced by its maker or an owner, and deleted", async () => {
  const [ada, bob] = [await personOf("editor", "Ada"), await personOf("viewer")];
  const owner = await personOf("owner");
  const made = await send(ada, "POST", "/api/views", { body: { ...late, filter: { where: [1e300], big: 1 } } });
  assert.equal(made.status, 200, made.text);
  const { id, ...rest } = made.json.data as View;
  assert.deepEqual(rest, {
    ...{ ...late, shared: false, owner: ada.personId, owner_name: "Ada" },
    filter: { where: [1e300], big: 1 },
  });
  assert.deepEqual([await listed(ada), await listed(bob), await listed(owner)], [["Late"], [], []]);
  refused(await send(owner, "PUT", "/api/views", { body: { ...late, id } }), 404, "view_not_found");
  assert.equal((await send(ada, "PUT", "/api/views", { body: { ...late, id, shared: true } })).status, 200);
  assert.deepEqual(await listed(bob), ["Late"]);
  refused(await send(bob, "PUT", "/api/views", { body: { ...late, id } }), 403, "view_not_own");
  refused(await send(bob, "DELETE", "/api/views", { body: { id } }), 403, "view_not_own");
  const changed = await send(owner, "PUT", "/api/views", { body: { ...late, id, title: "Later", shared: true } });
  assert.equal((changed.json.data as View).owner_name, "Ada");
  assert.equal((await send(ada, "DELETE", "/api/views", { body: { id } })).status, 204);
  refused(await send(ada, "DELETE", "/api/views", { body: { id } }), 404, "view_not_found");
});

test("shared views are for who may read entries there", async () => {
  for (const [id, resources, paths] of [
    ["press", ["entries"], ["press"]],
    ["library", ["files"], null],
  ]) {
    assert.equal((await manage("PUT", "/api/roles", { id, resources, paths, writes: "all" })).status, 200);
  }
  const [maker, press] = [await personOf("editor"), await personOf("press")];
  const library = await personOf("library");
  for (const path of ["", "press", "press/2026"])
    await send(maker, "POST", "/api/views", { body: { title: `At ${path}`, path, shared: true } });
  assert.deepEqual(await listed(press), ["At press", "At press/2026"]);
  assert.deepEqual(await listed(library), []);
  assert.equal((await send(library, "POST", "/api/views", { body: { title: "Mine", path: "" } })).status, 200);
  assert.deepEqual(await listed(library), ["Mine"]);
});

test("what is no view is refused", async () => {
  const eve = await personOf("viewer");
  const save = (body: object) => send(eve, "POST", "/api/views", { body: { ...late, ...body } });
  for (const wrong of [
    ...[{ title: " " }, { title: "a\nb" }, { title: 7 }, { columns: [1] }, { columns: Array(51).fill("").map(String) }],
    ...[{ shared: "yes" }, { sort: 1 }],
  ])
    refused(await save(wrong), 400, "argument_invalid");
  refused(await save({ path: "a/../b" }), 400, "path_invalid");
  refused(await save({ filters: {} }), 400, "argument_unknown");
  refused(await save({ filter: "x".repeat(8192) }), 413, "data_too_large");
  refused(await send(eve, "PUT", "/api/views", { body: { ...late, id: "none" } }), 404, "view_not_found");
});

test("preferences are merged by key, with the own account", async () => {
  const zoe = await personOf("viewer");
  const keep = (body: object) => send(zoe, "PATCH", "/api/people/me", { body });
  const kept = (reply: Reply): unknown => (reply.json.data as { preferences: unknown }).preferences;
  assert.deepEqual(kept(await send(zoe, "GET", "/api/people/me")), {});
  const both = await keep({ name: "Zora", preferences: { wide: true, columns: ["a"] } });
  assert.deepEqual([kept(both), (both.json.data as Shown).name], [{ wide: true, columns: ["a"] }, "Zora"]);
  assert.deepEqual(kept(await keep({ preferences: { wide: null, note: 1 } })), { columns: ["a"], note: 1 });
  refused(await keep({ preferences: [1] }), 400, "argument_invalid");
  refused(await keep({ preferences: { note: "x".repeat(16_384) } }), 413, "data_too_large");
  assert.deepEqual(kept(await send(zoe, "GET", "/api/people/me")), { columns: ["a"], note: 1 });
});

test("a preview reads nothing that the role of its maker lost, until the role has it again", async () => {
  const role = (resources: string[]) =>
    manage("PUT", "/api/roles", { id: "links", title: "Links", resources, writes: "all" });
  await role(["entries", "files"]);
  const maker = await personOf("links");
  const make = async (more = {}): Promise<string> => {
    const reply = await send(maker, "POST", "/api/tokens/preview", { body: more });
    assert.equal(reply.status, 200, reply.text);
    return String((reply.json.data as { token: string }).token);
  };
  const previews = [await make(), await make({ resources: ["entries"] }), await make({ resources: ["files"] })];
  const held = () =>
    Promise.all(
      previews.map(async (token, i) => {
        const path = i === 2 ? "/api/files" : "/api/entries";
        return (
          (await world.send("GET", path, { query: { id: "none", path: "none", token } })).json.code !== "token_invalid"
        );
      }),
    );
  const table: [resources: string, holds: boolean[]][] = [
    ["entries files", [true, true, true]],
    ["files folders", [false, false, false]],
    ["entries", [false, true, false]],
    ["registry", [false, false, false]],
    ["entries files", [true, true, true]],
  ];
  for (const [resources, holds] of table) {
    await role(resources.split(" "));
    assert.deepEqual(await held(), holds, resources);
  }
  const row = (await manage("POST", "/api/tokens", { kind: "management", resources: ["admin", "files"] })).json.data;
  const byAdmin = (resources: string[]) =>
    manage("POST", "/api/tokens", { token: (row as { token: string }).token, kind: "preview", resources });
  assert.equal((await byAdmin(["files"])).status, 200);
  refused(await byAdmin(["files", "entries"]), 400, "argument_invalid");
});

test("what a person scheduled goes live after the person was disabled, and the events name the person", async () => {
  const editor = await personOf("editor");
  const at = Math.floor(Date.now() / 1000) + 2;
  const post = async (method: string, path: string, body: object) => {
    const reply = await send(editor, method, path, { body });
    assert.equal(reply.status, 200, reply.text);
    return reply.json.data as { id: string };
  };
  const draft = { data: { visibility: "draft" } };
  const { id: release } = await post("POST", "/api/releases", { title: "Later" });
  await post("POST", "/api/entries", { id: "left-alone", ...draft });
  await post("POST", "/api/entries", { id: "left-together", ...draft, release });
  await post("POST", "/api/entries/publish", { id: "left-alone", at });
  await post("POST", "/api/releases/publish", { id: release, at });
  assert.equal((await manage("PATCH", "/api/people", { id: editor.personId, state: "disabled" })).status, 200);
  const published = async () => {
    const events = (await manage("GET", "/api/events")).json.data as { kind: string; subject: string; actor: string }[];
    const own = events.filter(({ kind }) => kind === "entry.publish" || kind === "release.publish");
    return own.filter(({ subject }) => ["left-alone", "left-together", release].includes(subject));
  };
  await until(async () => (await published()).length === 3, "all of it is published");
  assert.deepEqual(new Set((await published()).map(({ actor }) => actor)), new Set([`person:${editor.personId}`]));
});
