import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import { type JsonObject, parseJson } from "../../src/core/lib/json.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { type Entry, formatEntry } from "../../src/entry/entry.ts";
import { type File, formatFile } from "../../src/file/file.ts";
import type { TrashItem } from "../../src/trash/trash.ts";
import { isLong, orLong } from "../long.ts";
import { onEachEngine } from "./engines.ts";

/** What is deleted, restored and purged. Contract, part two, §11. */

const extensions = ["txt", "png"];
const place = { root: "", base: "" };
const nouns = ["entry", "folder", "file"] as const;
const large = orLong(1000, 10_000);

onEachEngine(async (store) => {
  const { entries, files, folders, trash, history, ledger } = store;
  let now = 1000;
  const by = (actor = "test") => ({ actor, nowSeconds: now });
  const input = (data: object, fields: object = {}) => ({ data: JSON.stringify(data), isMergePatch: false, fields });
  const create = (id: string, data: object = {}, fields: object = {}) =>
    entries.create(id as Slug, input(data, fields), by());
  const remove = async (id: string, isForGood = false) => {
    await entries.delete(id as Slug, { to: isForGood ? "nowhere" : "trash" }, by("deleter"));
    return (await newestEvent()).sequence;
  };
  const newestEvent = async () => {
    const [event] = await store.events.listBefore(undefined, 1);
    assert.ok(event);
    return event;
  };
  /** In the long form, otherwise after the last test. */
  const verified = async (isLast = isLong): Promise<void> => {
    if (isLast) assert.deepEqual(await store.verify(), []);
  };
  const restore = (id: number, newPath?: string) =>
    trash.restore(id, { newPath: newPath as Path | undefined, extensions }, by("restorer"));
  const listed = () => trash.list({ nouns, paths: null, before: undefined, limit: 100 });
  const find = async (id: string) => (await entries.find(id as Slug)) as Entry;
  /** The ids that a filter finds, by a management and by a public access. */
  const found = async (key: string, value: string): Promise<string[][]> => {
    const where = parseJson(
      JSON.stringify({ where: { key, operator: "eq", value }, depth: [">=1", "<=9"] }),
      9,
    ) as JsonObject;
    const query = parseCollection("" as Path, where, { maxLimit: 1000, defaultLimit: 1000 });
    const answers = await Promise.all(
      (["management", "delivery"] as const).map((kind) => entries.list(query, accessOf({ kind }, now))),
    );
    return answers.map(({ json }) =>
      (JSON.parse(wholeText(json)) as { slug: string }[]).map(({ slug }) => slug).toSorted(),
    );
  };
  const upload = async (path: string, letter: string, size = 3): Promise<File> => {
    const hash = letter.repeat(64);
    const { generation } = await ledger.keep(hash, size, now);
    const at = path.lastIndexOf("/");
    const input = {
      ...{ name: path.slice(at + 1), onConflict: "replace" as const },
      ...{ title: undefined, description: undefined, type: "text/plain", hash, generation, size, image: undefined },
    };
    return (await files.put(path.slice(0, Math.max(at, 0)) as Path, input, by())) as File;
  };

  describe("entries", () => {
    test("a delete is one item; a restore brings the subtree back as it was, with new revisions", async () => {
      const made = [
        await create("a", { colour: "red" }, { visibility: "hidden" }),
        await create("a/b", { colour: "red" }),
      ];
      made.push(await create("a/b/c", { colour: "red" }, { visibility: "draft", publishedAt: 5000 }));
      const bytes = made.reduce((sum, { data }) => sum + data.length, 0);
      now += 10;
      const id = await remove("a");
      assert.deepEqual(await listed(), [
        {
          ...{ id, noun: "entry", path: "a", count: 3, bytes, deletedAtSeconds: now, deletedBy: "deleter" },
        },
      ]);
      assert.deepEqual(await found("colour", "red"), [[], []]);
      now += 10;
      const { revision, ...item } = await restore(id);
      assert.deepEqual(item.path, "a");
      assert.deepEqual(await listed(), []);
      for (const before of made) {
        const entry = await find(before.slug);
        assert.equal(formatEntry(entry), formatEntry(before));
        assert.equal(entry.revision, revision);
      }
      assert.deepEqual(await found("colour", "red"), [["a", "a/b", "a/b/c"], ["a/b"]]);
      const event = await newestEvent();
      assert.deepEqual([event.kind, event.subject, event.target, event.count], ["entry.undelete", "a", null, 3]);
      await assert.rejects(restore(id), /no such item/);
    });

    test("a taken id refuses the restore; another path accepts it; history comes back", async () => {
      const first = await create("taken", { n: 0 });
      await create("taken/below", { n: 0 });
      const second = await entries.update("taken" as Slug, input({ n: 1 }), by());
      const id = await remove("taken");
      await create("taken/below", { n: "new" });
      await assert.rejects(restore(id), /"id" was "taken\/below"; an entry with this id exists/);
      await assert.rejects(restore(id, "taken/below"), /"new_id" was "taken\/below"/);
      await restore(id, "deep/er/place");
      assert.equal((await find("deep/er/place")).uuid, first.uuid);
      assert.equal((await find("deep/er/place/below")).data, '{"n":0,"content":""}');
      assert.deepEqual(
        (await entries.children("deep" as Path, undefined, 9)).map(({ slug }) => slug),
        ["deep/er"],
      );
      const rows = await history.list({ noun: "entry", thing: first.uuid }, undefined, 9);
      assert.deepEqual(
        rows.map((row) => row.revision),
        [first.revision],
      );
      const back = await entries.restore("deep/er/place" as Slug, { revision: first.revision }, by());
      assert.equal(back.data, '{"n":0,"content":""}');
      assert.ok(second.revision < back.revision);
      assert.deepEqual([(await newestEvent()).kind], ["entry.restore"]);
      await verified();
    });

    test("a path that would be too long is refused, and nothing is restored", async () => {
      const segment = "s".repeat(200);
      await create(["long", segment, segment, segment, segment].join("/"));
      await create("long");
      const id = await remove("long");
      await assert.rejects(restore(id, `${segment}/${segment}`), /"new_id"/);
      assert.equal(await find(segment), undefined);
      assert.equal((await trash.find(id))?.count, 2);
      await trash.purge(id, by());
    });

    test("a restore of many is in every list at once, before and after it enters the index", async () => {
      const count = 250;
      await create("many", { colour: "blue" });
      for (let n = 0; n < count; n++) await create(`many/${n}`, { colour: n % 2 ? "blue" : "green", n });
      const uuids = new Map<string, string>();
      for (let n = 0; n < count; n++) uuids.set(`many/${n}`, (await find(`many/${n}`)).uuid);
      const before = await found("colour", "blue");
      const id = await remove("many");
      await restore(id);
      const check = async () => {
        assert.deepEqual(await found("colour", "blue"), before);
        await verified();
      };
      await check();
      // Writes to rows that are not in the index yet.
      await entries.update("many/1" as Slug, input({ colour: "green" }), by());
      await entries.update("many/2" as Slug, input({ colour: "blue" }), by());
      await entries.move("many/3" as Slug, { newSlug: "many/moved" as Slug }, by());
      await entries.copy("many" as Slug, { newSlug: "copy" as Slug }, by());
      await entries.delete("many/5" as Slug, { to: "trash" }, by());
      const changed = await found("colour", "blue");
      assert.ok(["many/2", "many/moved", "copy/2", "copy/moved"].every((slug) => changed[0]?.includes(slug)));
      assert.ok(["many/1", "many/3", "many/5"].every((slug) => !changed[0]?.includes(slug)));
      // The only look at what is restored and not indexed.
      await verified(true);
      await trash.indexRestored();
      assert.deepEqual(await found("colour", "blue"), changed);
      await verified();
      for (const [slug, uuid] of uuids) {
        if (["many/3", "many/5"].includes(slug)) continue;
        assert.equal((await find(slug)).uuid, uuid);
      }
    });

    test("a restore of few large ones is in every list, and enters the index", async () => {
      const text = "x".repeat(900_000);
      for (let n = 0; n < 8; n++) await create(`wide/${n}`, { n, mark: "wide", text });
      await create("wide", { mark: "wide" });
      const before = await found("mark", "wide");
      await restore(await remove("wide"));
      assert.deepEqual(await found("mark", "wide"), before);
      await trash.indexRestored();
      assert.deepEqual(await found("mark", "wide"), before);
      await verified();
    });

    test(`of a deleted subtree of ${large}, one created again is 409; elsewhere all uuids come back`, async () => {
      await create("large", { n: -1 });
      for (let n = 1; n < 100; n++) await create(`large/0/${n}`, { n });
      await create("large/0", { n: 0 });
      for (let n = 1; n < large / 100; n++)
        await entries.copy("large/0" as Slug, { newSlug: `large/${n}` as Slug }, by());
      const idsBelow = async (top: string) => {
        const args = { depth: ">=0", limit: String(2 * large) };
        const query = parseCollection(top as Path, parseJson(JSON.stringify(args), 9) as JsonObject, {
          ...{ maxLimit: 2 * large, defaultLimit: 2 * large },
        });
        const { json } = await entries.list(query, accessOf({ kind: "management" }, now));
        const found = JSON.parse(wholeText(json)) as { slug: string; uuid: string }[];
        return new Map(found.map(({ slug, uuid }) => [slug.slice(top.length), uuid]));
      };
      const before = await idsBelow("large");
      assert.equal(before.size, large + 1);
      const seen = new Set<number>();
      for (const n of [1, 50, 99]) seen.add((await find(`large/0/${n}`)).revision);
      const id = await remove("large");
      await create("large/3/7", { n: "again" });
      await assert.rejects(restore(id), /"id" was "large\/3\/7"/);
      assert.equal((await idsBelow("large/3")).size, 1);
      const { revision } = await restore(id, "large-back");
      assert.deepEqual(await idsBelow("large-back"), before);
      for (const n of [1, 50, 99]) assert.equal((await find(`large-back/0/${n}`)).revision, revision);
      assert.ok(!seen.has(revision));
      await trash.indexRestored();
      await verified();
    });

    test("a delete for good, and a purge, leave nothing, not even history", async () => {
      const kept = await create("kept-out");
      await entries.update("kept-out" as Slug, input({ n: 1 }), by());
      const id = await remove("kept-out", true);
      assert.equal(await trash.find(id), undefined);
      await assert.rejects(restore(id), /no such item/);
      const other = await create("purged");
      await entries.update("purged" as Slug, input({ n: 1 }), by());
      const purged = await remove("purged");
      await trash.purge(purged, by("purger"));
      const event = await newestEvent();
      assert.deepEqual([event.kind, event.subject, event.actor, event.count], ["trash.purge", "purged", "purger", 1]);
      await assert.rejects(trash.purge(purged, by()), /no such item/);
      await trash.clear(now);
      for (const { uuid } of [kept, other])
        assert.deepEqual(await history.list({ noun: "entry", thing: uuid }, undefined, 9), []);
      await verified();
    });

    test("items are listed by noun, page and text, and expire", async () => {
      for (const id of await trash.list({ nouns, paths: null, before: undefined, limit: 100 }))
        await trash.purge(id.id, by());
      now += 1000;
      for (const id of ["Über/eins", "other", "über-zwei"]) {
        await create(id);
        await remove(id);
      }
      await upload("list.txt", "1");
      await files.delete("list.txt" as Path, { to: "trash" }, by());
      const paths = (items: TrashItem[]) => items.map(({ path }) => path);
      const all = await listed();
      assert.deepEqual(paths(all), ["list.txt", "über-zwei", "other", "Über/eins"]);
      const query = { nouns, paths: null, before: undefined, limit: 100 };
      assert.deepEqual(paths(await trash.list({ ...query, nouns: ["entry"] })), ["über-zwei", "other", "Über/eins"]);
      assert.deepEqual(paths(await trash.list({ ...query, search: "ÜBER" })), ["über-zwei", "Über/eins"]);
      const page = await trash.list({ ...query, limit: 2 });
      assert.deepEqual([...page, ...(await trash.list({ ...query, before: page.at(-1)?.id }))], all);
      assert.deepEqual(await trash.totals(), { items: 4, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) });
      assert.equal(await trash.expire(now, by("octavo")), 0);
      assert.equal(await trash.expire(now + 1, by("octavo")), 4);
      assert.deepEqual(await listed(), []);
      await trash.clear(now);
      assert.deepEqual(await trash.totals(), { items: 0, bytes: 0 });
    });
  });

  describe("files and folders", () => {
    test("a deleted file keeps its bytes until it is purged, and comes back with its fields", async () => {
      const file = await upload("docs/one.txt", "a");
      const { revision: id } = await files.delete("docs/one.txt" as Path, { to: "trash" }, by());
      await ledger.sweep(now + 1e6);
      assert.equal((await ledger.find(file.hash))?.path, "docs/one.txt (in the trash)");
      await restore(id);
      const back = (await files.find("docs/one.txt" as Path)) as File;
      assert.equal(formatFile(back, place), formatFile(file, place));
      assert.deepEqual([back.uuid, back.createdAt, back.revision > id], [file.uuid, file.createdAt, true]);
      const { revision: again } = await files.delete("docs/one.txt" as Path, { to: "trash" }, by());
      await trash.purge(again, by());
      await trash.clear(now);
      await ledger.sweep(now);
      assert.ok(await ledger.find(file.hash));
      await ledger.sweep(now + 1);
      assert.equal(await ledger.find(file.hash), undefined);
    });

    test("a file comes back under another name, whose folders are made, if its extension is accepted", async () => {
      await upload("docs/two.txt", "b");
      const { revision: id } = await files.delete("docs/two.txt" as Path, { to: "trash" }, by());
      await upload("docs/two.txt", "c");
      await assert.rejects(restore(id), /"id" was "docs\/two.txt"; there is a file/);
      await assert.rejects(restore(id, "docs/two.exe"), /exe/);
      await folders.delete("docs" as Path, { to: "trash" }, by());
      await restore(id, "new/place/three.txt");
      assert.equal((await files.find("new/place/three.txt" as Path))?.hash, "b".repeat(64));
      assert.ok(await folders.find("new/place" as Path));
    });

    test("a folder comes back with everything below it", async () => {
      await folders.create("media/empty/deep" as Path, by());
      const made = [await upload("media/a.txt", "d"), await upload("media/sub/b.txt", "e", 5)];
      for (let n = 0; n < 120; n++) await upload(`media/many/${n}.txt`, "f");
      const { revision: id } = await folders.delete("media" as Path, { to: "trash" }, by());
      const item = await trash.find(id);
      assert.deepEqual([item?.noun, item?.count, item?.bytes], ["folder", 127, 3 + 5 + 360]);
      assert.equal(await folders.find("media" as Path), undefined);
      await folders.create("media" as Path, by());
      await assert.rejects(restore(id), /folder already/);
      await folders.delete("media" as Path, { to: "nowhere" }, by());
      await restore(id);
      for (const file of made) {
        const back = (await files.find(file.path)) as File;
        assert.equal(formatFile(back, place), formatFile(file, place));
        assert.equal(back.uuid, file.uuid);
      }
      assert.ok(await folders.find("media/empty/deep" as Path));
      assert.equal((await files.content("media/many" as Path))?.files.length, 120);
      await verified();
      await files.change("media/many/7.txt" as Path, { verb: "add", keys: ["alt"], value: '"x"' }, by());
      await files.move("media/many/8.txt" as Path, { newPath: "media/8.txt" as Path, extensions }, by());
      await verified();
      await trash.indexRestored();
      await verified();
      const { revision: again } = await folders.delete("media" as Path, { to: "trash" }, by());
      const restored = await restore(again, "elsewhere/media");
      assert.deepEqual([restored.path, (await newestEvent()).target], ["elsewhere/media", "elsewhere/media"]);
      assert.ok(await files.find("elsewhere/media/sub/b.txt" as Path));
      assert.ok(await folders.find("elsewhere/media/empty/deep" as Path));
    });
  });

  test("of racing restores of one item one succeeds", async () => {
    await create("race");
    const id = await remove("race");
    const outcomes = await Promise.allSettled([restore(id), restore(id, "race-2"), restore(id, "race-3")]);
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ["fulfilled", "rejected", "rejected"]);
    await verified(true);
  });
});
