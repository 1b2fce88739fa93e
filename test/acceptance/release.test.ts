/** Working copies and drafts that go live together. Contract, part three, §21. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, nowSeconds, refused, sleep } from "./world.ts";

const world = await enter("release");
const { delivery, management } = world.tokens;
const path = "/api/releases";
const later = 4_000_000_000;

const send = (method: string, to: string, more: object, pair: object = world.pair) =>
  world.send({ method, path: to, json: { ...pair, ...more } });
const made = async (title = "Spring"): Promise<string> => (dataOf(await send("POST", path, { title })) as Any).id;
const stage = (name: string, data: object | undefined, more: object = {}, pair?: object) =>
  send("PATCH", "/api/entries/staged", { id: world.id(name), ...(data && { data }), ...more }, pair);
const draft = (name: string, release: string, data: object = {}, pair?: object) =>
  send("POST", "/api/entries", { id: world.id(name), data: { ...data, visibility: "draft" }, release }, pair);
const publish = (id: string, more: object = {}, pair?: object) =>
  send("POST", `${path}/publish`, { id, ...more }, pair);
const undo = (id: string, pair?: object) => send("POST", `${path}/undo`, { id }, pair);
const get = async (id: string, token?: string): Promise<Any> => dataOf(await world.read({ id }, token, path));
const members = async (id: string, token = management): Promise<string[]> =>
  (dataOf(await world.read({ id }, token, `${path}/entries`)) as Any[]).map((row) =>
    row.id.slice(world.prefix.length + 1),
  );
const publicTitle = async (name: string): Promise<string | number> => {
  const reply = await world.read({ id: world.id(name) }, delivery);
  return reply.status === 200 ? (dataOf(reply) as Any).title : reply.status;
};

/** Published by the service itself: read at the end of the chapter, when its time has come. */
const due = await made("Due");
await world.create("due", { title: "old" });
dataOf(await stage("due", { title: "new" }, { release: due }));
dataOf(await publish(due, { at: nowSeconds() + 2 }));

