/** What the first publish of a draft dates, and what keeps its date. Contract §11, Working copies; §4, Copy. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, nowSeconds, sleep } from "./world.ts";

const world = await enter("publish-date");
const id = (name: string): string => world.id(name);
const staged = "/api/entries/staged";

const draft = (name: string, data: object = {}): Promise<Any> => world.create(name, { visibility: "draft", ...data });
const publish = async (name: string, more: object = {}): Promise<Any> =>
  dataOf(await world.write("POST", { id: id(name), ...more }, "/api/entries/publish"));
const patch = async (name: string, data: object): Promise<Any> =>
  dataOf(await world.write("PATCH", { id: id(name), data }));
const stage = async (name: string, data: object, more: object = {}): Promise<Any> =>
  dataOf(await world.write("PATCH", { id: id(name), data, ...more }, staged));
/** Until the clock shows another second. */
async function later(): Promise<void> {
  for (const now = nowSeconds(); nowSeconds() === now; ) await sleep(20);
}
const isNow = (at: number, since: number): void => {
  assert.ok(at >= since && at <= nowSeconds(), `${at} is between ${since} and ${nowSeconds()}`);
};

describe("the first publish of a draft", () => {
  test("dates it, also with a working copy, and in a batch", async () => {
    const made = [await draft("first/a"), await draft("first/b"), await draft("first/c")];
    for (const { published_at, created_at } of made) assert.equal(published_at, created_at);
    await stage("first/b", { title: "staged" });
    await later();
    const since = nowSeconds();
    const [a, b] = [await publish("first/a"), await publish("first/b")];
    const operations = [{ method: "POST", path: "/api/entries/publish", body: { id: id("first/c") } }];
    const [{ data: c }] = dataOf(await world.write("POST", { operations }, "/api/batch"));
    for (const one of [a, b, c]) {
      isNow(one.published_at, since);
      assert.ok(one.published_at > one.created_at);
      assert.equal(one.modified_at, one.published_at);
    }
    assert.equal((await world.entry("first/a")).published_at, a.published_at);
    const newest = { order_by: { field: "published_at", direction: "desc" }, limit: 1 };
    await world.create("first/older", { published_at: made[0].created_at });
    assert.notDeepEqual(await world.list("first", newest, world.tokens.delivery), ["older"]);
  });

  test("leaves the date that a client has set, in the draft or its copy", async () => {
    await draft("set/draft", { published_at: 1_000_000 });
    await draft("set/copy");
    await draft("set/future", { published_at: 4_000_000_000 });
    await stage("set/copy", { published_at: "2001-02-03" });
    assert.equal((await publish("set/draft")).published_at, 1_000_000);
    assert.equal((await publish("set/copy")).published_at, Date.UTC(2001, 1, 3) / 1000);
    assert.equal((await publish("set/future")).published_at, 4_000_000_000);
    assert.equal(await world.statusOf("set/future", world.tokens.delivery), 404);
  });

  test("counts the time of creation as unset, also when a client sends it, and null", async () => {
    const { created_at } = await draft("unset/same", { published_at: 5 });
    await patch("unset/same", { published_at: created_at });
    await draft("unset/null", { published_at: 5 });
    await patch("unset/null", { published_at: null });
    await draft("unset/staged", { published_at: 5 });
    await stage("unset/staged", { published_at: null });
    await later();
    const since = nowSeconds();
    for (const name of ["same", "null", "staged"]) isNow((await publish(`unset/${name}`)).published_at, since);
  });

  test("dates what its copy hides, and not what stays a draft", async () => {
    await draft("kept/hidden");
    const { created_at } = await draft("kept/draft");
    await stage("kept/hidden", { visibility: "hidden" });
    await stage("kept/draft", { visibility: "draft", title: "t" });
    await later();
    const since = nowSeconds();
    const hidden = await publish("kept/hidden");
    assert.equal(hidden.visibility, "hidden");
    isNow(hidden.published_at, since);
    assert.equal((await publish("kept/draft")).published_at, created_at);
    isNow((await publish("kept/draft")).published_at, since);
  });

  test("at its time has the time that was set", async () => {
    await draft("due/alone");
    await draft("due/copy");
    await stage("due/copy", { title: "t" });
    const release = dataOf(await world.write("POST", { title: "due" }, "/api/releases"));
    await world.write("POST", { id: id("due/release"), data: { visibility: "draft" }, release: release.id });
    const at = nowSeconds() + 2;
    for (const name of ["due/alone", "due/copy"]) await publish(name, { at });
    dataOf(await world.write("POST", { id: release.id, at }, "/api/releases/publish"));
    const dates = async () => {
      const each = ["due/alone", "due/copy", "due/release"].map((name) => world.entry(name));
      return (await Promise.all(each)).map(({ visibility, published_at }) => `${visibility} ${published_at}`);
    };
    const expected = Array(3).fill(`visible ${at}`);
    for (let look = 0; look < 50 && (await dates()).join() !== expected.join(); look++) await sleep(200);
    assert.deepEqual(await dates(), expected);
  });

  test("of a release dates its drafts, and undo takes the date back", async () => {
    const release = dataOf(await world.write("POST", { title: "r" }, "/api/releases"));
    await world.write("POST", { id: id("release/a"), data: { visibility: "draft" }, release: release.id });
    const { created_at } = await world.entry("release/a");
    const preview = dataOf(await world.write("POST", { release: release.id }, "/api/tokens/preview"));
    await later();
    const since = nowSeconds();
    isNow(dataOf(await world.read({ id: id("release/a") }, preview.token)).published_at, since);
    dataOf(await world.write("POST", { id: release.id }, "/api/releases/publish"));
    const published = await world.entry("release/a");
    isNow(published.published_at, since);
    dataOf(await world.write("POST", { id: release.id }, "/api/releases/undo"));
    const undone = await world.entry("release/a");
    assert.deepEqual([undone.visibility, undone.published_at], ["draft", created_at]);
    await later();
    dataOf(await world.write("POST", { id: release.id }, "/api/releases/publish"));
    assert.ok((await world.entry("release/a")).published_at > published.published_at);
    await world.write("DELETE", { id: release.id }, "/api/releases");
  });
});

