import assert from "node:assert/strict";
import { test } from "node:test";
import { type Access, accessOf, asStaged } from "../../src/core/access/access.ts";
import { type JsonObject, parseJson } from "../../src/core/lib/json.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Slug } from "../../src/core/path.ts";
import { type Entry, type EntryInput, formatEntry } from "../../src/entry/entry.ts";
import { stagedTag } from "../../src/working-copy/staged.ts";
import { formatBase } from "../../src/working-copy/staged-base.ts";
import { random, seed } from "../random.ts";
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
    staged.stage(slug(id), input(data, fields, isMergePatch), by("editor"));
  const find = async (id: string) => (await entries.find(slug(id))) as Entry;
  const view = async (id: string) => (await staged.find(slug(id)))?.entry as Entry;
  const publish = (id: string, ifMatch?: string) => staged.publish(slug(id), {}, { ...by("publisher"), ifMatch });
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
    await entries.update(slug("moment"), input({ a: 9, b: 9, c: 9 }), by());
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
    const { entry } = await staged.stage(slug("if"), input({ n: 2 }), { ...by(), ifMatch: first });
    const second = `"${stagedTag(entry)}"`;
    await assert.rejects(staged.stage(slug("if"), input({ n: 3 }), { ...by(), ifMatch: first }), {
      code: "revision_mismatch",
    });
    await entries.update(slug("if"), input({ m: 1 }), by());
    for (const write of [
      () => staged.stage(slug("if"), input({ n: 3 }), { ...by(), ifMatch: second }),
      () => staged.publish(slug("if"), {}, { ...by(), ifMatch: second }),
      () => staged.discard(slug("if"), {}, { ...by(), ifMatch: second }),
      () => staged.schedule(slug("if"), { atSeconds: 9e9 }, { ...by(), ifMatch: second }),
    ])
      await assert.rejects(write(), { code: "revision_mismatch" });
    await assert.rejects(
      entries.update(slug("if"), input({}), { ...by(), ifMatch: `"${stagedTag(await view("if"))}"` }),
      {
        code: "revision_mismatch",
      },
    );
    await publish("if", `"${stagedTag(await view("if"))}"`);
  });

  test("a copy is dropped, and goes where its entry goes", async () => {
    await create("a", { n: 1 });
    await create("a/b", { n: 1 });
    await stage("a/b", { n: 2 });
    await entries.move(slug("a"), { newSlug: slug("moved") }, by());
    assert.equal((await view("moved/b")).data, '{"n":2,"content":""}');
    await entries.copy(slug("moved"), { newSlug: slug("copied") }, by());
    assert.equal((await view("copied/b")).data, '{"n":1,"content":""}');
    assert.deepEqual(
      (await staged.list({ paths: null, after: { slug: slug("moved"), locale: "" }, limit: 10 }))
        .map((row) => row.slug)
        .slice(0, 1),
      ["moved/b"],
    );
    await entries.delete(slug("moved"), { to: "trash" }, by());
    assert.deepEqual(await store.verify(), []);
    const [item] = await trash.list({ nouns: ["entry"], paths: null, before: undefined, limit: 1 });
    await trash.restore(item?.id ?? 0, { newPath: slug("back"), extensions: [] }, by());
    assert.equal((await view("back/b")).data, '{"n":2,"content":""}');
    assert.deepEqual(await store.verify(), []);
    await staged.discard(slug("back/b"), {}, by());
    assert.equal((await view("back/b")).data, '{"n":1,"content":""}');
    await assert.rejects(staged.discard(slug("back/b"), {}, by()), { code: "nothing_staged" });
    await stage("back/b", { n: 3 });
    await entries.delete(slug("back"), { to: "nowhere" }, by());
    await trash.clear(now);
    assert.deepEqual(await store.verify(), []);
  });

  test("a scheduled copy is frozen, and is published once when its time has come, as who scheduled it", async () => {
    await create("later", { n: 1 });
    await stage("later", { n: 2 });
    await staged.schedule(slug("later"), { atSeconds: now + 100 }, by("scheduler"));
    for (const write of [
      () => stage("later", { n: 3 }),
      () => publish("later"),
      () => staged.discard(slug("later"), {}, by()),
      () => staged.schedule(slug("later"), { atSeconds: now + 200 }, by()),
    ])
      await assert.rejects(write(), { code: "publish_scheduled" });
    assert.equal(await staged.publishDue(now + 99), 0);
    assert.equal((await find("later")).data, '{"n":1,"content":""}');
    await entries.move(slug("later"), { newSlug: slug("later-moved") }, by());
    const outcomes = await Promise.all([staged.publishDue(now + 100), staged.publishDue(now + 3600)]);
    assert.deepEqual(outcomes.toSorted(), [0, 1]);
    assert.equal((await find("later-moved")).data, '{"n":2,"content":""}');
    const event = await newest();
    assert.deepEqual([event?.kind, event?.actor], ["entry.publish", "scheduler"]);
  });

  test("a time is taken back; a draft without changes is scheduled, too", async () => {
    await create("unscheduled", {}, { visibility: "draft" });
    await staged.schedule(slug("unscheduled"), { atSeconds: now + 10 }, by());
    await staged.schedule(slug("unscheduled"), { atSeconds: null }, by());
    assert.equal(await staged.publishDue(now + 1000), 0);
    await stage("unscheduled", { n: 1 });
    await staged.schedule(slug("unscheduled"), { atSeconds: now + 10 }, by());
    assert.equal(await staged.publishDue(now + 10), 1);
    assert.equal((await find("unscheduled")).visibility, "visible");
    await assert.rejects(staged.schedule(slug("unscheduled"), { atSeconds: now }, by()), { code: "nothing_staged" });
  });

  test("a copy that is refused when its time has come stays without a time, and holds up no other", async () => {
    for (const id of ["grown", "other"]) {
      await create(id, { n: 1 });
      await stage(id, { more: "x".repeat(600_000) });
    }
    await staged.schedule(slug("grown"), { atSeconds: now + 10 }, by("scheduler"));
    await staged.schedule(slug("other"), { atSeconds: now + 20 }, by("scheduler"));
    await entries.update(slug("grown"), input({ big: "y".repeat(600_000) }), by());
    assert.equal(await staged.publishDue(now + 30), 1);
    assert.equal((await find("grown")).data.includes("x"), false);
    assert.equal((await find("other")).data.includes("x"), true);
    const kinds = (await store.events.listBefore(undefined, 2)).map(({ kind, subject }) => `${kind} ${subject}`);
    assert.deepEqual(kinds, ["entry.publish other", "entry.publish_failed grown"]);
    await assert.rejects(publish("grown"), { code: "data_too_large" });
    await entries.update(slug("grown"), input({ big: "" }), by());
    await publish("grown");
    assert.equal((await find("grown")).data.includes("x"), true);
  });

  test("lists filter, order and count by what they would be once everything is published", async () => {
    const count = 80;
    const dataOf = (n: number, isChanged: boolean) => ({
      n,
      colour: isChanged ? "changed" : n % 2 ? "red" : "blue",
      rank: isChanged ? -n : n,
      text: isChanged ? `sun ${n}` : `moon ${n}`,
    });
    const isStaged = (n: number) => n % 4 === 1;
    // The same content below two paths: staged below one, live below the other.
    const make = async (n: number) => {
      const fields = { publishedAt: 100 + n, visibility: n % 5 ? ("visible" as const) : ("draft" as const) };
      await Promise.all(["copies", "direct"].map((top) => create(`${top}/${n}`, dataOf(n, false), fields)));
      if (!isStaged(n)) return;
      const change = { publishedAt: 500 - n, visibility: n % 3 ? ("visible" as const) : ("hidden" as const) };
      await stage(`copies/${n}`, dataOf(n, true), change);
      await entries.update(slug(`direct/${n}`), input(dataOf(n, true), change), by());
    };
    await Promise.all(Array.from({ length: count }, (_, n) => make(n)));
    const where = (key: string, operator: string, value: string) => ({ where: [{ key, operator, value }] });
    const order = (field: string, direction: string) => ({ order_by: { field, direction } });
    const queries: object[] = [
      {},
      where("colour", "eq", "changed"),
      where("colour", "eq", "red"),
      where("visibility", "eq", "hidden"),
      where("visibility", "eq", "draft"),
      where("text", "contains", "sun"),
      { contains: "moon 7" },
      { ...where("colour", "neq", "blue"), ...order("rank", "asc"), limit: "7" },
      { ...order("rank", "desc"), limit: "5", offset: "3" },
      { ...order("published_at", "desc"), limit: "10" },
      { ...order("published_at", "asc"), limit: "10", offset: "50" },
      { ...where("rank", "lt", "0"), return: "count" },
      { return: "first", ...order("rank", "asc") },
      { return: "last", ...order("rank", "asc") },
      { ...where("n", "lt", "9"), total: "true", limit: "2" },
    ];
    const list = async (top: string, query: object, access: Access) => {
      const args = parseJson(JSON.stringify(query), 9) as JsonObject;
      const answer = await entries.list(
        parseCollection(slug(top), args, { maxLimit: 1000, defaultLimit: 1000 }),
        access,
      );
      const found = JSON.parse(wholeText(answer.json));
      const numbers = (of: unknown): unknown => {
        if (typeof of !== "object" || of === null) return of;
        return Array.isArray(of) ? of.map(numbers) : (of as { n: number }).n;
      };
      return [numbers(found), answer.total];
    };
    const management = accessOf({ kind: "management" }, now);
    for (const query of queries) {
      const expected = await list("direct", query, management);
      assert.deepEqual(await list("copies", query, asStaged(management)), expected, JSON.stringify(query));
    }
    const live = await list("copies", where("colour", "eq", "changed"), management);
    assert.deepEqual(live, [[], undefined]);
  });

  test("a key that was changed live since it was staged is outdated, until it is staged again or dropped", async () => {
    const outdated = async (id: string) => {
      const found = (await staged.find(slug(id)))?.outdated;
      const listed = (await staged.list({ paths: null, after: undefined, limit: 1000 })).find((row) => row.slug === id);
      assert.deepEqual(listed?.outdated ?? [], found);
      return found;
    };
    const live = (data: object, fields: EntryInput["fields"] = {}, isMergePatch = false) =>
      entries.update(slug("stale"), input(data, fields, isMergePatch), by("mender"));
    const { revision } = await create("stale", { a: "teh", b: { x: 1 }, c: 1, d: 1, big: "x".repeat(600_000) });
    await stage("stale", { a: "teh end", b: { x: 2 }, d: null, e: 5 }, { visibility: "hidden" }, true);
    assert.deepEqual(await outdated("stale"), []);
    // Keys that are not staged, and a move.
    await live({ c: 2, big: "y".repeat(600_000) });
    await entries.move(slug("stale"), { newSlug: slug("stale-2") }, by());
    await entries.move(slug("stale-2"), { newSlug: slug("stale") }, by());
    assert.deepEqual(await outdated("stale"), []);
    await live({ a: "the", b: { x: 1, y: 2 }, d: 2, e: 6 }, { visibility: "draft" });
    assert.deepEqual((await outdated("stale"))?.toSorted(), ["a", "b", "d", "e", "visibility"]);
    // The same again, and what the copy has.
    await live({ a: "teh", b: { x: 2, y: null }, d: null, e: null }, { visibility: "hidden" }, true);
    assert.deepEqual(await outdated("stale"), []);
    await live({ a: "the", b: { x: 1, y: 2 }, d: 2, e: 6 }, { visibility: "draft" });
    const texts = await staged.outdated(slug("stale"));
    const [a, , d, e, visibility] = texts.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    assert.deepEqual(a, { key: "a", revision, base: "teh", live: "the", staged: "teh end" });
    assert.deepEqual([d?.base, d?.live, d?.staged, e?.base, e?.live, e?.staged], [1, 2, undefined, undefined, 6, 5]);
    assert.deepEqual([visibility?.base, visibility?.live, visibility?.staged], ["visible", "draft", "hidden"]);
    const known = `"${stagedTag(await view("stale"))}"`;
    const mistaken = { current: true };
    await assert.rejects(staged.publish(slug("stale"), mistaken, by()), {
      code: "staged_outdated",
      message: /"a".*"b"/,
    });
    await assert.rejects(staged.schedule(slug("stale"), { ...mistaken, atSeconds: now + 9 }, by()), {
      code: "staged_outdated",
    });
    assert.equal(`"${stagedTag(await view("stale"))}"`, known);
    await stage("stale", { a: "the end" }, { visibility: "hidden" });
    await staged.discard(slug("stale"), { keys: ["d", "e"] }, by());
    assert.deepEqual(await outdated("stale"), ["b"]);
    await stage("stale", { b: { y: 3 } }, {}, true);
    assert.deepEqual(await outdated("stale"), []);
    const published = await staged.publish(slug("stale"), mistaken, by());
    const { big: _, ...data } = JSON.parse(published.data);
    assert.deepEqual(data, { a: "the end", b: { x: 2, y: 3 }, c: 2, d: 2, content: "", e: 6 });
    assert.equal((await newest())?.outdated, undefined);
    assert.deepEqual(await staged.outdated(slug("stale")), []);
    await assert.rejects(staged.outdated(slug("nowhere")), { code: "entry_not_found" });
  });

  test("an outdated copy is published at its time, and the event names what it put back", async () => {
    for (const id of ["put-back", "put-back-now"]) {
      await create(id, { a: 1, b: 1 });
      await stage(id, { a: 2, b: 2 });
    }
    await staged.schedule(slug("put-back"), { atSeconds: now + 10, current: true }, by());
    for (const id of ["put-back", "put-back-now"]) await entries.update(slug(id), input({ b: 3 }), by());
    assert.equal(await staged.publishDue(now + 10), 1);
    assert.deepEqual([(await newest())?.kind, (await newest())?.outdated], ["entry.publish", ["b"]]);
    await publish("put-back-now");
    assert.deepEqual([(await newest())?.kind, (await newest())?.outdated], ["entry.publish", ["b"]]);
    assert.deepEqual(JSON.parse((await find("put-back-now")).data), { a: 2, b: 2, content: "" });
  });

  test("what a copy remembers of a large entry is small; without a history the base alone is unknown", async () => {
    await create("small", { big: "x".repeat(600_000), n: 1 });
    const { copy } = await stage("small", { big: "y".repeat(600_000), n: 2 });
    assert.ok(formatBase(copy?.base ?? new Map()).length < 100);
    await entries.update(slug("small"), input({ n: 3 }), by());
    await store.history.trim({ rows: 0, seconds: 0, bytes: 0 }, now);
    assert.deepEqual(await staged.outdated(slug("small")), [
      { key: "n", revision: null, base: undefined, live: 3, staged: 2 },
    ]);
  });

  test("what was changed last is listed once, with who changed it, as far as the paths reach", async () => {
    await create("lately", {});
    await create("lately/a", { title: "A" }, { visibility: "draft" });
    await create("lately/b", { title: 7 });
    await staged.stage(slug("lately/b"), input({ n: 1 }), by("ann"));
    await entries.update(slug("lately/a"), input({ n: 2 }), by("bob"));
    const recent = async (more: object) =>
      (
        await entries.recent({
          paths: [slug("lately/a"), slug("lately/b")],
          by: undefined,
          visibility: undefined,
          limit: 9,
          ...more,
        })
      ).map((row) => [row.slug, row.title, row.visibility, row.hasCopy, row.kind, row.actor]);
    const a = ["lately/a", "A", "draft", false, "entry.update", "bob"];
    const b = ["lately/b", "", "visible", true, "entry.stage", "ann"];
    assert.deepEqual(await recent({}), [a, b]);
    assert.deepEqual(await recent({ limit: 1 }), [a]);
    assert.deepEqual(await recent({ by: "ann" }), [b]);
    assert.deepEqual(await recent({ visibility: "draft" }), [a]);
    assert.deepEqual(await recent({ paths: [slug("late"), slug("lately/b")] }), [b]);
    await entries.move(slug("lately"), { newSlug: slug("now") }, by("cy"));
    assert.deepEqual(await recent({ paths: [slug("now")] }), []);
    await entries.update(slug("now/a"), input({ n: 3 }), by("bob"));
    assert.deepEqual((await recent({ paths: [slug("now")] }))[0]?.[0], "now/a");
  });

  test("limits hold for the result, and nothing is staged", async () => {
    await create("limit", { big: "x".repeat(600_000) });
    await assert.rejects(stage("limit", { more: "y".repeat(600_000) }), { code: "data_too_large" });
    assert.equal((await find("limit")).stagedRevision, null);
    await assert.rejects(stage("nowhere", {}), { code: "entry_not_found" });
  });

  test("an author drops what it alone has staged, whatever was staged before and since", async () => {
    const pick = random(seed);
    const some = <T>(from: readonly T[]): T => from[pick(from.length)] as T;
    const [actors, keys] = [
      ["ann", "bob", "cy"],
      ["a", "b", "c", "routable", "published_by"],
    ];
    const live = { a: 0, b: 0, routable: true, published_by: "" };
    await create("authors", { a: 0, b: 0 });
    /** The keys of the copy: their staged values, and all who changed them. */
    const model = new Map<string, { value: unknown; by: Set<string> }>();
    const steps: string[] = [];
    const stageKeys = async (actor: string, sent: readonly string[], n: number) => {
      const values = new Map<string, unknown>(
        sent.map((key) => [key, key === "routable" ? n % 2 === 0 : key === "published_by" ? `${n}` : some([n, null])]),
      );
      const own = Object.fromEntries([...values].filter(([key]) => key.length === 1));
      const fields = {
        ...(values.has("routable") && { routable: values.get("routable") as boolean }),
        ...(values.has("published_by") && { publishedBy: values.get("published_by") as string }),
      };
      await staged.stage(slug("authors"), input(own, fields, true), by(actor));
      for (const [key, value] of values)
        model.set(key, { value: value ?? undefined, by: new Set([...(model.get(key)?.by ?? []), actor]) });
    };
    const drop = async (actor: string, sent: readonly string[] | undefined, onlyOwn: boolean) => {
      const isOwn = (key: string) => [...(model.get(key)?.by ?? [])].join() === actor;
      const dropped = sent ?? [...model.keys()];
      const unknown = dropped.some((key) => !model.has(key));
      const expected =
        model.size === 0
          ? "nothing_staged"
          : unknown
            ? "argument_invalid"
            : onlyOwn && !dropped.every(isOwn)
              ? "scope_missing"
              : "dropped";
      const done = staged.discard(slug("authors"), { keys: sent, onlyOwn }, by(actor));
      const found = await done.then(
        () => "dropped",
        (error) => error.code,
      );
      assert.equal(found, expected, `seed ${seed}: ${steps.join("; ")}`);
      if (expected === "dropped") for (const key of dropped) model.delete(key);
    };
    for (let n = 1; n <= 60; n++) {
      const [actor, sent] = [some(actors), keys.filter(() => pick(3) === 0)];
      const verb = pick(10);
      steps.push(`${actor} ${verb} ${sent}`);
      if (verb < 4) await stageKeys(actor, sent.length > 0 ? sent : ["a"], n);
      else if (verb < 8) await drop(actor, sent.length > 0 ? sent : undefined, verb < 7);
      else if (verb === 8) await drop(actor, undefined, true);
      else if (model.size > 0) await entries.update(slug("authors"), input({ live: n }), by());
      const { data, routable, publishedBy, stagedRevision } = await view("authors");
      const { content: _, live: __, ...own } = JSON.parse(data);
      const expected = Object.fromEntries(
        Object.entries({ ...live, ...Object.fromEntries([...model].map(([key, { value }]) => [key, value])) }).filter(
          ([, value]) => value !== undefined,
        ),
      );
      assert.deepEqual(
        [{ ...own, routable, published_by: publishedBy }, stagedRevision !== null],
        [expected, model.size > 0],
        `seed ${seed}: ${steps.join("; ")}`,
      );
    }
    assert.deepEqual(await store.verify(), []);
  });

  test("the store is whole", async () => assert.deepEqual(await store.verify(), []));
});