describe("a release", () => {
  test("has an id, a title, a state, a count, and a time where it has one", async () => {
    const reply = await send("POST", path, { title: "  Spring  " });
    const release = dataOf(reply) as Any;
    assert.deepEqual(release, {
      ...{ id: release.id, title: "Spring", state: "open", count: 0 },
      ...{ created_at: release.created_at, created_by: release.created_by },
    });
    assert.ok(Math.abs(release.created_at - nowSeconds()) < 60);
    assert.equal((dataOf(await send("PATCH", path, { id: release.id, title: "Summer" })) as Any).title, "Summer");
    assert.equal((await get(release.id)).title, "Summer");
    const [newest] = dataOf(await world.read({ limit: 1 }, management, path)) as Any[];
    assert.equal(newest.id, release.id);
    for (const title of ["", " ", "x".repeat(201), "a\nb"])
      refused(await send("POST", path, { title }), 400, "argument_invalid", /title/);
    assert.equal((await send("DELETE", path, { id: release.id })).status, 204);
    for (const reply of [
      await world.read({ id: release.id }, management, path),
      await world.read({ id: release.id }, management, `${path}/entries`),
      await send("PATCH", path, { id: release.id, title: "x" }),
      await send("DELETE", path, { id: release.id }),
      await publish(release.id),
      await undo(release.id),
      await stage("due", undefined, { release: release.id }).then(() => draft("none", release.id)),
    ])
      refused(reply, 404, "release_not_found");
  });

  test("takes copies and drafts, which go live together and come back together", async () => {
    const id = await made();
    await world.create("a", { title: "old" });
    const staged = await stage("a", { title: "new" }, { release: id });
    assert.equal(staged.headers["octavo-release"], id);
    dataOf(await draft("b", id, { title: "born" }));
    assert.deepEqual([await members(id), (await get(id)).count], [["a", "b"], 2]);
    const rows = dataOf(await world.read({ limit: 1000 }, management, "/api/entries/staged/list")) as Any[];
    assert.equal(rows.find((row) => row.id === world.id("a")).release, id);
    assert.deepEqual([await publicTitle("a"), await publicTitle("b")], ["old", 404]);
    const since = await world.newestEvent();
    const published = dataOf(await publish(id)) as Any;
    assert.deepEqual([published.state, published.count], ["published", 2]);
    assert.ok(Math.abs(published.at - nowSeconds()) < 60);
    assert.deepEqual([await publicTitle("a"), await publicTitle("b")], ["new", "born"]);
    const own = (await world.eventsAfter(since)).filter(({ subject }) =>
      [id, world.id("a"), world.id("b")].includes(subject),
    );
    assert.deepEqual(
      own.map(({ kind, count }) => [kind, count]),
      [
        ["release.publish", 2],
        ["entry.publish", 1],
        ["entry.publish", 1],
      ],
    );
    for (const reply of [
      await publish(id),
      await publish(id, { at: later }),
      await publish(id, { at: null }),
      await stage("a", { title: "x" }, { release: id }),
      await draft("c", id),
      await send("PATCH", path, { id, title: "x" }),
    ])
      refused(reply, 409, "release_published");
    assert.equal((dataOf(await undo(id)) as Any).state, "open");
    assert.deepEqual([await publicTitle("a"), await publicTitle("b"), await members(id)], ["old", 404, ["a", "b"]]);
    refused(await undo(id), 409, "release_not_published");
    dataOf(await publish(id));
    await world.write("PATCH", { id: world.id("a"), data: { title: "mended" } });
    refused(await undo(id), 412, "release_changed", new RegExp(world.id("a")));
    assert.deepEqual([await publicTitle("a"), await publicTitle("b")], ["mended", "born"]);
  });

  test("is where a copy is, alone: not published, scheduled or put elsewhere by itself", async () => {
    const [id, other] = [await made(), await made()];
    await world.create("alone", { title: "old" });
    dataOf(await stage("alone", { title: "new" }, { release: id }));
    refused(await stage("alone", undefined, { release: other }), 409, "in_release");
    const single = (more: object = {}) => send("POST", "/api/entries/publish", { id: world.id("alone"), ...more });
    refused(await single(), 409, "in_release", /"release": null/);
    refused(await single({ at: later }), 409, "in_release");
    const out = await stage("alone", undefined, { release: null });
    assert.deepEqual([(dataOf(out) as Any).title, out.headers["octavo-release"]], ["new", undefined]);
    assert.deepEqual(await members(id), []);
    refused(await publish(id), 409, "nothing_staged");
    dataOf(await stage("alone", undefined, { release: other }));
    assert.equal((await send("DELETE", path, { id: other })).status, 204);
    assert.equal((dataOf(await single()) as Any).title, "new");
    refused(await stage("alone", undefined, { release: id }), 409, "nothing_staged");
    refused(await stage("alone", undefined, {}), 400, "argument_missing", /data/);
    refused(await stage("alone", {}, { release: 7 }), 400, "argument_invalid", /release/);
    // A form has no null: an empty text, or the word, takes out.
    for (const none of ["", "null"]) {
      const inForm = (method: string, to: string, form: object) =>
        world.send({ method, path: to, form: { ...world.pair, ...form } });
      await world.create(`form-${none}`, { title: "old" });
      dataOf(await stage(`form-${none}`, { title: "new" }, { release: id }));
      dataOf(await publish(id, { at: later }));
      assert.equal((dataOf(await inForm("POST", `${path}/publish`, { id, at: none })) as Any).state, "open");
      dataOf(await inForm("PATCH", "/api/entries/staged", { id: world.id(`form-${none}`), release: none }));
      assert.deepEqual(await members(id), []);
    }
    refused(await stage("form-null", {}, { release: "" }), 404, "release_not_found");
    const live = await send("POST", "/api/entries", { id: world.id("live"), data: {}, release: id });
    refused(live, 400, "argument_invalid", /"release"/);
    assert.equal(await world.statusOf("live"), 404);
  });

  test("is frozen while it is scheduled", async () => {
    const id = await made();
    await world.create("frozen", { title: "old" });
    await world.create("frozen-2", { title: "old" });
    dataOf(await stage("frozen", { title: "new" }, { release: id }));
    const scheduled = dataOf(await publish(id, { at: later })) as Any;
    assert.deepEqual([scheduled.state, scheduled.at, scheduled.count], ["scheduled", later, 1]);
    for (const reply of [
      await stage("frozen", { title: "x" }),
      await stage("frozen", undefined, { release: null }),
      await stage("frozen-2", { title: "x" }, { release: id }),
      await draft("frozen-3", id),
      await send("DELETE", "/api/entries/staged", { id: world.id("frozen") }),
      await send("DELETE", path, { id }),
      await publish(id),
      await publish(id, { at: later + 1 }),
    ])
      refused(reply, 409, "publish_scheduled", /4000000000/);
    const open = dataOf(await publish(id, { at: null })) as Any;
    assert.deepEqual([open.state, "at" in open], ["open", false]);
    assert.equal((dataOf(await publish(id, { at: nowSeconds() - 60 })) as Any).state, "published");
  });

  test("is left by who may only stage, as a copy is dropped: only with what is theirs alone", async () => {
    const stager = await world.token({ kind: "management", resources: ["entries"], writes: "staged" });
    const pair = { ...world.pair, token: stager.token };
    const id = await made();
    const leave = { release: null };
    await world.create("left/hers", { title: "live" });
    await world.create("left/mixed", { title: "live" });
    dataOf(await stage("left/hers", { title: "hers" }, { release: id }));
    dataOf(await stage("left/mixed", { title: "hers" }, { release: id }));
    dataOf(await stage("left/mixed", { n: 1 }, {}, pair));
    dataOf(await draft("left/draft", id));
    dataOf(await draft("left/touched", id));
    // Neither a change of nothing nor one of a key makes an empty copy one's own.
    dataOf(await stage("left/draft", {}, {}, pair));
    dataOf(await stage("left/touched", { n: 1 }, {}, pair));
    const form = (name: string) => ({ ...pair, id: world.id(name), release: "" });
    const operation = (name: string) => ({
      ...{ method: "PATCH", path: "/api/entries/staged" },
      body: { id: world.id(name), release: null },
    });
    for (const name of ["left/hers", "left/mixed", "left/draft", "left/touched"]) {
      for (const reply of [
        await stage(name, undefined, leave, pair),
        await stage(name, { n: 2 }, leave, pair),
        await world.send({ method: "PATCH", path: "/api/entries/staged", form: form(name) }),
        await send("DELETE", "/api/entries/staged", { id: world.id(name) }, pair),
        await send("POST", "/api/batch", { operations: [operation(name)] }, pair),
      ])
        refused(reply, 403, "scope_missing");
    }
    refused(await send("DELETE", "/api/entries/staged", { id: world.id("left/touched"), keys: ["n"] }, pair), 403);
    assert.equal((await get(id)).count, 4);
    dataOf(await draft("left/own", id, {}, pair));
    await world.create("left/mine", {});
    dataOf(await stage("left/mine", { title: "mine" }, { release: id }, pair));
    for (const name of ["left/own", "left/mine"]) dataOf(await stage(name, undefined, leave, pair));
    assert.equal((await get(id)).count, 4);
    for (const name of ["left/hers", "left/draft"]) dataOf(await stage(name, undefined, leave));
    assert.equal((await get(id)).count, 2);
  });

  test("of wrong data changes nothing, and names every entry", async () => {
    const id = await made();
    const type = `release-${world.prefix.slice(-8)}`;
    const schema = { type: "object", required: ["title"], properties: { title: { type: "string" } } };
    dataOf(
      await world.write(
        "PUT",
        { id: type, title: "T", paths: [`${world.prefix}/typed/*`], schema, mode: "enforce" },
        "/api/types",
      ),
    );
    dataOf(await draft("typed/a", id));
    dataOf(await draft("typed/b", id, { title: "good" }));
    dataOf(await draft("typed/c", id));
    for (const more of [{}, { dry_run: true }, { at: later }]) {
      const reply = await publish(id, more);
      refused(reply, 422, "release_invalid");
      const { entries } = JSON.parse(reply.text) as Any;
      assert.deepEqual(
        entries.map((entry: Any) => [entry.id, entry.code, entry.faults[0].pointer]),
        ["typed/a", "typed/c"].map((name) => [world.id(name), "data_invalid", "/title"]),
      );
    }
    assert.deepEqual([await publicTitle("typed/b"), (await get(id)).state], [404, "open"]);
    for (const name of ["typed/a", "typed/c"]) dataOf(await stage(name, { title: "mended" }));
    assert.equal((dataOf(await publish(id, { dry_run: true })) as Any).state, "open");
    assert.equal((dataOf(await publish(id)) as Any).count, 3);
    await world.write("DELETE", { id: type }, "/api/types");
  });

  test("is seen by a preview, and nothing else that is not public", async () => {
    const [id, other] = [await made(), await made()];
    await world.create("site/a", { title: "old", n: 1 });
    await world.create("site/b", { title: "old", n: 2 });
    await world.create("site/d", { title: "draft", visibility: "draft" });
    dataOf(await stage("site/a", { title: "new", n: 3 }, { release: id }));
    dataOf(await stage("site/b", { title: "hers" }, { release: other }));
    dataOf(await draft("site/c", id, { title: "born", n: 0 }));
    const preview = "/api/tokens/preview";
    refused(await send("POST", preview, { release: "nowhere" }), 404, "release_not_found", /"release"/);
    const { token, release } = dataOf(await send("POST", preview, { release: id })) as Any;
    assert.equal(release, id);
    const kinds = { kind: "delivery", resources: ["entries"], release: id };
    refused(await send("POST", "/api/tokens", kinds), 400, "argument_invalid", /release/);
    const seen = async (name: string) => {
      const reply = await world.read({ id: world.id(name) }, token);
      return reply.status === 200 ? [(dataOf(reply) as Any).title, (dataOf(reply) as Any).visibility] : reply.status;
    };
    assert.deepEqual(await Promise.all(["site/a", "site/b", "site/c", "site/d"].map(seen)), [
      ...[["new", "visible"], ["old", "visible"], ["born", "visible"], 404],
    ]);
    const query = {
      id: world.id("site"),
      filter: { order_by: { field: "n", direction: "desc" } },
      options: { collection: true },
    };
    const titles = async (by: string) =>
      (dataOf(await world.read(query, by)) as Any[]).map((entry) => [entry.title, entry.n]);
    const before = await titles(token);
    assert.deepEqual(before, [
      ["new", 3],
      ["old", 2],
      ["born", 0],
    ]);
    dataOf(await publish(id));
    assert.deepEqual(await titles(delivery), before);
    assert.deepEqual(await titles(token), before);
    dataOf(await undo(id));
    assert.equal((await send("DELETE", path, { id })).status, 204);
    assert.deepEqual(await titles(token), await titles(delivery));
  });
});

