/** Changes that are not live yet, and their publication. Contract, part two, §11, Working copies. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atEnd } from "../ending.ts";
import type { Reply } from "./client.ts";
import {
  type Any,
  allRepliesKeptTheirPromises,
  dataOf,
  enter,
  nowSeconds,
  refused,
  sleep,
  table,
  tagOf,
} from "./world.ts";

const world = await enter("staged");
const { delivery, management } = world.tokens;
const path = "/api/entries/staged";
const later = 4_000_000_000;
const mergePatch = "application/merge-patch+json";

const view = (name: string) => world.read({ id: world.id(name) }, management, path);
const viewOf = async (name: string): Promise<Any> => dataOf(await view(name));
const call = (method: string, to: string, name: string, more: object = {}, headers: Record<string, string> = {}) =>
  world.send({ method, path: to, json: { ...world.pair, id: world.id(name), ...more }, headers });
const stage = (name: string, data: object, headers = {}) => call("PATCH", path, name, { data }, headers);
const stagePatch = (name: string, data: object) =>
  world.send({ method: "PATCH", path, type: mergePatch, json: { ...world.pair, id: world.id(name), data } });
const discard = (name: string, headers = {}) => call("DELETE", path, name, {}, headers);
const publish = (name: string, more = {}, headers = {}) => call("POST", "/api/entries/publish", name, more, headers);
const stagedHeader = async (name: string) => (await world.read({ id: world.id(name) })).headers["octavo-staged"];
const listed = async (): Promise<Any[]> => {
  const rows = dataOf(await world.read({ limit: 1000 }, management, `${path}/list`)) as Any[];
  return rows.filter(({ id }) => id.startsWith(`${world.prefix}/`));
};
const events = async (since: number, name: string) => {
  const all = await world.eventsAfter(since);
  return all.filter(({ subject }) => subject === world.id(name)).map(({ kind, count }) => [kind, count]);
};

/** Published by the service itself: read when its time has come, before whole lists are compared. */
const start = await world.newestEvent();
await world.create("due", { title: "old" });
dataOf(await stage("due", { title: "new" }));
dataOf(await publish("due", { at: nowSeconds() + 2 }));

