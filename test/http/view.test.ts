import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Reply, useWorld } from "../harness.ts";

/** Views and preferences of people. Contract, part three, §19. */

const world = useWorld();
before(() => world.ready);

type SignedIn = { id: string; cookie: string; csrf: string };
type View = { id: string; title: string; owner: string; owner_name: string; shared: boolean };

const tokens = () => ({ token: world.token.management, access_token: world.token.access });

async function personOf(role: string, name: string): Promise<SignedIn> {
  const body = { ...tokens(), email: `${name}@example.org`, role };
  const { id, link } = (await world.send("POST", "/api/people", { body })).json.data as { id: string; link: string };
  const form = { code: new URL(link).hash.replace("#code=", ""), name, password: "a quiet harbour at noon" };
  const reply = await world.send("POST", "/admin/session/link", { body: form });
  const cookie = reply.headers.get("set-cookie")?.split(";", 1)[0] as string;
  return { id, cookie, csrf: (reply.json.data as { csrf_token: string }).csrf_token };
}

const send = (session: SignedIn, method: string, path: string, body?: object): Promise<Reply> =>
  world.send(method, path, {
    ...(body && { body: body as Record<string, unknown> }),
    headers: { Cookie: session.cookie, ...(method !== "GET" && { "X-CSRF-Token": session.csrf }) },
  });

function refused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.json.code, code);
}

const listed = async (session: SignedIn): Promise<string[]> => {
  const { json } = await send(session, "GET", "/api/views");
  return (json.data as View[]).map(({ title }) => title);
};

const late = { title: "Late", path: "news", columns: ["title", "author"], sort: "-year" };

test("a view is saved, shared, replaced by its maker or an owner, and deleted", async () => {
  const [ada, bob] = [await personOf("editor", "Ada"), await personOf("viewer", "Bob")];
  const owner = await personOf("owner", "Olga");
  const made = await send(ada, "POST", "/api/views", { ...late, filter: { where: [1e300], big: 1 } });
  assert.equal(made.status, 200, made.text);
  const { id, ...rest } = made.json.data as View;
  assert.deepEqual(rest, {
    ...{ ...late, shared: false, owner: ada.id, owner_name: "Ada" },
    filter: { where: [1e300], big: 1 },
  });
  assert.deepEqual([await listed(ada), await listed(bob), await listed(owner)], [["Late"], [], []]);
  refused(await send(owner, "PUT", "/api/views", { ...late, id }), 404, "view_not_found");
  assert.equal((await send(ada, "PUT", "/api/views", { ...late, id, shared: true })).status, 200);
  assert.deepEqual(await listed(bob), ["Late"]);
  refused(await send(bob, "PUT", "/api/views", { ...late, id }), 403, "view_not_own");
  refused(await send(bob, "DELETE", "/api/views", { id }), 403, "view_not_own");
  const changed = await send(owner, "PUT", "/api/views", { ...late, id, title: "Later", shared: true });
  assert.equal((changed.json.data as View).owner_name, "Ada");
  assert.equal((await send(ada, "DELETE", "/api/views", { id })).status, 204);
  refused(await send(ada, "DELETE", "/api/views", { id }), 404, "view_not_found");
});

test("shared views are for who may read entries there", async () => {
  for (const [id, resources, paths] of [
    ["press", ["entries"], ["press"]],
    ["library", ["files"], null],
  ]) {
    const body = { ...tokens(), id, resources, paths, writes: "all" };
    assert.equal((await world.send("PUT", "/api/roles", { body })).status, 200);
  }
  const [maker, press] = [await personOf("editor", "Mia"), await personOf("press", "Paul")];
  const library = await personOf("library", "Lea");
  for (const path of ["", "press", "press/2026"])
    await send(maker, "POST", "/api/views", { title: `At ${path}`, path, shared: true });
  assert.deepEqual(await listed(press), ["At press", "At press/2026"]);
  assert.deepEqual(await listed(library), []);
  assert.equal((await send(library, "POST", "/api/views", { title: "Mine", path: "" })).status, 200);
  assert.deepEqual(await listed(library), ["Mine"]);
});

test("what is no view is refused, and tokens have none", async () => {
  const eve = await personOf("viewer", "Eve");
  const save = (body: object) => send(eve, "POST", "/api/views", { ...late, ...body });
  for (const wrong of [
    ...[{ title: " " }, { title: "a\nb" }, { title: 7 }, { columns: [1] }, { columns: Array(51).fill("").map(String) }],
    ...[{ shared: "yes" }, { sort: 1 }],
  ])
    refused(await save(wrong), 400, "argument_invalid");
  refused(await save({ path: "a/../b" }), 400, "path_invalid");
  refused(await save({ filters: {} }), 400, "argument_unknown");
  refused(await save({ filter: "x".repeat(8192) }), 413, "data_too_large");
  refused(await send(eve, "PUT", "/api/views", { ...late, id: "none" }), 404, "view_not_found");
  refused(await world.send("GET", "/api/views", { query: { token: world.token.management } }), 403, "scope_missing");
  refused(await world.send("POST", "/api/views", { body: { ...tokens(), ...late } }), 403, "scope_missing");
});

test("preferences are merged by key, with the own account", async () => {
  const zoe = await personOf("viewer", "Zoe");
  const keep = (body: object) => send(zoe, "PATCH", "/api/people/me", body);
  const kept = (reply: Reply): unknown => (reply.json.data as { preferences: unknown }).preferences;
  assert.deepEqual(kept(await send(zoe, "GET", "/api/people/me")), {});
  const both = await keep({ name: "Zora", preferences: { wide: true, columns: ["a"] } });
  assert.deepEqual([kept(both), (both.json.data as { name: string }).name], [{ wide: true, columns: ["a"] }, "Zora"]);
  assert.deepEqual(kept(await keep({ preferences: { wide: null, note: 1 } })), { columns: ["a"], note: 1 });
  refused(await keep({ preferences: [1] }), 400, "argument_invalid");
  refused(await keep({ preferences: { note: "x".repeat(16_384) } }), 413, "data_too_large");
  assert.deepEqual(kept(await send(zoe, "GET", "/api/people/me")), { columns: ["a"], note: 1 });
});