describe("who may", () => {
  test("stage into a release makes one; publishing, undoing and deleting need live writes, and all of its entries", async () => {
    const issue = async (more: object) => ({
      token: (await world.token({ kind: "management", resources: ["entries"], ...more })).token,
      access_token: world.pair.access_token,
    });
    const author = await issue({ writes: "staged" });
    const part = await issue({ paths: [world.id("mine")] });
    const { id } = dataOf(await send("POST", path, { title: "Hers" }, author)) as Any;
    dataOf(await draft("mine/a", id, {}, author));
    dataOf(await draft("other/b", id));
    for (const reply of [
      await publish(id, {}, author),
      await undo(id, author),
      await send("DELETE", path, { id }, author),
      await send("PATCH", path, { id, title: "x" }, author),
    ])
      refused(reply, 403, "scope_missing");
    assert.deepEqual([(await get(id, part.token)).count, await members(id, part.token)], [1, ["mine/a"]]);
    for (const reply of [
      await publish(id, {}, part),
      await publish(id, { at: later }, part),
      await send("DELETE", path, { id }, part),
    ]) {
      refused(reply, 403, "scope_missing");
      assert.doesNotMatch(reply.text, /other/);
    }
    dataOf(await publish(id));
    refused(await undo(id, part), 403, "scope_missing");
    refused(await world.read({}, delivery, path), 403, "scope_missing");
  });

  test("staging and drafts of a batch go into a release; a repeated publish is answered as the first", async () => {
    const id = await made();
    await world.create("batch", { title: "old" });
    const operations = [
      {
        method: "PATCH",
        path: "/api/entries/staged",
        body: { id: world.id("batch"), data: { title: "new" }, release: id },
      },
      {
        method: "POST",
        path: "/api/entries",
        body: { id: world.id("batch/b"), data: { visibility: "draft" }, release: id },
      },
    ];
    dataOf(await send("POST", "/api/batch", { operations }));
    assert.deepEqual(await members(id), ["batch", "batch/b"]);
    const once = () =>
      world.send({
        ...{ method: "POST", path: `${path}/publish`, json: { ...world.pair, id } },
        headers: { "Idempotency-Key": `release-${id}` },
      });
    const [first, second] = [await once(), await once()];
    assert.equal(first.text, second.text);
    assert.equal(second.headers["idempotent-replayed"], "true");
  });
});

test("what is due is published once", async () => {
  for (let waits = 0; (await publicTitle("due")) === "old" && waits < 100; waits++) await sleep(100);
  assert.deepEqual([await publicTitle("due"), (await get(due)).state], ["new", "published"]);
});

allRepliesKeptTheirPromises(world);