describe("staging", () => {
  /** Bytes and headers of everything that shows the entry, which is alone in its section, without what differs each time. */
  async function shown(name: string): Promise<unknown[]> {
    const section = world.id(name.slice(0, name.lastIndexOf("/")));
    const reads: [query: object, token: string, path: string][] = [];
    for (const query of [
      { id: world.id(name) },
      { id: section, filter: { where: { key: "n", expr: "eq", value: 1 } } },
    ]) {
      for (const token of [delivery, management]) reads.push([query, token, "/api/entries"]);
      reads.push([query, delivery, "/api/delivery/entries"], [query, management, "/api/management/entries"]);
    }
    reads.push([{ id: section }, management, "/api/management/entries/children"]);
    const replies = await Promise.all(reads.map(([query, token, at]) => world.read({ ...query }, token, at)));
    return replies.map(({ status, text, headers }: Reply) => {
      const names = ["etag", "last-modified", "cache-control", "link", "content-type", "vary"];
      return [status, text, ...names.map((one) => headers[one])];
    });
  }

  test("changes no byte, ETag or time of any read; publishing does", async () => {
    await world.create("alone/same", { n: 1, title: "a" });
    const before = await shown("alone/same");
    await sleep(1100);
    dataOf(await stage("alone/same", { n: 2, title: "b", visibility: "hidden", published_at: 500 }));
    assert.deepEqual(await shown("alone/same"), before);
    dataOf(await publish("alone/same", { at: later }));
    assert.deepEqual(await shown("alone/same"), before);
    dataOf(await publish("alone/same", { at: null }));
    assert.equal((await discard("alone/same")).status, 204);
    assert.deepEqual(await shown("alone/same"), before);
    dataOf(await stage("alone/same", { title: "b" }));
    dataOf(await publish("alone/same"));
    const after = await shown("alone/same");
    // The tree of entries shows the title, too.
    for (const [i, reply] of after.entries()) assert.notDeepEqual(reply, before[i]);
  });

  test("management reads name the copy's revision, delivery reads and other entries nothing", async () => {
    await world.create("header", {});
    assert.equal(await stagedHeader("header"), undefined);
    const since = await world.newestEvent();
    const reply = await stage("header", { n: 2 });
    const revision = Number(reply.headers["octavo-staged"]);
    assert.ok(revision > since);
    const query = { id: world.id("header") };
    for (const [token, at, expected] of [
      [management, "/api/entries", String(revision)],
      [management, "/api/management/entries", String(revision)],
      [management, path, String(revision)],
      [management, "/api/delivery/entries", undefined],
      [delivery, "/api/entries", undefined],
      [delivery, "/api/delivery/entries", undefined],
    ] as const) {
      assert.equal((await world.read(query, token, at)).headers["octavo-staged"], expected, at);
    }
    const projected = await world.read({ ...query, options: { filter: { only: ["n"] } } });
    assert.equal(projected.headers["octavo-staged"], String(revision));
    const unchanged = await world.send({
      path: "/api/entries",
      query: { ...query, token: management },
      headers: { "if-none-match": await world.etag("header") },
    });
    assert.deepEqual([unchanged.status, unchanged.headers["octavo-staged"]], [304, String(revision)]);
    assert.deepEqual(await events(since, "header"), [["entry.stage", 1]]);
    await discard("header");
    assert.equal(await stagedHeader("header"), undefined);
    assert.deepEqual((await events(since, "header")).at(-1), ["entry.discard", 1]);
  });

  test("changes lie over the entry as it is now, key by key", async () => {
    const live = await world.create("over", { a: 1, b: { x: 1, y: 1 }, c: 1 });
    dataOf(await stage("over", { a: 2, modified_at: 1, uuid: "mine" }));
    dataOf(await stagePatch("over", { b: { y: null, z: 2 }, c: null }));
    const { c: _, ...rest } = live;
    assert.deepEqual(await viewOf("over"), { ...rest, a: 2, b: { x: 1, z: 2 } });
    dataOf(await world.write("PATCH", { id: world.id("over"), data: { a: 9, d: 9 } }));
    const after = await viewOf("over");
    assert.deepEqual([after.a, after.d], [2, 9]);
    dataOf(await stage("over", { c: null, created_by: "editor" }));
    assert.deepEqual([(await viewOf("over")).c, (await viewOf("over")).created_by], [null, "editor"]);
    assert.equal((await world.entry("over")).created_by, "");
  });

  test("an entry without a copy is answered as it is", async () => {
    const live = await world.create("plain", { n: 1 });
    assert.deepEqual(await viewOf("plain"), live);
    const reply = await view("plain");
    assert.equal(reply.headers["octavo-staged"], undefined);
    assert.equal(reply.headers["cache-control"], "private, no-cache");
    assert.notEqual(tagOf(reply), await world.etag("plain"));
  });

  test("what is refused stages nothing", async () => {
    await world.create("whole", { big: "x".repeat(600_000) });
    refused(await stage("whole", { more: "y".repeat(600_000) }), 413, "data_too_large");
    refused(await stage("whole", { visibility: "secret" }), 400, "field_invalid", /visibility/);
    refused(await stage("whole", { published_at: "soon" }), 400, "field_invalid", /published_at/);
    assert.equal(await stagedHeader("whole"), undefined);
  });
});

describe("If-Match", () => {
  const writes: Record<string, (headers: Record<string, string>) => Promise<Reply>> = {
    stage: (headers) => stage("if", { n: 3 }, headers),
    publish: (headers) => publish("if", {}, headers),
    schedule: (headers) => publish("if", { at: later }, headers),
    unschedule: (headers) => publish("if", { at: null }, headers),
    discard: (headers) => discard("if", headers),
  };
  test("names both states: a change of either is 412 on every write", async () => {
    await world.create("if", { n: 1 });
    const tags = [tagOf(await view("if")), await world.etag("if")];
    tags.push(tagOf(await stage("if", { n: 2 })));
    await world.write("PATCH", { id: world.id("if"), data: { other: true } });
    tags.push(await world.etag("if"));
    for (const tag of tags)
      for (const write of Object.values(writes)) refused(await write({ "if-match": tag }), 412, "revision_mismatch");
    const current = tagOf(await view("if"));
    refused(
      await world.send({
        method: "PATCH",
        path: "/api/entries",
        json: { ...world.pair, id: world.id("if"), data: {} },
        headers: { "if-match": current },
      }),
      412,
      "revision_mismatch",
    );
    const staged = await stage("if", { n: 4 }, { "if-match": current });
    assert.equal(tagOf(staged), tagOf(await view("if")));
    const published = await publish("if", {}, { "if-match": `"other", ${tagOf(staged)}` });
    assert.equal(dataOf(published).n, 4);
    assert.equal(tagOf(published), await world.etag("if"));
    refused(await stage("if", { n: 5 }, { "if-match": tagOf(staged) }), 412, "revision_mismatch");
    dataOf(await stage("if", { n: 5 }, { "if-match": "*" }));
  });
});

