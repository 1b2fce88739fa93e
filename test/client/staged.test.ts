import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createClient } from "../../client/src/client.ts";
import { refusal, useClients } from "./service.ts";

/** Working copies: what the client's methods answer and throw. */

const clients = useClients();
type Page = { body: string; n?: number };

before(async () => {
  await clients.world.ready;
  const { entries } = clients.manager;
  for (const id of ["home", "about", "draft"])
    await entries.create(id, { body: "live", visibility: id === "draft" ? "draft" : "visible" });
});

test("a change is staged, read, published and conditional on both states", async () => {
  const { entries } = clients.manager;
  const live = await entries.fetch<Page>("home");
  const first = await entries.stage<Page>("home", { body: "new" });
  assert.deepEqual([first.body, (await entries.fetch<Page>("home")).body], ["new", "live"]);
  await refusal(entries.stage("home", { n: 1 }, { ifMatch: live }), "revision_mismatch");
  const second = await entries.stage("home", { n: null }, { ifMatch: first, mergePatch: true });
  assert.equal("n" in second, false);
  await refusal(entries.publish("home", { ifMatch: first }), "revision_mismatch");
  const read = await entries.staged<Page>("home");
  assert.deepEqual({ ...read }, { ...second });
  const published = await entries.publish<Page>("home", { ifMatch: read });
  assert.deepEqual([published.body, published.uuid], ["new", live.uuid]);
  assert.equal((await clients.visitor.entries.fetch<Page>("home")).body, "new");
  await entries.update("home", { n: 2 }, { ifMatch: published });
  await refusal(entries.publish("home"), "nothing_staged");
  await refusal(clients.visitor.entries.staged("home"), "scope_missing");
  await refusal(entries.staged("nowhere"), "entry_not_found");
});

test("a time is a number, a text or a date, and null takes it back", async () => {
  const { entries } = clients.manager;
  await entries.stage("about", { body: "later" });
  for (const at of [4_000_000_000, "2090-01-01", new Date("2090-01-01T12:30:00.5Z")]) {
    const scheduled = await entries.publish<Page>("about", { at });
    assert.equal(scheduled.body, "later");
    await refusal(entries.stage("about", { body: "more" }), "publish_scheduled");
    await refusal(entries.discard("about"), "publish_scheduled");
    await entries.publish("about", { at: null, ifMatch: scheduled });
  }
  await refusal(entries.publish("about", { at: "soon" }), "argument_invalid");
  assert.equal((await entries.fetch<Page>("about")).body, "live");
});

test("what was changed live since is told, and what was changed last and by whom", async () => {
  const { entries } = clients.manager;
  await entries.create("told", { title: "Told", body: "live" });
  const copy = await entries.stage<Page>("told", { body: "mine" });
  await entries.update("told", { body: "mended" });
  const [key] = await entries.outdated("told");
  assert.deepEqual([key?.key, key?.base, key?.live, key?.staged], ["body", "live", "mended", "mine"]);
  await refusal(entries.publish("told", { current: true }), "staged_outdated");
  await refusal(entries.publish("told", { ifMatch: copy }), "revision_mismatch");
  const [newest] = await entries.recent({ mine: true, limit: 1 });
  assert.deepEqual([newest?.id, newest?.title, newest?.kind, newest?.staged], ["told", "Told", "entry.update", true]);
  assert.deepEqual(await entries.recent({ visibility: "hidden" }), []);
  await entries.discard("told");
});

test("keys of a copy are dropped, and with the last one the copy", async () => {
  const { entries } = clients.manager;
  await entries.create("keys", { body: "live" });
  const copy = await entries.stage<Page>("keys", { body: "new", n: 1, visibility: "hidden" });
  await entries.discard("keys", { keys: ["n", "visibility"], ifMatch: copy });
  const left = await entries.staged<Page>("keys");
  assert.deepEqual([left.body, left.n, left.visibility], ["new", undefined, "visible"]);
  await refusal(entries.discard("keys", { keys: ["n"] }), "argument_invalid");
  await refusal(entries.discard("keys", { keys: ["body"], ifMatch: copy }), "revision_mismatch");
  await entries.discard("keys", { keys: ["body"] });
  await refusal(entries.discard("keys"), "nothing_staged");
});

test("copies are listed in pages and dropped; a draft is published without one", async () => {
  const { entries } = clients.manager;
  await entries.stage("draft", { body: "better" });
  const page = await entries.stagedList({ limit: 1 });
  const rest = await entries.stagedList({ cursor: page.cursor });
  assert.deepEqual(
    [...page.items, ...rest.items].map(({ id, publish_at }) => [id, publish_at]),
    [
      ["about", null],
      ["draft", null],
    ],
  );
  assert.equal(rest.cursor, undefined);
  for (const { id } of [...page.items, ...rest.items]) await entries.discard(id);
  assert.deepEqual((await entries.stagedList()).items, []);
  await refusal(entries.discard("draft"), "nothing_staged");
  const published = await entries.publish<Page>("draft");
  assert.deepEqual([published.body, published.visibility], ["live", "visible"]);
});

