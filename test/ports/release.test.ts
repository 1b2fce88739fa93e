import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import { type JsonObject, parseJson } from "../../src/core/lib/json.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { openSqliteStore } from "../../src/database.ts";
import { type Entry, type EntryInput, formatEntry } from "../../src/entry/entry.ts";
import { newRelease, type ReleasePublishing } from "../../src/working-copy/release.ts";
import { maxCopies } from "../../src/working-copy/staged.ts";
import { closing } from "../ending.ts";
import { isLong } from "../long.ts";
import { onEachEngine } from "./engines.ts";
import { sqliteOptions } from "./sqlite-options.ts";

/** Releases: working copies and drafts that go live together. Contract, part three, §21. */

/** More than any other test here puts into a release. */
const maxReleaseEntries = 20;

onEachEngine(
  async (store) => {
    const { entries, staged, releases, trash, events } = store;
    let now = 1000;
    let last = 0;
    const everywhere = { paths: null };
    const by = (actor = "test") => ({ actor, nowSeconds: now });
    const slug = (id: string) => id as Slug;
    const input = (data: object, fields: EntryInput["fields"] = {}): EntryInput => ({
      ...{ data: JSON.stringify(data), isMergePatch: false, fields },
    });
    const create = (id: string, data: object = {}, fields: EntryInput["fields"] = {}) =>
      entries.create(slug(id), input(data, fields), by());
    const draft = (id: string, release: string, data: object = {}) =>
      staged.createDraft(slug(id), input(data, { visibility: "draft" }), release, by());
    const stage = (id: string, data: object, release?: string | null, fields: EntryInput["fields"] = {}) =>
      staged.stage(slug(id), { ...input(data, fields), release }, by("editor"));
    const made = async (title = "Spring") => {
      const context = { ...by(), id: `r-${++last}` };
      return (await releases.create(newRelease(title, context), by())).id;
    };
    const get = (id: string) => releases.get(id, everywhere);
    const publish = (id: string, how: Partial<ReleasePublishing> = {}) =>
      releases.publish(id, { paths: null, ...how }, by("publisher"));
    const undo = (id: string) => releases.undo(id, everywhere, by("undoer"));
    const find = async (id: string) => (await entries.find(slug(id))) as Entry;
    const view = async (id: string) => (await staged.find(slug(id)))?.entry as Entry;
    const members = async (id: string, paths: Path[] | null = null) =>
      (await releases.entries(id, { paths, after: undefined, limit: 2000 })).map((row) => row.slug as string);
    const newest = async (limit: number) =>
      (await events.listBefore(undefined, limit))
        .reverse()
        .map(({ kind, subject, count }) => `${kind} ${subject} ${count}`);
    const fails = (promise: Promise<unknown>, code: string) => assert.rejects(promise, { code });
    /** After each test in the long form, otherwise after the last. */
    const verified = async (isLast = isLong): Promise<void> => {
      if (isLast) assert.deepEqual(await store.verify(), []);
    };

    test("copies and drafts of a release go live in one commit, which begins with the event of the release", async () => {
      const id = await made();
      await create("one/a", { n: 1 });
      await create("one/b", { n: 1 });
      await stage("one/a", { n: 2 }, id);
      await stage("one/b", { n: 2 });
      await draft("one/c", id, { n: 3 });
      assert.deepEqual([(await get(id)).count, await members(id)], [2, ["one/a", "one/c"]]);
      now += 5;
      const published = await publish(id);
      assert.deepEqual([published.state, published.count, published.atSeconds], ["published", 2, now]);
      const commit = ["release.publish r-1 2", "entry.publish one/a 1", "entry.publish one/c 1"];
      assert.deepEqual(await newest(3), commit);
      const [first] = (await events.listBefore(undefined, 3)).reverse();
      const together = await events.listCommitted((first?.sequence ?? 0) - 1, 9);
      assert.deepEqual(new Set(together.map((event) => event.first)), new Set([first?.sequence]));
      const [a, b, c] = await Promise.all(["one/a", "one/b", "one/c"].map(find));
      assert.deepEqual([a?.data, a?.stagedRevision, a?.modifiedAt], ['{"n":2,"content":""}', null, now]);
      assert.deepEqual([b?.data, b?.stagedRevision === null], ['{"n":1,"content":""}', false]);
      assert.deepEqual([c?.visibility, c?.stagedRevision], ["visible", null]);
      assert.deepEqual(await members(id), ["one/a", "one/c"]);
      await verified();
    });

    test("a copy is in one release; without data it is moved, and without a copy only a draft can be", async () => {
      const [one, other] = [await made(), await made()];
      await create("in/a", { n: 1 });
      await create("in/d", { n: 1 }, { visibility: "draft" });
      await fails(stage("in/a", { n: 2 }, "nowhere"), "release_not_found");
      await fails(stage("in/a", {}, one), "nothing_staged");
      await fails(stage("in/d", {}, null), "nothing_staged");
      await stage("in/a", { n: 2 });
      const { entry } = await stage("in/a", {}, one);
      assert.equal(entry.data, '{"n":2,"content":""}');
      await stage("in/a", { m: 1 });
      await stage("in/a", { m: 2 }, one);
      await fails(stage("in/a", {}, other), "in_release");
      await fails(staged.publish(slug("in/a"), {}, by()), "in_release");
      await fails(staged.schedule(slug("in/a"), { atSeconds: now + 9 }, by()), "in_release");
      await stage("in/d", {}, one);
      assert.deepEqual(await members(one), ["in/a", "in/d"]);
      await stage("in/d", {}, null);
      assert.deepEqual(await members(one), ["in/a"]);
      await staged.discard(slug("in/a"), {}, by());
      assert.deepEqual(await members(one), []);
      await fails(publish(one), "nothing_staged");
      await fails(releases.rename("nowhere", "x", everywhere, by()), "release_not_found");
      assert.equal((await releases.rename(one, "Summer", everywhere, by())).title, "Summer");
      await stage("in/a", { n: 3 }, one);
      await releases.delete(one, everywhere, by());
      assert.equal((await staged.find(slug("in/a")))?.copy?.release, null);
      assert.equal((await staged.publish(slug("in/a"), {}, by())).data, '{"n":3,"content":""}');
      await verified();
    });

    test("a release has a bounded number of entries, those in the trash counted", async () => {
      const id = await made();
      await Promise.all(Array.from({ length: maxReleaseEntries }, (_, at) => draft(`full/${at}`, id)));
      await fails(draft("full/more", id), "release_full");
      assert.equal(await entries.find(slug("full/more")), undefined);
      await entries.delete(slug("full/7"), { to: "trash" }, by());
      await fails(draft("full/more", id), "release_full");
      assert.equal((await get(id)).count, maxReleaseEntries - 1);
      const published = await publish(id);
      assert.equal(published.count, maxReleaseEntries - 1);
      assert.equal((await undo(id)).state, "open");
      assert.equal((await get(id)).count, maxReleaseEntries - 1);
      assert.equal((await find(`full/${maxReleaseEntries - 1}`)).visibility, "draft");
      const [item] = await trash.list({ nouns: ["entry"], paths: null, before: undefined, limit: 1 });
      await trash.restore(item?.id ?? 0, { newPath: undefined, extensions: [] }, by());
      assert.equal((await staged.find(slug("full/7")))?.copy?.release, null);
      await releases.delete(id, everywhere, by());
      await verified();
    });

    test("undoing gives each entry what it had before, and lays the copies back", async () => {
      const id = await made();
      await create("undo/a", { n: 1 }, { publishedBy: "me" });
      await stage("undo/a", { n: 2 }, id, { publishedBy: "you" });
      await draft("undo/b", id, { n: 1 });
      await stage("undo/b", { n: 2 });
      const before = await Promise.all(["undo/a", "undo/b"].map(async (each) => [await find(each), await view(each)]));
      now += 5;
      await publish(id);
      await fails(publish(id), "release_published");
      await fails(publish(id, { atSeconds: null }), "release_published");
      await fails(stage("undo/a", { n: 3 }, id), "release_published");
      await fails(releases.rename(id, "x", everywhere, by()), "release_published");
      await entries.move(slug("undo/a"), { newSlug: slug("undo/moved") }, by());
      now += 5;
      const { state, count, atSeconds } = await undo(id);
      assert.deepEqual([state, count, atSeconds], ["open", 2, null]);
      assert.deepEqual(await newest(3), [`release.undo ${id} 2`, "entry.update undo/moved 1", "entry.update undo/b 1"]);
      const plain = ({ data, visibility, publishedBy, publishedAt }: Entry) => [
        data,
        visibility,
        publishedBy,
        publishedAt,
      ];
      for (const [at, each] of ["undo/moved", "undo/b"].entries()) {
        assert.deepEqual(plain(await find(each)), plain(before[at]?.[0] as Entry));
        assert.deepEqual(plain(await view(each)), plain(before[at]?.[1] as Entry));
      }
      assert.deepEqual(await members(id), ["undo/b", "undo/moved"]);
      assert.deepEqual((await releases.entries(id, { paths: null, after: undefined, limit: 9 }))[0]?.outdated, []);
      await fails(undo(id), "release_not_published");
      await verified();
      assert.equal((await publish(id)).state, "published");
    });

    test("undoing is refused as a whole, and names what was changed, deleted or staged since", async () => {
      const id = await made();
      for (const each of ["a", "b", "c", "d"]) {
        await create(`since/${each}`, { n: 1 });
        await stage(`since/${each}`, { n: 2 }, id);
      }
      await publish(id);
      await entries.update(slug("since/a"), input({ n: 3 }), by());
      await entries.delete(slug("since/b"), { to: "trash" }, by());
      await stage("since/c", { n: 4 });
      await assert.rejects(undo(id), ({ code, entries }: { code: string; entries: { id: string }[] }) => {
        assert.deepEqual(
          [code, entries.map((entry) => entry.id)],
          ["release_changed", ["since/a", "since/b", "since/c"]],
        );
        return true;
      });
      assert.equal((await find("since/d")).data, '{"n":2,"content":""}');
      assert.equal((await get(id)).state, "published");
      const old = await made();
      await create("since/e", { n: 1 });
      await stage("since/e", { n: 2 }, old);
      await publish(old);
      await store.history.trim({ rows: 0, seconds: 0, bytes: 0 }, now + 1);
      await fails(undo(old), "revision_not_found");
      await verified();
    });

    test("a scheduled release is frozen, and is published once, as who scheduled it", async () => {
      const id = await made();
      await create("later/a", { n: 1 });
      await create("later/b", { n: 1 });
      await stage("later/a", { n: 2 }, id);
      const scheduled = await publish(id, { atSeconds: now + 100 });
      assert.deepEqual([scheduled.state, scheduled.atSeconds], ["scheduled", now + 100]);
      for (const write of [
        () => stage("later/a", { n: 3 }),
        () => stage("later/a", {}, null),
        () => stage("later/b", { n: 3 }, id),
        () => staged.publish(slug("later/a"), {}, by()),
        () => staged.schedule(slug("later/a"), { atSeconds: null }, by()),
        () => staged.discard(slug("later/a"), {}, by()),
        () => releases.delete(id, everywhere, by()),
        () => publish(id),
        () => publish(id, { atSeconds: now + 200 }),
      ])
        await fails(write(), "publish_scheduled");
      assert.equal((await releases.rename(id, "Autumn", everywhere, by())).title, "Autumn");
      assert.deepEqual([await staged.nextDue(), await releases.nextDue()], [undefined, now + 100]);
      await verified();
      const open = await publish(id, { atSeconds: null });
      assert.deepEqual([open.state, open.atSeconds, await releases.nextDue()], ["open", null, undefined]);
      await stage("later/a", { n: 3 });
      await publish(id, { atSeconds: now + 100 });
      assert.deepEqual([await releases.publishDue(now + 99), await staged.publishDue(now + 200)], [0, 0]);
      now += 150;
      const counts = await Promise.all([releases.publishDue(now), releases.publishDue(now)]);
      assert.equal(counts[0] + counts[1], 1);
      assert.equal((await find("later/a")).data, '{"n":3,"content":""}');
      assert.deepEqual([(await get(id)).state, (await get(id)).atSeconds], ["published", now]);
      const [event] = await events.listBefore(undefined, 1);
      assert.deepEqual([event?.kind, event?.actor], ["entry.publish", "publisher"]);
    });

    test("one that is refused when its time comes has failed, and may be corrected and published", async () => {
      const id = await made();
      await create("fail/a", { n: 1 });
      await stage("fail/a", { text: "x".repeat(600_000) }, id);
      await publish(id, { atSeconds: now + 10 });
      await entries.update(slug("fail/a"), input({ other: "x".repeat(600_000) }), by());
      now += 10;
      assert.equal(await releases.publishDue(now), 0);
      const failed = await get(id);
      assert.deepEqual([failed.state, failed.atSeconds, failed.scheduledBy], ["failed", null, null]);
      assert.deepEqual(await newest(1), [`release.publish_failed ${id} 1`]);
      assert.equal(await releases.nextDue(), undefined);
      await assert.rejects(
        publish(id),
        ({ code, entries }: { code: string; entries: { id: string; code: string }[] }) => {
          const named = entries.map((entry) => [entry.id, entry.code]);
          assert.deepEqual([code, named], ["release_invalid", [["fail/a", "data_too_large"]]]);
          return true;
        },
      );
      await stage("fail/a", { text: "short" });
      assert.equal((await publish(id)).state, "published");
      await verified();
    });

    test("a dry run is refused as the publish would be, and changes nothing", async () => {
      const id = await made();
      await create("dry/a", { n: 1 });
      await fails(publish(id, { isDryRun: true }), "nothing_staged");
      await stage("dry/a", { n: 2 }, id);
      const log = (await events.bounds()).newest;
      assert.equal((await publish(id, { isDryRun: true })).state, "open");
      assert.equal((await publish(id, { isDryRun: true, atSeconds: now + 9 })).state, "open");
      assert.equal((await events.bounds()).newest, log);
      await entries.update(slug("dry/a"), input({ n: 9 }), by());
      await fails(publish(id, { isDryRun: true, current: true }), "staged_outdated");
      assert.equal((await publish(id)).state, "published");
      assert.deepEqual((await events.listBefore(undefined, 1))[0]?.outdated, ["n"]);
    });

    test("what somebody does not reach is neither counted nor named, and goes live without him", async () => {
      const id = await made();
      await draft("reach/in/a", id);
      await draft("reach/out/b", id);
      const reach = { paths: ["reach/in" as Path] };
      assert.deepEqual([(await releases.get(id, reach)).count, await members(id, reach.paths)], [1, ["reach/in/a"]]);
      await fails(releases.publish(id, reach, by()), "scope_missing");
      await fails(releases.delete(id, reach, by()), "scope_missing");
      await publish(id);
      assert.deepEqual([(await releases.get(id, reach)).count, await members(id, reach.paths)], [1, ["reach/in/a"]]);
      await fails(releases.undo(id, reach, by()), "scope_missing");
      await undo(id);
      await stage("reach/out/b", {}, null);
      await releases.publish(id, reach, by());
      await entries.move(slug("reach/in/a"), { newSlug: slug("reach/out/a") }, by());
      await fails(releases.undo(id, reach, by()), "scope_missing");
      assert.equal((await undo(id)).count, 1);
    });

    test("lists are newest first, in pages", async () => {
      const [x, y, z] = [await made("x"), await made("y"), await made("z")];
      const page = await releases.list({ ...everywhere, before: undefined, limit: 2 });
      assert.deepEqual([page[0]?.id, page[1]?.id, page.length], [z, y, 2]);
      const [next] = await releases.list({ ...everywhere, before: page[1]?.sequence, limit: 1 });
      assert.deepEqual([next?.id, next?.title], [x, "x"]);
    });

    test("seen through a release, lists and entries are those after its publication", async () => {
      const [id, other] = [await made(), await made()];
      await create("seen", {}, { visibility: "draft" });
      await create("seen/hides", { n: 5 });
      await create("seen/changes", { n: 1 });
      await create("seen/other", { n: 4 });
      await create("seen/loose", { n: 6 });
      await create("seen/draft", { n: 7 }, { visibility: "draft" });
      await create("seen/plain", { n: 3 });
      await create("seen/later", { n: 8 }, { publishedAt: now + 1e6 });
      await create("seen-only", {}, { visibility: "draft" });
      await create("seen-gone/x", {});
      await stage("seen/hides", {}, id, { visibility: "hidden" });
      await stage("seen/changes", { n: 9 }, id);
      await stage("seen/other", { n: 0 }, other);
      await stage("seen/loose", { n: 0 });
      await draft("seen/new", id, { n: 2 });
      await draft("seen-only/y", id);
      await stage("seen-gone/x", {}, id, { visibility: "draft" });
      const lists = async (access: ReturnType<typeof accessOf>) => {
        const found: string[] = [];
        for (const [path, filter] of [
          ["seen", { order_by: { field: "n", direction: "asc" } }],
          ["seen", { where: [{ key: "n", operator: "gt", value: "2" }], order_by: { field: "n", direction: "desc" } }],
          ["seen", { where: [{ key: "n", operator: "neq", value: "9" }], total: "true", limit: "2" }],
          ["seen", { return: "count" }],
          ["", { find: { depth: ">=1" }, where: [{ key: "n", operator: "eq", value: "2" }] }],
          ["seen-only", {}],
          ["seen-gone", {}],
          ["nowhere", {}],
        ] as const) {
          const args = parseJson(JSON.stringify(filter), 9) as JsonObject;
          const query = parseCollection(slug(path), args, { maxLimit: 100, defaultLimit: 100 });
          const list = entries.list(query, access);
          const text = await list.then(
            ({ json, total }) => `${wholeText(json)} ${total}`,
            ({ code }) => code as string,
          );
          found.push(text.replaceAll(/"modified_at":\d+/g, ""));
        }
        return found;
      };
      const through = { ...accessOf({ kind: "preview", release: id }, now) };
      const [expectedBefore, seen] = [await lists(accessOf({ kind: "delivery" }, now)), await lists(through)];
      const one = (await staged.find(slug("seen/changes"), { release: id, nowSeconds: now }))?.entry as Entry;
      await publish(id);
      assert.deepEqual(seen, await lists(accessOf({ kind: "delivery" }, now)));
      assert.notDeepEqual(seen, expectedBefore);
      assert.equal(one.data, (await find("seen/changes")).data);
      assert.ok(formatEntry(one).length > 0);
      assert.deepEqual(await lists(through), seen);
    });

    test("the store is whole", async () => verified(true));
  },
  { maxReleaseEntries },
);