describe("publishing", () => {
  test("applies the copy in one event, once, and keeps what was live in the history", async () => {
    const first = await world.create("live", { n: 1, gone: true, published_at: 500 });
    dataOf(await stagePatch("live", { n: 2, gone: null }));
    const expected = await viewOf("live");
    const since = await world.newestEvent();
    const published = dataOf(await publish("live"));
    assert.deepEqual({ ...published, modified_at: 0 }, { ...expected, modified_at: 0 });
    assert.deepEqual([published.published_at, published.uuid, published.gone], [500, first.uuid, undefined]);
    assert.deepEqual(dataOf(await world.read({ id: world.id("live") }, delivery)), published);
    assert.deepEqual(await events(since, "live"), [["entry.publish", 1]]);
    const history = dataOf(await world.read({ id: world.id("live") }, management, "/api/entries/history"));
    assert.equal(history.length, 1);
    refused(await publish("live"), 409, "nothing_staged", /live/);
    refused(await discard("live"), 409, "nothing_staged");
    assert.deepEqual(await world.list("", { where: { key: "n", expr: "eq", value: 2 }, only: ["slug"] }, delivery), [
      "live",
    ]);
  });

  const drafts: [name: string, live: object, staged: object | undefined, visibility: string, at?: number][] = [
    ["draft", { visibility: "draft" }, undefined, "visible"],
    ["draft-changed", { visibility: "draft" }, { n: 1 }, "visible"],
    ["draft-hidden", { visibility: "draft" }, { visibility: "hidden" }, "hidden"],
    ["draft-draft", { visibility: "draft" }, { visibility: "draft", n: 1 }, "draft"],
    ["hidden", { visibility: "hidden" }, { n: 1 }, "hidden"],
    ["retracted", {}, { visibility: "draft" }, "draft"],
    ["dated", {}, { published_at: "2001-09-09 01:46:40" }, "visible", 1_000_000_000],
  ];
  for (const [name, live, staged, visibility, at] of drafts) {
    test(`${name}: ${JSON.stringify(staged ?? "no copy")} makes it ${visibility}`, async () => {
      const { published_at } = await world.create(name, { ...live });
      if (staged) dataOf(await stage(name, staged));
      const published = dataOf(await publish(name));
      const isFirst = "visibility" in live && live.visibility === "draft" && visibility !== "draft";
      const date = isFirst ? published.modified_at : published_at;
      assert.deepEqual([published.visibility, published.published_at], [visibility, at ?? date]);
      assert.equal(await world.statusOf(name, delivery), visibility === "draft" ? 404 : 200);
    });
  }

  for (const at of [1, "2020-01-01T10:00:00+02:00"]) {
    test(`a time that has passed publishes now: ${at}`, async () => {
      const name = `past-${String(at).replaceAll(/[^0-9]/g, "")}`;
      await world.create(name, { n: 1 });
      await stage(name, { n: 2 });
      const reply = await publish(name, { at });
      assert.deepEqual([dataOf(reply).n, reply.headers["octavo-staged"]], [2, undefined]);
      assert.equal((await world.entry(name)).n, 2);
    });
  }
});

