import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createClient } from "../../client/src/client.ts";
import { refusal, textFile, useClients } from "./service.ts";

/** States beside the live one: working copies, releases, previews, history. What the methods send and answer. */

const clients = useClients();
type Page = { body: string; n?: number };

/** The forms of a time that a method takes. */
const times = [4_000_000_000, "2090-01-01", new Date("2090-01-01T12:30:00.5Z")];

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
  await refusal(entries.stage("home", { n: 1 }, { ifMatch: live }), "revision_mismatch");
  const second = await entries.stage("home", { n: null }, { ifMatch: first, mergePatch: true });
  assert.equal("n" in second, false);
  await refusal(entries.publish("home", { ifMatch: first }), "revision_mismatch");
  const read = await entries.staged<Page>("home");
  assert.deepEqual({ ...read }, { ...second });
  const published = await entries.publish<Page>("home", { ifMatch: read });
  assert.deepEqual([published.body, published.uuid], ["new", live.uuid]);
});

test("a time is a number, a text or a date, and null takes it back", async () => {
  const { entries } = clients.manager;
  await entries.stage("about", { body: "later" });
  for (const at of times) {
    const scheduled = await entries.publish<Page>("about", { at });
    assert.equal(scheduled.body, "later");
    await entries.publish("about", { at: null, ifMatch: scheduled });
  }
  assert.equal((await entries.fetch<Page>("about")).body, "live");
});

test("what was changed live since, and what was changed last and by whom", async () => {
  const { entries } = clients.manager;
  await entries.create("both", { title: "Both", body: "live" });
  await entries.stage<Page>("both", { body: "mine" });
  await entries.update("both", { body: "mended" });
  const [key] = await entries.outdated("both");
  assert.deepEqual([key?.key, key?.base, key?.live, key?.staged], ["body", "live", "mended", "mine"]);
  await refusal(entries.publish("both", { current: true }), "staged_outdated");
  const [newest] = await entries.recent({ mine: true, limit: 1 });
  assert.deepEqual([newest?.id, newest?.title, newest?.kind, newest?.staged], ["both", "Both", "entry.update", true]);
  assert.deepEqual(await entries.recent({ visibility: "hidden" }), []);
  await entries.discard("both");
});

test("copies are listed in pages and dropped, whole or by key", async () => {
  const { entries } = clients.manager;
  const copy = await entries.stage<Page>("draft", { body: "better", n: 1 });
  const page = await entries.stagedList({ limit: 1 });
  const rest = await entries.stagedList({ cursor: page.cursor });
  assert.deepEqual(
    [...page.items, ...rest.items].map(({ id, publish_at }) => [id, publish_at]),
    ["about", "draft"].map((id) => [id, null]),
  );
  assert.equal(rest.cursor, undefined);
  await entries.discard("draft", { keys: ["n"], ifMatch: copy });
  assert.deepEqual(
    [(await entries.staged<Page>("draft")).body, "n" in (await entries.staged("draft"))],
    ["better", false],
  );
  await refusal(entries.discard("draft", { ifMatch: copy }), "revision_mismatch");
  for (const id of ["about", "draft"]) assert.equal(await entries.discard(id), undefined);
  assert.deepEqual((await entries.stagedList()).items, []);
});

test("a preview reads drafts and working copies, is listed without its secret, and revoked", async () => {
  const { manager, world } = clients;
  const { entries, tokens } = manager;
  await entries.create("sketch", { body: "live", visibility: "draft" });
  await entries.stage("sketch", { body: "staged" });
  const expires = new Date(Date.now() + 3_600_000);
  const made = await tokens.previews.create({ paths: ["sketch"], resources: ["entries"], expires_at: expires });
  assert.deepEqual([made.kind, made.paths, made.resources], ["preview", ["sketch"], ["entries"]]);
  const preview = createClient({ url: world.app.url, token: made.token });
  assert.equal((await preview.entries.fetch<Page>("sketch")).body, "staged");
  const [listed] = await tokens.previews.list();
  assert.deepEqual([listed?.id, listed && "token" in listed], [made.id, false]);
  assert.equal(await tokens.previews.revoke(made.id), undefined);
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
  assert.equal((await releases.publish(id, { at: null })).at, undefined);
  assert.equal((await releases.publish(id, { dryRun: true })).state, "open");
  assert.equal((await releases.publish(id)).state, "published");
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
});