test("a store has so many working copies and no more, those that an undo lays back counted", async () => {
  const options = sqliteOptions();
  const context = { actor: "test", nowSeconds: 1 };
  const changed: EntryInput = { data: '{"n":1}', isMergePatch: false, fields: {} };
  const places = ["a", "b", "c"].map((id) => id as Slug);
  const everywhere = { paths: null };
  await closing(openSqliteStore(options), async ({ entries, releases, staged }) => {
    const { id } = await releases.create(newRelease("Spring", { ...context, id: "r" }), context);
    for (const place of places) await entries.create(place, changed, context);
    for (const place of places.slice(0, 2)) await staged.stage(place, { ...changed, release: id }, context);
    await releases.publish(id, everywhere, context);
  });
  const other = new Sqlite(options, "write");
  const values =
    "published_revision, uuid, locale, slug, revision, data, removed, fields, staged_at, staged_by, authors, base";
  // Of no entries: here only their number counts.
  other.exec(`WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ${maxCopies - 1})
    INSERT INTO working_copy (${values})
      SELECT 0, 'copy ' || at, '', '', 1, '{}', '[]', '{}', 1, 'test', '{}', '{}' FROM n`);
  other.close();
  const refused = { code: "too_many_copies" };
  await closing(openSqliteStore(options), async ({ entries, releases, staged }) => {
    await assert.rejects(releases.undo("r", everywhere, context), refused);
    assert.equal((await entries.find(places[0] as Slug))?.stagedRevision, null);
    assert.equal((await releases.get("r", everywhere)).state, "published");
    await staged.stage(places[0] as Slug, changed, context);
    await assert.rejects(staged.stage(places[1] as Slug, changed, context), refused);
    await assert.rejects(staged.schedule(places[2] as Slug, { atSeconds: 9 }, context), { code: "nothing_staged" });
    // One that is there can change.
    await staged.stage(places[0] as Slug, { ...changed, data: '{"n":2}' }, context);
  });
});