describe("content from before a change of its type", () => {
  test("is restored into a draft and staged, and its reply names what does not fit", async () => {
    const id = `${world.prefix.replace(/[^a-z0-9_-]/g, "-")}-ware`;
    const put = (schema: object) =>
      world.send({
        method: "PUT",
        path: "/api/types",
        json: { ...world.pair, id, paths: [world.id("wares/*")], schema },
      });
    atEnd(() => world.send({ method: "DELETE", path: "/api/types", json: { ...world.pair, id } }));
    const send = (method: string, path: string, args: object) =>
      world.send({ method, path, json: { ...world.pair, ...args } });
    dataOf(await put({}));
    await world.plant({ "wares/draft": { "a/b": "1 €", visibility: "draft" }, "wares/live": { "a/b": "1 €" } });
    const before = await world.newestEvent();
    for (const name of ["draft", "live"])
      dataOf(await send("PATCH", "/api/entries", { id: world.id(`wares/${name}`), data: { "a/b": 1 } }));
    dataOf(await put({ properties: { "a/b": { type: "number" } } }));
    const restore = (name: string) => send("POST", "/api/entries/restore", { id: world.id(name), revision: before });
    const restored = await restore("wares/draft");
    assert.equal(dataOf(restored)["a/b"], "1 €");
    assert.equal(restored.headers["octavo-faults"], "%2Fa~1b");
    refused(await restore("wares/live"), 422, "data_invalid");
    const staged = await send("PATCH", "/api/entries/staged", { id: world.id("wares/live"), data: { "a/b": "1 €" } });
    assert.equal(staged.headers["octavo-faults"], "%2Fa~1b");
    refused(await send("POST", "/api/entries/publish", { id: world.id("wares/live") }), 422, "data_invalid");
    const mended = await send("PATCH", "/api/entries/staged", { id: world.id("wares/live"), data: { "a/b": 2 } });
    assert.equal(mended.headers["octavo-faults"], undefined);
    refused(await send("PATCH", "/api/entries", { id: world.id("wares/draft"), data: { visibility: "visible" } }), 422);
  });
});

describe("a copy that is outdated", () => {
  const live = async (name: string, data: object) => dataOf(await world.write("PATCH", { id: world.id(name), data }));
  const told = async (name: string) => (await view(name)).headers["octavo-outdated"];
  const row = async (name: string) => (await listed()).find(({ id }) => id === world.id(name));
  const texts = async (name: string): Promise<Any[]> =>
    dataOf(await world.read({ id: world.id(name) }, management, `${path}/outdated`)) as Any[];

  test("names the keys that were changed live since they were staged; `current` refuses to put them back", async () => {
    await world.create("stale", { title: "Teh", body: "b", n: 1 });
    dataOf(await stage("stale", { title: "The end", body: "B" }));
    assert.deepEqual([await told("stale"), (await row("stale")).outdated], [undefined, []]);
    assert.deepEqual(await texts("stale"), []);
    await live("stale", { n: 2 });
    assert.equal(await told("stale"), undefined);
    await live("stale", { title: "The" });
    assert.deepEqual([await told("stale"), (await row("stale")).outdated], ["title", ["title"]]);
    const [text] = await texts("stale");
    assert.ok(text.revision > 0);
    assert.deepEqual(text, { ...text, key: "title", base: "Teh", live: "The", staged: "The end" });
    const [tag, since] = [tagOf(await view("stale")), await world.newestEvent()];
    for (const at of [undefined, 5, later]) {
      const reply = await publish("stale", { current: true, ...(at !== undefined && { at }) });
      refused(reply, 409, "staged_outdated", /"title"/);
    }
    assert.deepEqual([tagOf(await view("stale")), await events(since, "stale")], [tag, []]);
    // The change and the mended text together, as who reads both writes it.
    const again = await stage("stale", { title: "The end." });
    assert.equal(again.headers["octavo-outdated"], undefined);
    assert.deepEqual([await told("stale"), (await row("stale")).outdated], [undefined, []]);
    assert.equal(dataOf(await publish("stale", { current: true })).title, "The end.");
  });

  test("is published without `current`, also at its time; the event names what it put back", async () => {
    await world.create("stale-now", { title: "Teh", visibility: "hidden" });
    dataOf(await stage("stale-now", { title: "Teh end", visibility: "visible", "a, b": 1 }));
    await live("stale-now", { title: "The", visibility: "draft", "a, b": 2 });
    assert.deepEqual(
      String(await told("stale-now"))
        .split(", ")
        .toSorted(),
      ["a%2C%20b", "title", "visibility"],
    );
    const since = await world.newestEvent();
    assert.equal(dataOf(await publish("stale-now", { current: false })).title, "Teh end");
    // Others may write between: what becomes public by its time is an event, too.
    const event = (await world.eventsAfter(since)).find(({ subject }) => subject === world.id("stale-now"));
    assert.deepEqual([event?.kind, event?.outdated?.toSorted()], ["entry.publish", ["a, b", "title", "visibility"]]);
  });

  test("is not one whose key is again what it was, or already what the copy has", async () => {
    await world.create("same-again", { title: "Teh", n: 1 });
    dataOf(await stage("same-again", { title: "The end", n: 2 }));
    await live("same-again", { title: "The", n: 2 });
    assert.equal(await told("same-again"), "title");
    await live("same-again", { title: "Teh" });
    assert.equal(await told("same-again"), undefined);
    assert.equal(dataOf(await publish("same-again", { current: true })).title, "The end");
  });

  test("is current again without its outdated keys; wrong arguments are refused", async () => {
    await world.create("dropped", { title: "Teh", n: 1 });
    dataOf(await stagePatch("dropped", { title: null, n: 2 }));
    await live("dropped", { title: "The" });
    assert.deepEqual(
      (await texts("dropped")).map(({ key, staged }) => [key, staged]),
      [["title", undefined]],
    );
    dataOf(await publish("dropped", { at: later }));
    assert.equal(await told("dropped"), "title");
    dataOf(await publish("dropped", { at: null, current: true }));
    assert.equal((await call("DELETE", path, "dropped", { keys: ["title"] })).status, 204);
    assert.equal(await told("dropped"), undefined);
    refused(await publish("dropped", { current: "maybe" }), 400, "argument_invalid", /current/);
    assert.deepEqual(dataOf(await publish("dropped", { current: true })).title, "The");
    refused(await world.read({ id: world.id("nowhere") }, management, `${path}/outdated`), 404, "entry_not_found");
  });
});

