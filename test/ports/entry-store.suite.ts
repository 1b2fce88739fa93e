import assert from "node:assert/strict";
import { before, test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import { isWithin, type Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import type { Entry, EntryInput, EntryState, EntryStore } from "../../src/entry/entry.ts";
import { atEnd, closing, meanwhile } from "../ending.ts";
import { fc } from "../fast-check.ts";
import { isLong, orLong } from "../long.ts";

export type OpenStore = { entries: EntryStore; verify(): Promise<string[]>; close(): Promise<void> };

const at = (nowSeconds: number) => ({ actor: "test", nowSeconds });
const slug = (text: string) => text as Slug;
const input = (data: object, more: Partial<EntryInput> = {}): EntryInput => ({
  data: JSON.stringify(data),
  isMergePatch: false,
  fields: {},
  ...more,
});
const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

/** The contract of every entry store; writes of one transaction: write-group.test.ts. */
export function entryStoreSuite(name: string, open: () => Promise<OpenStore>): void {
  let store: OpenStore;
  let entries: EntryStore;
  before(async () => {
    store = await open();
    entries = store.entries;
  });
  atEnd(() => closing(store, async () => assert.deepEqual(await store.verify(), [])));

  const create = (id: string, data: object = { title: id }) => entries.create(slug(id), input(data), at(1000));
  const find = async (id: string): Promise<Entry | undefined> => entries.find(slug(id));

  test(`${name}: a created entry is read back as returned`, async () => {
    const made = await create("one/created", { title: "T", n: 1 });
    assert.deepEqual(pick(await find("one/created")), pick(made));
    assert.equal(made.data, '{"title":"T","n":1,"content":""}');
    assert.equal(await find("one"), undefined);
  });

  test(`${name}: an id is taken once, even by concurrent creates`, async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => create("one/raced")));
    const failures = results.filter((result) => result.status === "rejected");
    assert.equal(failures.length, 19);
    for (const failure of failures) assert.ok(refused("entry_exists")(failure.reason));
  });

  test(`${name}: a put creates, leaves what is the same, and follows the policy where it differs`, async () => {
    const state: EntryState = {
      ...{ data: '{"n":1.0,"content":""}', fields: { publishedAt: -5 }, fileSeconds: 500, onConflict: "fail" },
      ...{ uuid: "7d1f2a56-2f3f-4d6d-8f52-6a3a4f0e7b22", createdAt: 300, modifiedAt: 400 },
    };
    const put = (more: Partial<EntryState> = {}) => entries.put(slug("put/one"), { ...state, ...more }, at(1000));
    const other = { data: '{"m":2,"content":"x"}', uuid: "7d1f2a56-2f3f-4d6d-8f52-6a3a4f0e7b33", createdAt: 1 };
    assert.equal(await put({ isDryRun: true }), "created");
    assert.equal(await find("put/one"), undefined, "a dry run writes nothing");
    assert.equal(await put(), "created");
    const made = await find("put/one");
    const { uuid, publishedAt, createdAt, modifiedAt, data } = made as Entry;
    assert.deepEqual([uuid, publishedAt, createdAt, modifiedAt, data], [state.uuid, -5, 300, 400, state.data]);
    assert.equal(await put({ uuid: other.uuid, createdAt: 1, fileSeconds: 900 }), "unchanged");
    assert.equal(await put({ ...other, onConflict: "skip" }), "skipped");
    await assert.rejects(put(other), refused("entry_exists"));
    assert.equal(await put({ ...other, onConflict: "replace", isDryRun: true }), "replaced");
    assert.deepEqual(await find("put/one"), made);
    assert.equal(await put({ ...other, onConflict: "replace" }), "replaced");
    const replaced = (await find("put/one")) as Entry;
    const kept = [replaced.uuid, replaced.createdAt, replaced.publishedAt];
    assert.deepEqual(kept, [state.uuid, 300, -5], "a uuid and times stay");
    assert.deepEqual([replaced.data, replaced.modifiedAt], [other.data, 1000]);
    assert.equal(await put({ ...other, modifiedAt: 2000, onConflict: "replace" }), "replaced", "a later time counts");
    await assert.rejects(
      entries.put(
        slug("put/large"),
        { ...state, uuid: other.uuid, maxKeys: 1, data: '{"a":1,"b":2,"content":""}' },
        at(1000),
      ),
      refused("data_too_large"),
    );
    const raced = await Promise.all(
      Array.from({ length: 10 }, () => entries.put(slug("put/raced"), { ...state, uuid: undefined }, at(1000))),
    );
    assert.deepEqual(raced.sort().slice(0, 2), ["created", "unchanged"]);
  });

  test(`${name}: of upserts that race one creates, and each of the others finds what those before it made`, async () => {
    const upsert = (data: object, onConflict: "update" | "replace" | "skip" = "update") =>
      entries.upsert(slug("upsert/raced"), { ...input(data), onConflict }, at(1000));
    const made = await Promise.all(Array.from({ length: 20 }, (_, n) => upsert({ [`k${n}`]: n })));
    assert.equal(made.filter(({ outcome }) => outcome === "created").length, 1);
    assert.equal(made.filter(({ outcome }) => outcome === "updated").length, 19);
    const found = (await find("upsert/raced")) as Entry;
    assert.equal(Object.keys(JSON.parse(found.data)).length, 21);
    assert.equal(new Set(made.map(({ revision }) => revision)).size, 20);
    for (const [data, rule, outcome] of [
      [{ k1: 1 }, "update", "unchanged"],
      [JSON.parse(found.data), "replace", "unchanged"],
      [{ k1: 2 }, "skip", "skipped"],
    ] as const) {
      const same = await upsert(data, rule);
      assert.deepEqual([same.outcome, same.revision], [outcome, found.revision]);
    }
    assert.deepEqual(pick(await find("upsert/raced")), pick(found));
  });

  test(`${name}: children are entries and segments with descendants only, each once, in pages`, async () => {
    const made = ["tree/a", "tree/a-b", "tree/a/x", "tree/a/y/z", "tree/b/deep/er", "tree/b-c/x", "tree/c", "treeless"];
    for (const id of made) await create(id);
    const all = await entries.children(slug("tree"), undefined, 100);
    const shown = all.map(({ slug, entry, hasChildren }) => [slug, entry?.slug === slug, hasChildren]);
    assert.deepEqual(shown, [
      ["tree/a", true, true],
      ["tree/a-b", true, false],
      ["tree/b-c", false, true],
      ["tree/b", false, true],
      ["tree/c", true, false],
    ]);
    const paged: string[] = [];
    for (let page = await entries.children(slug("tree"), undefined, 2); page.length > 0; ) {
      paged.push(...page.map((child) => child.slug));
      page = await entries.children(slug("tree"), slug(paged.at(-1) as string), 2);
    }
    assert.deepEqual(
      paged,
      all.map((child) => child.slug),
    );
    assert.deepEqual(await entries.children(slug("tree/c"), undefined, 100), []);
    const roots = (await entries.children(slug(""), undefined, 100)).map((child) => child.slug);
    assert.ok(roots.includes(slug("tree")) && roots.includes(slug("treeless")));
  });

  test(`${name}: writing a large entry does not block others, and it is found by its first fields`, async () => {
    const wide = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`field${i}`, i]));
    const text = JSON.stringify({ ...wide, content: "" });
    const made = await entries.create(slug("large/one"), input(wide), at(1000));
    assert.equal(made.data, text);
    const updated = await entries.update(slug("large/one"), input({ field7: "seven" }), at(1001));
    assert.equal(updated.data, text.replace('"field7":7', '"field7":"seven"'));
    const moved = await entries.move(slug("large/one"), { newSlug: slug("large/two") }, at(1002));
    assert.equal(moved.data, updated.data);
    for (const [key, value, count] of [
      ["field7", "seven", 1],
      ["field7", "7", 0],
      ["field39999", "39999", 1],
    ] as const) {
      const query = parseCollection(
        slug("large"),
        new Map([
          [
            "where",
            new Map([
              ["key", key],
              ["expr", "eq"],
              ["value", value],
            ]),
          ],
        ]),
        { maxLimit: 10, defaultLimit: 10 },
      );
      const { json } = await entries.list(query, accessOf({ kind: "management" }, 2000));
      assert.equal(JSON.parse(wholeText(json)).length, count, key);
    }
    await entries.delete(slug("large/two"), { to: "trash" }, at(1003));
  });

  test(`${name}: revisions increase and are not reused after a delete`, async () => {
    const first = await create("one/again");
    await entries.delete(slug("one/again"), { to: "trash" }, at(1002));
    const second = await create("one/again");
    assert.ok(second.revision > first.revision);
    assert.notEqual(second.uuid, first.uuid);
  });

  test(`${name}: modified_at never decreases`, async () => {
    await create("one/clock");
    await entries.update(slug("one/clock"), input({ a: 1 }), at(5000));
    const entry = await entries.update(slug("one/clock"), input({ a: 2 }), at(4000));
    assert.equal(entry.modifiedAt, 5000);
  });

  test(`${name}: a move of a subtree is atomic for readers`, {
    timeout: 60_000,
  }, async () => {
    const count = 300;
    await create("from");
    await Promise.all(Array.from({ length: count }, (_, i) => create(`from/${i % 7}/${i}`)));
    const moving = entries.move(slug("from"), { newSlug: slug("to/deep") }, at(2000));
    await meanwhile(moving, async () => {
      const [old, next] = [await find("from/1/1"), await find("to/deep/1/1")];
      assert.ok(old || next, "an entry was nowhere during a move");
    });
    assert.equal(await find("from"), undefined);
    for (let i = 0; i < count; i++) assert.equal((await find(`to/deep/${i % 7}/${i}`))?.modifiedAt, 1000);
  });

  const count = orLong(1000, 10_000);
  test(`${name}: ${count} entries are copied, moved and deleted atomically while reads continue`, {
    timeout: 120_000,
  }, async () => {
    const data = { title: "T", tags: ["a", "b"], year: 1 };
    await create("big");
    for (let from = 0; from < count; from += 1000) {
      await Promise.all(Array.from({ length: 1000 }, (_, i) => create(`big/${(from + i) % 100}/${from + i}`, data)));
    }
    await create("bystander");
    const during = (work: Promise<unknown>): Promise<number> =>
      meanwhile(work, async () => assert.ok(await find("bystander")));
    const total = await entries.count();
    assert.ok((await during(entries.copy(slug("big"), { newSlug: slug("copy") }, at(2000)))) >= 1);
    assert.equal(await entries.count(), total + count + 1);
    assert.ok((await during(entries.move(slug("big"), { newSlug: slug("moved/big") }, at(2000)))) >= 1);
    const last = `big/99/${count - 1}`;
    assert.ok((await find(`moved/${last}`)) && !(await find(last)) && (await find(last.replace("big", "copy"))));
    assert.ok((await during(entries.delete(slug("moved"), { to: "trash" }, at(2000)).catch(() => undefined))) >= 0);
    assert.ok((await during(entries.delete(slug("moved/big"), { to: "trash" }, at(2000)))) >= 1);
    assert.equal(await entries.count(), total);
    await entries.delete(slug("copy"), { to: "trash" }, at(2000));
  });

  test(`${name}: random writes agree with a model, and the store passes verify`, { timeout: 120_000 }, async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40 }), async (operations) => {
        const top = `model${round++}`;
        const model = new Map<string, string>();
        for (const step of operations) await agree(entries, model, top, step);
        for (const [id, title] of model) assert.equal(JSON.parse((await find(id))?.data ?? "{}").title, title);
        if (isLong) assert.deepEqual(await store.verify(), []);
      }),
      { numRuns: orLong(15, 200) },
    );
    assert.deepEqual(await store.verify(), []);
  });
}