test("an entry's earlier contents are listed in pages, read and restored", async () => {
  const { entries } = clients.manager;
  await entries.create("old/page", { title: "Home", body: "first" });
  for (const body of ["second", "third"]) await entries.update("old/page", { body });
  const page = await entries.history("old/page", { limit: 1 });
  const rest = await entries.history("old/page", { cursor: page.cursor });
  const [newest, oldest] = [...page.items, ...rest.items];
  assert.equal(rest.cursor, undefined);
  assert.ok(newest && oldest && newest.revision > oldest.revision);
  assert.equal((await entries.at<Page>("old/page", oldest.revision)).body, "first");
  assert.deepEqual(await entries.at("old/page", newest.revision, { only: ["body"] }), { body: "second" });

  const read = await entries.fetch("old/page");
  const restored = await entries.restore<Page>("old/page", oldest.revision, { ifMatch: read });
  assert.deepEqual([restored.body, restored.uuid], ["first", read.uuid]);
  await entries.update("old/page", { visibility: "hidden" });
  assert.equal((await entries.restore("old/page", oldest.revision)).visibility, "hidden");
  assert.equal((await entries.restore("old/page", oldest.revision, { state: true })).visibility, "visible");
  await refusal(entries.restore("old/page", newest.revision, { ifMatch: read }), "revision_mismatch");
  for (const at of times) {
    assert.equal(await entries.restoreSubtree("old", at), 0);
    assert.equal(await entries.restoreSubtree("old", at, { state: true }), 0);
  }
});

test("a file's and a registry item's earlier states are listed, read and restored", async () => {
  const { files, get, registry } = clients.manager;
  await files.upload("notes", textFile("day.txt", "one"), { title: "Day one" });
  await files.upload("notes", textFile("day.txt", "two!"), { title: "Day two" });
  const [row] = (await files.history("notes/day.txt")).items;
  assert.ok(row);
  assert.equal((await files.at("notes/day.txt", row.revision)).title, "Day one");
  assert.equal(await (await get(files.urlAt("notes/day.txt", row.revision))).text(), "one");
  assert.equal((await files.restore("notes/day.txt", row.revision)).filesize, 3);
  await registry.set("site.motto", ["a"]);
  await registry.set("site.motto", "b");
  await registry.delete("site.motto");
  const [deleted, first] = (await registry.history("site.motto")).items;
  assert.ok(deleted && first);
  assert.deepEqual((await registry.at<string[]>("site.motto", first.revision)).value, ["a"]);
  assert.deepEqual(await registry.restore("site.motto", deleted.revision), { key: "site.motto", value: "b" });
});

test("deleted things are listed, iterated, restored where they were or elsewhere, and purged", async () => {
  const { entries, files, folders, trash } = clients.manager;
  await entries.create("gone", {});
  await files.upload("gone", textFile("a.txt"));
  await entries.delete("gone");
  await files.delete("gone/a.txt");
  await folders.delete("gone");
  const found: string[] = [];
  for await (const { noun, path, count } of trash.each({ search: "GONE", limit: 1 }))
    found.push(`${noun} ${path} ${count}`);
  assert.deepEqual(found, ["folder gone 1", "file gone/a.txt 1", "entry gone 1"]);
  const [entry] = (await trash.list({ noun: "entry", limit: 1 })).items;
  const [, file] = (await trash.list({ search: "gone" })).items;
  assert.ok(entry && file);
  const elsewhere = await trash.restore(entry.id, { newId: "back" });
  assert.deepEqual([elsewhere.path, elsewhere.count], ["back", 1]);
  assert.equal((await trash.restore(file.id)).path, "gone/a.txt");
  for (const { id } of (await trash.list({ search: "gone" })).items) assert.equal(await trash.purge(id), undefined);
  await entries.delete("back", { purge: true });
  await files.delete("gone/a.txt", { purge: true });
  await folders.delete("gone", { purge: true });
  assert.deepEqual((await trash.list()).items, []);
});