describe("scheduling", () => {
  for (const at of [later, "2096-10-02T09:06:40+02:00"]) {
    test(`${JSON.stringify(at)} freezes the copy until \`at\` is null`, async () => {
      const name = `at-${Buffer.from(String(at)).toString("hex")}-${typeof at}`;
      await world.create(name, { n: 1 });
      await stage(name, { n: 2 });
      const scheduled = await publish(name, { at });
      assert.equal(dataOf(scheduled).n, 2);
      assert.equal(tagOf(scheduled), tagOf(await view(name)));
      assert.equal((await world.entry(name)).n, 1);
      assert.equal((await listed()).find(({ id }) => id === world.id(name)).publish_at, later);
      for (const reply of [await stage(name, { n: 3 }), await discard(name), await publish(name, { at: later + 1 })])
        refused(reply, 409, "publish_scheduled", /4000000000/);
      refused(await publish(name), 409, "publish_scheduled");
      dataOf(await world.write("PATCH", { id: world.id(name), data: { other: 1 } }));
      assert.equal((await viewOf(name)).other, 1);
      dataOf(await publish(name, { at: null }));
      assert.equal((await listed()).find(({ id }) => id === world.id(name)).publish_at, null);
      dataOf(await stage(name, { n: 4 }));
      assert.equal(dataOf(await publish(name)).n, 4);
    });
  }

  test("a draft without a copy is scheduled", async () => {
    await world.create("draft-later", { visibility: "draft" });
    assert.equal(dataOf(await publish("draft-later", { at: later })).visibility, "draft");
    assert.equal((await listed()).find(({ id }) => id === world.id("draft-later")).publish_at, later);
  });
});

describe("a copy goes where its entry goes", () => {
  test("a move takes it along, a copy of the entry has none, the trash keeps it", async () => {
    await world.create("from", { n: 1 });
    await world.create("from/below", { n: 1 });
    dataOf(await stage("from/below", { n: 2 }));
    dataOf(await world.write("PUT", { id: world.id("from"), new_id: world.id("to") }));
    assert.equal((await viewOf("to/below")).n, 2);
    const copied = { id: world.id("to"), new_id: world.id("copied") };
    dataOf(await world.write("PUT", copied, "/api/entries/copy"));
    assert.deepEqual([(await viewOf("copied/below")).n, await stagedHeader("copied/below")], [1, undefined]);

    assert.equal((await world.write("DELETE", { id: world.id("to") })).status, 204);
    for (const reply of [await view("to/below"), await stage("to/below", {}), await publish("to/below")])
      refused(reply, 404, "entry_not_found");
    assert.ok(!(await listed()).some(({ id }) => id === world.id("to/below")));
    await world.create("to", { n: "another" });
    await world.create("to/below", { n: "another" });
    assert.deepEqual([(await viewOf("to/below")).n, await stagedHeader("to/below")], ["another", undefined]);

    const items = await world.read({ noun: "entry", search: world.id("to") }, management, "/api/trash");
    const item = { id: dataOf(items)[0].id, new_id: world.id("back") };
    dataOf(await world.write("POST", item, "/api/trash/restore"));
    assert.equal((await viewOf("back/below")).n, 2);
    assert.equal(dataOf(await publish("back/below")).n, 2);
  });

  test("a deletion for good takes it away", async () => {
    await world.create("purged", { n: 1 });
    await stage("purged", { n: 2 });
    await world.write("DELETE", { id: world.id("purged"), purge: true });
    const made = await world.create("purged", { n: 3 });
    assert.deepEqual(await viewOf("purged"), made);
  });
});