const segment = fc.constantFrom("a", "b", "c");
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
const operation = fc.record({
  verb: fc.constantFrom("create", "create", "create", "update", "move", "move", "copy", "delete"),
  from: path,
  to: path,
});

/** Runs one operation on the store and on the model: both refuse it, or both give the same result. */
async function agree(
  entries: EntryStore,
  model: Map<string, string>,
  top: string,
  { verb, from, to }: { verb: string; from: string; to: string },
): Promise<void> {
  const [id, newId] = [slug(`${top}/${from}`), slug(`${top}/${to}`)];
  const expected = predict(model, verb, id, newId);
  const title = `${verb} ${model.size}`;
  const run = (): Promise<unknown> => {
    if (verb === "create") return entries.create(id, input({ title, tags: ["x", from] }), at(1000));
    if (verb === "update") return entries.update(id, input({ title }), at(1000));
    if (verb === "move") return entries.move(id, { newSlug: newId }, at(1000));
    if (verb === "copy") return entries.copy(id, { newSlug: newId }, at(1000));
    return entries.delete(id, { to: "trash" }, at(1000));
  };
  const outcome = await run().then(
    () => "done",
    (error: Problem) => error.code ?? String(error),
  );
  assert.equal(outcome, expected, `${verb} ${id} ${newId}`);
  if (outcome === "done") apply(model, verb, id, newId, title);
}

function predict(model: Map<string, string>, verb: string, id: Slug, newId: Slug): string {
  if (verb === "create") return model.has(id) ? "entry_exists" : "done";
  if (!model.has(id)) return "entry_not_found";
  if (verb === "update" || verb === "delete") return "done";
  if (id === newId) return verb === "move" ? "done" : "entry_exists";
  if (isWithin(newId, id)) return "move_into_itself";
  const moved = [...model.keys()].filter((key) => isWithin(slug(key), id));
  const stays = (key: string) => model.has(key) && !(verb === "move" && moved.includes(key));
  return moved.some((key) => stays(newId + key.slice(id.length))) ? "entry_exists" : "done";
}

function apply(model: Map<string, string>, verb: string, id: Slug, newId: Slug, title: string): void {
  if (verb === "create" || verb === "update") {
    model.set(id, title);
    return;
  }
  const moved = [...model].filter(([key]) => isWithin(slug(key), id));
  if (verb !== "copy") for (const [key] of moved) model.delete(key);
  if (verb !== "delete") for (const [key, value] of moved) model.set(newId + key.slice(id.length), value);
}

const pick = (entry: Entry | undefined) =>
  entry && { slug: entry.slug, uuid: entry.uuid, data: entry.data, revision: entry.revision };