describe("what was ever public keeps its date when it is published again", () => {
  const ways: [what: string, make: (name: string) => Promise<void>][] = [
    ["was created visible", async (name) => void (await world.create(name))],
    ["was created hidden", async (name) => void (await world.create(name, { visibility: "hidden" }))],
    [
      "was made visible by a PATCH",
      async (name) => {
        await draft(name);
        await patch(name, { visibility: "visible" });
      },
    ],
    [
      "became public by its time",
      async (name) => {
        const { created_at } = await world.create(name, { published_at: nowSeconds() + 1 });
        await later();
        await patch(name, { published_at: created_at });
      },
    ],
    [
      "was published",
      async (name) => {
        await draft(name);
        await publish(name);
      },
    ],
  ];
  for (const [i, [what, make]] of ways.entries()) {
    test(`as it ${what}`, async () => {
      const name = `again/${i}`;
      await make(name);
      const { published_at } = await world.entry(name);
      await patch(name, { visibility: "draft" });
      await later();
      assert.equal((await publish(name)).published_at, published_at);
      // Through the trash, a move, and an update.
      await patch(name, { visibility: "draft" });
      await world.write("DELETE", { id: id(name) });
      const [item] = dataOf(await world.read({ noun: "entry", search: id(name) }, undefined, "/api/trash"));
      dataOf(await world.write("POST", { id: item.id }, "/api/trash/restore"));
      dataOf(await world.write("PUT", { id: id(name), new_id: id(`${name}-moved`) }));
      await patch(`${name}-moved`, { title: "t" });
      assert.equal((await publish(`${name}-moved`)).published_at, published_at);
    });
  }

  test("a date ahead that nobody saw is no publication", async () => {
    const { created_at } = await world.create("ahead", { published_at: nowSeconds() + 100_000 });
    await patch("ahead", { visibility: "draft", published_at: null });
    assert.equal((await world.entry("ahead")).published_at, created_at);
    await later();
    assert.ok((await publish("ahead")).published_at > created_at);
  });
});

test("what loses its date is dated again: by null, by a restore of its state", async () => {
  const { created_at } = await draft("lost");
  const [first] = [await publish("lost")];
  assert.ok(first.published_at >= created_at);
  await patch("lost", { published_at: 9 });
  await patch("lost", { visibility: "draft", published_at: null });
  await later();
  const since = nowSeconds();
  isNow((await publish("lost")).published_at, since);
  const rows = dataOf(await world.read({ id: id("lost") }, undefined, "/api/entries/history"));
  const restore = { id: id("lost"), revision: rows.at(-1).revision, state: true };
  const restored = dataOf(await world.write("POST", restore, "/api/entries/restore"));
  assert.deepEqual([restored.visibility, restored.published_at], ["draft", created_at]);
  await later();
  isNow((await publish("lost")).published_at, since + 1);
  // A copy takes the date away, too.
  await patch("lost", { visibility: "draft" });
  await stage("lost", { published_at: null });
  await later();
  isNow((await publish("lost")).published_at, since + 2);
});

test("a PATCH of visibility leaves the date", async () => {
  const { created_at } = await draft("patched");
  await later();
  assert.equal((await patch("patched", { visibility: "visible" })).published_at, created_at);
});

describe("a copy", () => {
  test("of a draft without a date has none either; any other keeps its date", async () => {
    await draft("source", { title: "s" });
    await draft("source/draft");
    await draft("source/dated", { published_at: 7 });
    await world.create("source/live");
    await world.create("source/was");
    await patch("source/was", { visibility: "draft" });
    await later();
    dataOf(await world.write("PUT", { id: id("source"), new_id: id("target") }, "/api/entries/copy"));
    for (const name of ["target", "target/draft", "target/was"]) {
      const { published_at, created_at } = await world.entry(name);
      assert.equal(published_at, created_at, name);
      assert.ok(created_at > (await world.entry(name.replace("target", "source"))).created_at);
    }
    assert.equal((await world.entry("target/dated")).published_at, 7);
    assert.equal((await world.entry("target/live")).published_at, (await world.entry("source/live")).published_at);
    await later();
    // The copy was never public itself.
    const was = await publish("target/was");
    assert.ok(was.published_at > was.created_at);
    const own = await publish("target");
    assert.ok(own.published_at > own.created_at);
  });
});

await allRepliesKeptTheirPromises(world);