test("what is due is published by the service, once", async () => {
  while ((await world.entry("due")).title === "old") await sleep(250);
  assert.equal(await stagedHeader("due"), undefined);
  refused(await publish("due"), 409, "nothing_staged");
  const kinds = (await events(start, "due")).map(([kind]) => kind);
  assert.deepEqual(kinds.slice(-3), ["entry.stage", "entry.schedule", "entry.publish"]);
});

test("the list has each copy once, in pages that are linked", async () => {
  for (const name of ["list", "list/a", "list/b", "list/é"]) {
    await world.create(name);
    dataOf(await stage(name, { n: 1 }));
  }
  const all = await listed();
  assert.deepEqual(
    all.map(({ id }) => id),
    all.map(({ id }) => id).toSorted(),
  );
  const row = all.find(({ id }) => id === world.id("list/é"));
  assert.deepEqual(Object.keys(row), ["id", "title", "revision", "staged_at", "staged_by", "publish_at", "outdated"]);
  assert.equal(String(row.revision), await stagedHeader("list/é"));
  assert.ok(Math.abs(row.staged_at - nowSeconds()) < 60);
  assert.match(row.staged_by, /^[\w-]{1,64}$/);
  const seen: Any[] = [];
  let query: string | undefined = "limit=2";
  while (query !== undefined) {
    const reply = await world.send({ path: `${path}/list`, query: `${query}&token=${management}` });
    assert.ok(dataOf(reply).length <= 2);
    seen.push(...dataOf(reply).filter(({ id }: Any) => id.startsWith(`${world.prefix}/`)));
    query = /<[^?>]*\?([^>]*)>; rel="next"/.exec(String(reply.headers.link ?? ""))?.[1];
  }
  assert.deepEqual(seen, all);
});

const id = world.id("table");
await world.create("table");
const all = { ...world.pair };
const send = (method: string, to: string, args: object) =>
  method === "GET"
    ? { path: to, query: { ...args, token: management } }
    : { method, path: to, json: { ...all, ...args } };
const publishAt = (at: unknown) => send("POST", "/api/entries/publish", { id, at });
// Who may, and what is missing or of another type: test/http/routes; each form of a time: src/core/moment.test.ts.
table("arguments", world, [
  { name: "the root", call: send("PATCH", path, { id: "", data: {} }), status: 400, code: "path_invalid" },
  { name: "data that is a list", call: send("PATCH", path, { id, data: [] }), status: 400, about: /"data"/ },
  { name: "an unknown argument", call: send("PATCH", path, { id, data: {}, at: 1 }), status: 400, about: /"at"/ },
  { name: "no such entry", call: send("GET", path, { id: world.id("none") }), status: 404 },
  { name: "no such entry to stage", call: send("PATCH", path, { id: world.id("none"), data: {} }), status: 404 },
  ...[undefined, later, null].map((at) => ({ name: `nothing to publish at ${at}`, call: publishAt(at), status: 409 })),
  ...["soon", "", "2027-02-30", 1.5, 1e15, true, [1], { a: 1 }].map((at) => {
    const name = `${JSON.stringify(at)} as a time`;
    return { name, call: publishAt(at), status: 400, code: "argument_invalid", about: /"at"/ };
  }),
  {
    name: "a cursor of nothing",
    call: send("GET", `${path}/list`, { cursor: "x" }),
    status: 400,
    code: "cursor_invalid",
  },
  ...[0, 1001].map((limit) => {
    const call = send("GET", `${path}/list`, { limit });
    return { name: `a limit of ${limit}`, call, status: 400, code: "argument_invalid", about: /"limit"/ };
  }),
]);

allRepliesKeptTheirPromises(world);
