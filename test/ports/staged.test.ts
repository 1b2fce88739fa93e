import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, type EntryInput, formatEntry } from "../../src/domain/entry.ts";
import type { Slug } from "../../src/domain/path.ts";
import { stagedTag } from "../../src/domain/staged.ts";
import { onEachEngine } from "./engines.ts";

/** Working copies of entries. Contract, part two, §11. */

onEachEngine(async (store) => {
  const { entries, staged, trash } = store;
  let now = 1000;
  const by = (actor = "test") => ({ actor, nowSeconds: now });
  const input = (data: object, fields: EntryInput["fields"] = {}, isMergePatch = false): EntryInput => ({
    ...{ data: JSON.stringify(data), isMergePatch, fields },
  });
  const slug = (id: string) => id as Slug;
  const create = (id: string, data: object = {}, fields: EntryInput["fields"] = {}) =>
    entries.create(slug(id), input(data, fields), by());
  const stage = (id: string, data: object, fields: EntryInput["fields"] = {}, isMergePatch = false) =>
    staged.stage(slug(id), input(data, fields, isMergePatch), undefined, by("editor"));
  const find = async (id: string) => (await entries.find(slug(id))) as Entry;
  const view = async (id: string) => (await staged.find(slug(id)))?.entry as Entry;
  const publish = (id: string, ifMatch?: string) => staged.publish(slug(id), ifMatch, by("publisher"));
  const newestOf = async (id: string) =>
    (await store.events.listBefore(undefined, 20)).find(({ subject }) => subject === id);
  const newest = async () => (await store.events.listBefore(undefined, 1))[0];

  test("staging changes nothing that is live; the view has the copy laid over", async () => {
    const live = await create("one", { title: "a", keep: 1, gone: true, content: "c" });
    const before = await find("one");
    now += 5;
    await stage("one", { title: "b", more: [1.0] }, { visibility: "hidden" });
    const after = await stage("one", { gone: null, nested: { x: 1 } }, {}, true);
    const { stagedRevision, ...rest } = await find("one");
    const { stagedRevision: none, ...restBefore } = before;
    assert.deepEqual([none, rest], [null, restBefore]);
    assert.equal(formatEntry(await find("one")), formatEntry(live));
    const expected = { ...live, visibility: "hidden" as const };
    const data = '{"title":"b","keep":1,"content":"c","more":[1],"nested":{"x":1}}';
    assert.equal(formatEntry(await view("one")), formatEntry({ ...expected, data }));
    assert.equal(formatEntry(after.entry), formatEntry({ ...expected, data }));
    assert.equal(stagedRevision, after.copy?.revision);
    const event = await newest();
    assert.deepEqual([event?.kind, event?.subject, event?.actor], ["entry.stage", "one", "editor"]);
  });

  test("the copy is laid over the entry as that is at the moment", async () => {
    await create("moment", { a: 1, b: 1 });
    await stage("moment", { a: 2 });
    await entries.update(slug("moment"), input({ a: 9, b: 9, c: 9 }), undefined, by());
    assert.equal((await view("moment")).data, '{"a":2,"b":9,"content":"","c":9}');
  });

  test("publishing applies the copy in one event, and keeps what was live in the history", async () => {
    const created = await create("live", { n: 1 }, { publishedAt: 500 });
    await stage("live", { n: 2 });
    now += 5;
    const published = await publish("live");
    assert.deepEqual([published.data, published.publishedAt, published.modifiedAt], ['{"n":2,"content":""}', 500, now]);
    assert.equal(published.stagedRevision, null);
    assert.deepEqual((await newest())?.kind, "entry.publish");
    assert.equal((await newest())?.sequence, published.revision);
    assert.equal((await find("live")).data, published.data);
    const rows = await store.history.list({ noun: "entry", thing: created.uuid }, undefined, 9);
    assert.deepEqual(
      rows.map(({ revision }) => revision),
      [created.revision],
    );
    await assert.rejects(publish("live"), { code: "nothing_staged" });
  });

  test("a draft is published without a copy, and becomes visible unless its copy says otherwise", async () => {
    await create("draft", {}, { visibility: "draft" });
    assert.equal((await publish("draft")).visibility, "visible");
    await create("draft-2", {}, { visibility: "draft" });
    await stage("draft-2", { n: 1 }, { visibility: "hidden" });
    assert.equal((await publish("draft-2")).visibility, "hidden");
    await create("draft-3", {}, { visibility: "draft" });
    await stage("draft-3", { n: 1 });
    assert.equal((await view("draft-3")).visibility, "draft");
    assert.equal((await publish("draft-3")).visibility, "visible");
  });

  test("conditions name both states", async () => {
    await create("if", { n: 1 });
    const first = `"${stagedTag(await view("if"))}"`;
    const { entry } = await staged.stage(slug("if"), input({ n: 2 }), first, by());
    const second = `"${stagedTag(entry)}"`;
    await assert.rejects(staged.stage(slug("if"), input({ n: 3 }), first, by()), { code: "revision_mismatch" });
    await entries.update(slug("if"), input({ m: 1 }), undefined, by());
    for (const write of [
      () => staged.stage(slug("if"), input({ n: 3 }), second, by()),
      () => staged.publish(slug("if"), second, by()),
      () => staged.discard(slug("if"), second, by()),
      () => staged.schedule(slug("if"), 9e9, second, by()),
    ])
      await assert.rejects(write(), { code: "revision_mismatch" });
    await assert.rejects(entries.update(slug("if"), input({}), `"${stagedTag(await view("if"))}"`, by()), {
      code: "revision_mismatch",
    });
    await publish("if", `"${stagedTag(await view("if"))}"`);
  });

  test("a copy is dropped, and goes where its entry goes", async () => {
    await create("a", { n: 1 });
    await create("a/b", { n: 1 });
    await stage("a/b", { n: 2 });
    await entries.move(slug("a"), slug("moved"), undefined, by());
    assert.equal((await view("moved/b")).data, '{"n":2,"content":""}');
    await entries.copy(slug("moved"), slug("copied"), undefined, by());
    assert.equal((await view("copied/b")).data, '{"n":1,"content":""}');
    assert.deepEqual((await staged.list(slug("moved"), 10)).map((row) => row.slug).slice(0, 1), ["moved/b"]);
    await entries.delete(slug("moved"), undefined, by());
    assert.deepEqual(await store.verify(), []);
    const [item] = await trash.list({ nouns: ["entry"], before: undefined, limit: 1 });
    await trash.restore(item?.id ?? 0, slug("back"), [], by());
    assert.equal((await view("back/b")).data, '{"n":2,"content":""}');
    assert.deepEqual(await store.verify(), []);
    await staged.discard(slug("back/b"), undefined, by());
    assert.equal((await view("back/b")).data, '{"n":1,"content":""}');
    await assert.rejects(staged.discard(slug("back/b"), undefined, by()), { code: "nothing_staged" });
    await stage("back/b", { n: 3 });
    await entries.delete(slug("back"), undefined, by(), true);
    await trash.clear(now);
    assert.deepEqual(await store.verify(), []);
  });

  test("a scheduled copy is frozen, and is published once when its time has come, as who scheduled it", async () => {
    await create("later", { n: 1 });
    await stage("later", { n: 2 });
    await staged.schedule(slug("later"), now + 100, undefined, by("scheduler"));
    for (const write of [
      () => stage("later", { n: 3 }),
      () => publish("later"),
      () => staged.discard(slug("later"), undefined, by()),
      () => staged.schedule(slug("later"), now + 200, undefined, by()),
    ])
      await assert.rejects(write(), { code: "publish_scheduled" });
    assert.equal(await staged.publishDue(now + 99), 0);
    assert.equal((await find("later")).data, '{"n":1,"content":""}');
    await entries.move(slug("later"), slug("later-moved"), undefined, by());
    const outcomes = await Promise.all([staged.publishDue(now + 100), staged.publishDue(now + 3600)]);
    assert.deepEqual(outcomes.toSorted(), [0, 1]);
    assert.equal((await find("later-moved")).data, '{"n":2,"content":""}');
    const event = await newest();
    assert.deepEqual([event?.kind, event?.actor], ["entry.publish", "scheduler"]);
  });

  test("a time is taken back; a draft without changes is scheduled, too", async () => {
    await create("unscheduled", {}, { visibility: "draft" });
    await staged.schedule(slug("unscheduled"), now + 10, undefined, by());
    await staged.schedule(slug("unscheduled"), null, undefined, by());
    assert.equal(await staged.publishDue(now + 1000), 0);
    const { sequence } = (await newest()) ?? {};
    await staged.schedule(slug("unscheduled"), null, undefined, by());
    assert.equal((await newest())?.sequence, sequence);
    await stage("unscheduled", { n: 1 });
    await staged.schedule(slug("unscheduled"), now + 10, undefined, by());
    assert.equal(await staged.publishDue(now + 10), 1);
    assert.equal((await find("unscheduled")).visibility, "visible");
    await assert.rejects(staged.schedule(slug("unscheduled"), now, undefined, by()), { code: "nothing_staged" });
  });

  test("limits hold for the result, and nothing is staged", async () => {
    await create("limit", { big: "x".repeat(600_000) });
    await assert.rejects(stage("limit", { more: "y".repeat(600_000) }), { code: "data_too_large" });
    assert.equal((await find("limit")).stagedRevision, null);
    await assert.rejects(stage("nowhere", {}), { code: "entry_not_found" });
  });

  test("what a live change made too large is refused when it is published, and stays staged", async () => {
    await create("grown", { live: "x".repeat(600_000) });
    await stage("grown", { more: "y".repeat(300_000) });
    await staged.schedule(slug("grown"), now + 10, undefined, by());
    await create("due-too", { n: 1 });
    await stage("due-too", { n: 2 });
    await staged.schedule(slug("due-too"), now + 20, undefined, by());
    await entries.update(slug("grown"), input({ late: "z".repeat(300_000) }), undefined, by());
    assert.equal(await staged.publishDue(now + 30), 1);
    assert.equal((await find("due-too")).data, '{"n":2,"content":""}');
    const failed = await newestOf("grown");
    assert.deepEqual([failed?.kind, failed?.sequence], ["entry.publish_failed", (await find("grown")).stagedRevision]);
    assert.equal(await staged.publishDue(now + 60), 0);
    await assert.rejects(publish("grown"), { code: "data_too_large" });
    assert.equal((await view("grown")).data.length > 1_200_000, true);
    await entries.update(slug("grown"), input({ live: null }, {}, true), undefined, by());
    assert.equal((await publish("grown")).data.length < 700_000, true);
  });

  test("the store is whole", async () => assert.deepEqual(await store.verify(), []));
});
