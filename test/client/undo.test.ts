import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gather, refusal, textFile, useClients } from "./service.ts";

/** History and trash: what the client's methods answer and throw. */

const clients = useClients();
const latest = Number.MAX_SAFE_INTEGER;

before(async () => {
  await clients.world.ready;
  const { entries } = clients.manager;
  await entries.create("pages/home", { title: "Home", body: "first" });
  for (const body of ["second", "third"]) await entries.update("pages/home", { body });
});

test("an entry's earlier contents are listed in pages, read and restored", async () => {
  const { entries } = clients.manager;
  const page = await entries.history("pages/home", { limit: 1 });
  const rest = await entries.history("pages/home", { cursor: page.cursor });
  const [newest, oldest] = [...page.items, ...rest.items];
  assert.equal(rest.cursor, undefined);
  assert.ok(newest && oldest && newest.revision > oldest.revision);
  assert.equal((await entries.at<{ body: string }>("pages/home", oldest.revision)).body, "first");
  assert.deepEqual(await entries.at("pages/home", newest.revision, { only: ["body"] }), { body: "second" });

  const read = await entries.fetch("pages/home");
  const restored = await entries.restore<{ body: string }>("pages/home", oldest.revision, { ifMatch: read });
  assert.deepEqual([restored.body, restored.uuid], ["first", read.uuid]);
  await entries.update("pages/home", { visibility: "hidden", routable: false });
  const kept = await entries.restore("pages/home", oldest.revision);
  assert.deepEqual([kept.visibility, kept.routable], ["hidden", false]);
  const whole = await entries.restore("pages/home", oldest.revision, { state: true });
  assert.deepEqual([whole.visibility, whole.routable], ["visible", true]);
  await refusal(entries.restore("pages/home", newest.revision, { ifMatch: read }), "revision_mismatch");
  await refusal(entries.restore("pages/home", 1), "revision_not_found");
  await refusal(entries.at("pages/home", 1), "revision_not_found");
  await refusal(clients.visitor.entries.at("pages/home", newest.revision), "scope_missing");
});

test("a subtree is restored as of a time, as a number, a text or a date", async () => {
  const { entries } = clients.manager;
  for (const at of [4_000_000_000, "2090-01-01", new Date("2090-01-01T12:30:00.5Z")]) {
    assert.equal(await entries.restoreSubtree("pages", at), 0);
    assert.equal(await entries.restoreSubtree("pages", at, { state: true }), 0);
  }
  await refusal(entries.restoreSubtree("pages", "soon"), "argument_invalid");
  await refusal(entries.restoreSubtree("nowhere", "2090-01-01"), "entry_not_found");
});

test("a file's earlier bytes and fields are listed, read and restored", async () => {
  const { files, get } = clients.manager;
  await files.upload("notes", textFile("day.txt", "one"), { title: "Day one" });
  await files.upload("notes", textFile("day.txt", "two!"), { title: "Day two" });
  const [row] = (await files.history("notes/day.txt")).items;
  assert.ok(row);
  const before = await files.at("notes/day.txt", row.revision);
  assert.deepEqual([before.title, before.filesize], ["Day one", 3]);
  assert.equal(await (await get(files.urlAt("notes/day.txt", row.revision))).text(), "one");
  const restored = await files.restore("notes/day.txt", row.revision);
  assert.deepEqual([restored.title, restored.filesize], ["Day one", 3]);
  assert.equal(await (await get(restored.full_url)).text(), "one");
  await refusal(files.history("notes/nowhere.txt"), "file_not_found");
});

test("a registry item's earlier values are read and restored, of a deleted one, too", async () => {
  const { registry } = clients.manager;
  await registry.set("site.motto", ["a"]);
  await registry.set("site.motto", "b");
  await registry.delete("site.motto");
  const [deleted, first] = (await registry.history("site.motto")).items;
  assert.ok(deleted && first);
  assert.deepEqual((await registry.at<string[]>("site.motto", first.revision)).value, ["a"]);
  assert.deepEqual(await registry.restore("site.motto", deleted.revision), { key: "site.motto", value: "b" });
  await refusal(registry.at("site.motto", 1), "revision_not_found");
  assert.deepEqual((await registry.history("site.nothing")).items, []);
});

test("deleted things are listed, iterated, restored where they were or elsewhere, and purged", async () => {
  const { entries, files, folders, trash } = clients.manager;
  await entries.create("old", {});
  const made = await entries.create("old/one", { title: "One" });
  await files.upload("old", textFile("a.txt"));
  await entries.delete("old");
  await files.delete("old/a.txt");
  await folders.delete("old");
  const items = await gather(trash.each({ search: "OLD", limit: 1 }));
  assert.deepEqual(
    items.map(({ noun, path, count }) => [noun, path, count]),
    [
      ["folder", "old", 1],
      ["file", "old/a.txt", 1],
      ["entry", "old", 2],
    ],
  );
  const page = await trash.list({ noun: "entry", limit: 1 });
  const [item] = page.items;
  assert.equal(item?.path, "old");
  const elsewhere = await trash.restore(item.id, { newId: "new" });
  assert.deepEqual([elsewhere.path, elsewhere.count], ["new", 2]);
  assert.equal((await entries.fetch("new/one")).uuid, made.uuid);
  await refusal(trash.restore(item.id), "trash_item_not_found");

  const [folder, file] = items;
  assert.ok(folder && file);
  assert.equal((await trash.restore(file.id)).path, "old/a.txt");
  await refusal(trash.restore(folder.id), "folder_exists");
  await trash.purge(folder.id);
  await refusal(trash.purge(folder.id), "trash_item_not_found");
  await refusal(trash.restore(latest), "trash_item_not_found");
});

test("with `purge` nothing is left in the trash", async () => {
  const { entries, files, folders, trash } = clients.manager;
  await entries.create("gone", {});
  await files.upload("gone", textFile("b.txt"));
  await entries.delete("gone", { purge: true });
  await files.delete("gone/b.txt", { purge: true });
  await folders.delete("gone", { purge: true });
  assert.deepEqual((await trash.list({ search: "gone" })).items, []);
});