test("a preview reads drafts and working copies below its paths, until it is revoked", async () => {
  const { manager, visitor, world } = clients;
  const { entries, tokens } = manager;
  await entries.create("sketch", { body: "live", visibility: "draft" });
  await entries.stage("sketch", { body: "staged" });
  const made = await tokens.previews.create({
    paths: ["sketch"],
    resources: ["entries"],
    expires_at: new Date(Date.now() + 3_600_000),
  });
  assert.deepEqual([made.kind, made.paths, made.resources], ["preview", ["sketch"], ["entries"]]);
  const preview = createClient({ url: world.app.url, token: made.token });
  assert.equal((await preview.entries.fetch<Page>("sketch")).body, "staged");
  assert.deepEqual(
    (await preview.entries.list<Page>("")).items.map(({ slug, body }) => [slug, body]),
    [["sketch", "staged"]],
  );
  await refusal(preview.entries.fetch("home"), "entry_not_found");
  await refusal(visitor.entries.fetch("sketch"), "entry_not_found");
  const listed = await tokens.previews.list();
  assert.deepEqual(
    listed.map(({ id }) => id),
    [made.id],
  );
  assert.ok(listed[0] && !("token" in listed[0]));
  assert.equal(await tokens.previews.revoke(made.id), undefined);
  await refusal(preview.entries.fetch("sketch"), "token_invalid");
  await refusal(tokens.previews.revoke(made.id), "token_not_found");
  await refusal(visitor.tokens.previews.list(), "scope_missing");
  const { expires_at: end } = await tokens.previews.create();
  assert.ok(end !== null && end > Date.now() / 1000 + 6 * 86_400);
});

test("a release is made, filled, listed, checked, published, undone, renamed and deleted", async () => {
  const { entries, releases } = clients.manager;
  const { id } = await releases.create("Spring");
  await entries.create("release/draft", { body: "new", visibility: "draft" }, { release: id });
  await entries.create("release/live", { body: "old" });
  await entries.stage("release/live", { body: "new" }, { release: id });
  assert.deepEqual(
    (await releases.entries(id, { limit: 1 })).items.map((row) => [row.id, row.release]),
    [["release/draft", id]],
  );
  assert.equal((await releases.list({ limit: 1 })).items[0]?.count, 2);
  const time = new Date("2040-01-15T09:00:00Z");
  assert.equal((await releases.publish(id, { at: time })).at, time.getTime() / 1000);
  await refusal(releases.delete(id), "publish_scheduled");
  assert.equal((await releases.publish(id, { at: null })).at, undefined);
  assert.equal((await releases.publish(id, { dryRun: true })).state, "open");
  assert.equal((await releases.publish(id)).state, "published");
  assert.equal((await clients.visitor.entries.fetch<Page>("release/live")).body, "new");
  await entries.update("release/draft", { n: 1 });
  await assert.rejects(releases.undo(id), ({ code, status, entries: named }) => {
    assert.deepEqual([code, status, named], ["release_changed", 412, [{ id: "release/draft" }]]);
    return true;
  });
  const { id: other } = await releases.create("Summer");
  assert.equal((await releases.rename(other, "Autumn")).title, "Autumn");
  await entries.stage("release/live", { body: "newer" }, { release: other });
  await entries.stage("release/live", {}, { release: null });
  assert.deepEqual((await releases.fetch(other)).count, 0);
  assert.equal(await releases.delete(other), undefined);
  await refusal(releases.fetch(other), "release_not_found");
  await entries.delete("release/live");
});

test("a token has paths, and writes that are staged", async () => {
  const { manager, world } = clients;
  const made = await manager.tokens.create({
    kind: "management",
    resources: ["entries"],
    paths: ["home", "about"],
    writes: "staged",
  });
  assert.deepEqual([made.paths, made.writes], [["home", "about"], "staged"]);
  const writer = createClient({ url: world.app.url, token: made.token, accessToken: world.token.access });
  await refusal(writer.entries.update("home", { body: "live" }), "scope_missing");
  assert.equal((await writer.entries.stage<Page>("home", { body: "mine" })).body, "mine");
  await writer.entries.discard("home");
  await refusal(writer.entries.stage("draft", {}), "entry_not_found");
  const wider = await manager.tokens.update(made.id, { paths: ["home"], writes: "all" });
  assert.deepEqual([wider.paths, wider.writes], [["home"], undefined]);
});
