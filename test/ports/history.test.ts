import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import type { Path, Slug } from "../../src/core/path.ts";
import { type Entry, formatEntry } from "../../src/entry/entry.ts";
import { type File, formatFile } from "../../src/file/file.ts";
import { entryIn, fileIn, type VersionedThing } from "../../src/version/version.ts";
import { onEachEngine } from "./engines.ts";

/** Earlier contents of entries, files and registry items. Contract, part two, §11. */

const bounds = { rows: 100, seconds: 365 * 86_400, bytes: 16 * 1024 * 1024 };
/** Of a thing whose present state is not asked for. */
const gone = { id: "gone", since: undefined };

onEachEngine(async (store) => {
  const { entries, files, registry, history, ledger } = store;
  let now = 1000;
  const by = (actor = "test") => ({ actor, nowSeconds: now });
  const input = (data: object, fields: object = {}) => ({ data: JSON.stringify(data), isMergePatch: false, fields });
  const create = (id: string, data: object = { n: 0 }) => entries.create(id as Slug, input(data), by());
  const update = (id: string, data: object, fields: object = {}, actor = "test") =>
    entries.update(id as Slug, input(data, fields), by(actor));
  const thingOf = ({ uuid }: Entry): VersionedThing => ({ noun: "entry", thing: uuid });
  const listOf = async (entry: Entry) => history.list(thingOf(entry), undefined, 100);
  const nOf = ({ data }: Pick<Entry, "data">): unknown => JSON.parse(data).n;
  const newest = async () => (await store.events.bounds()).newest;

  describe("entries", () => {
    test("an update keeps the content before it, with its revision, time and actor; a create keeps none", async () => {
      const created = await create("kept");
      assert.deepEqual(await listOf(created), []);
      now += 10;
      const second = await update("kept", { n: 1 }, { visibility: "draft" }, "second");
      now += 10;
      await update("kept", { n: 2 }, {}, "third");
      assert.deepEqual(await listOf(created), [
        {
          ...{ revision: second.revision, nextRevision: await newest(), atSeconds: now - 10, actor: "second" },
          ...{ replacedAtSeconds: now, replacedBy: "third", bytes: (await listOf(created))[0]?.bytes },
        },
        {
          ...{ revision: created.revision, nextRevision: second.revision, atSeconds: now - 20, actor: "test" },
          ...{ replacedAtSeconds: now - 10, replacedBy: "second", bytes: (await listOf(created))[1]?.bytes },
        },
      ]);
      const state = await history.find(thingOf(created), created.revision, gone);
      assert.ok(state);
      assert.equal(formatEntry(entryIn(second, state)), formatEntry(created));
    });

    test("the content in force at any event is found, across moves", async () => {
      const created = await create("moves");
      await create("another");
      const moved = await entries.move("moves" as Slug, { newSlug: "moved" as Slug }, by());
      const second = await update("moved", { n: 1 });
      await entries.move("moved" as Slug, { newSlug: "moved-again" as Slug }, by());
      const third = await update("moved-again", { n: 2 });
      const at = async (revision: number) => {
        const state = await history.find(thingOf(created), revision, { id: "moved-again", since: third.revision });
        return state && nOf(state);
      };
      await assert.rejects(at(created.revision - 1), /no content/);
      for (let revision = created.revision; revision <= moved.revision; revision++) assert.equal(await at(revision), 0);
      for (let revision = second.revision; revision < third.revision; revision++) assert.equal(await at(revision), 1);
      assert.equal(await at(third.revision), undefined);
      await create("later");
      assert.equal(await at(await newest()), undefined);
      await assert.rejects(at((await newest()) + 1), /no content/);
      await assert.rejects(
        entries.restore("moved-again" as Slug, { revision: (await newest()) + 1 }, by()),
        /no content/,
      );
      const copy = await entries.copy("moved-again" as Slug, { newSlug: "copied" as Slug }, by());
      assert.deepEqual(await listOf(copy), []);
    });

    const byName = (name: string) => ({ publishedBy: name, createdBy: name });
    const hiddenFields = { visibility: "hidden" as const, publishedAt: 7, routable: false, ...byName("ann") };
    const publicFields = { visibility: "visible" as const, publishedAt: 8, routable: true, ...byName("bob") };

    test("a restore brings back the data and keeps the service's fields, is one event, and keeps what it replaces", async () => {
      const created = await entries.create("back" as Slug, input({ n: 0, list: [1, 2] }, hiddenFields), by());
      now += 5;
      const changed = await update("back", { n: 1, more: true }, publicFields);
      now += 5;
      const restored = await entries.restore("back" as Slug, { revision: created.revision }, by("restorer"));
      const expected = { ...created, ...publicFields, modifiedAt: now };
      assert.equal(formatEntry(restored), formatEntry(expected));
      assert.equal(restored.modifiedAt, now);
      assert.ok(restored.revision > changed.revision);
      assert.equal((await store.events.listBefore(undefined, 1))[0]?.kind, "entry.restore");
      assert.deepEqual(
        (await listOf(restored)).map(({ revision }) => revision),
        [changed.revision, created.revision],
      );
      const found = await entries.find("back" as Slug);
      assert.deepEqual([nOf(found as Entry), found?.visibility], [0, "visible"]);
      await assert.rejects(
        entries.restore("back" as Slug, { revision: created.revision - 1 }, by()),
        /revision_not_found|reach|no content/,
      );
      await assert.rejects(
        entries.restore("back" as Slug, { revision: created.revision }, { ...by(), ifMatch: '"0"' }),
        /revision_mismatch|If-Match/i,
      );
      await assert.rejects(entries.restore("nowhere" as Slug, { revision: 1 }, by()), /no entry/);
    });

    test("a restore of the state, too, brings back each field of the service", async () => {
      const created = await entries.create("state" as Slug, input({ n: 0 }, hiddenFields), by());
      now += 5;
      await update("state", { n: 1 }, publicFields);
      const restored = await entries.restore(
        "state" as Slug,
        { revision: created.revision, parts: "data and state" },
        by(),
      );
      assert.equal(formatEntry({ ...restored, modifiedAt: created.modifiedAt }), formatEntry(created));
      assert.deepEqual(await store.verify(), []);
    });

    test("a restore of a subtree keeps the service's fields unless their state is asked for", async () => {
      now += 100;
      const at = now;
      for (const id of ["states", "states/a", "states/b"])
        await entries.create(id as Slug, input({ n: 0 }, hiddenFields), by());
      now += 10;
      await update("states/a", { n: 1 }, publicFields);
      // Its data is that of the moment: it does not differ.
      await update("states/b", {}, publicFields);
      const restore = (parts?: "data and state") =>
        entries.restoreSubtree("states" as Slug, { atSeconds: at, parts }, by());
      const states = () =>
        Promise.all(
          ["states/a", "states/b"].map(async (id) => {
            const { data, visibility, publishedAt, routable } = (await entries.find(id as Slug)) as Entry;
            return [JSON.parse(data).n, visibility, publishedAt, routable];
          }),
        );
      assert.equal(await restore(), 1);
      const isPublic = [0, "visible", 8, true];
      assert.deepEqual(await states(), [isPublic, isPublic]);
      assert.equal(await restore(), 0);
      assert.equal(await restore("data and state"), 2);
      const isHidden = [0, "hidden", 7, false];
      assert.deepEqual(await states(), [isHidden, isHidden]);
    });

    test("a subtree gets the content of a moment; places, deletions and newer entries stay", async () => {
      now += 100;
      const at = now;
      for (const id of ["tree", "tree/a", "tree/b", "tree/c"]) await create(id);
      await update("tree/b", { n: "same second" });
      now += 10;
      for (const id of ["tree", "tree/a"]) await update(id, { n: 1 });
      await update("tree/b", { n: 1 }, { visibility: "draft" });
      await entries.delete("tree/c" as Slug, { to: "trash" }, by());
      await create("tree/new", { n: "new" });
      await entries.move("tree/a" as Slug, { newSlug: "tree/moved" as Slug }, by());
      now += 10;
      const before = await newest();
      assert.equal(await entries.restoreSubtree("tree" as Slug, { atSeconds: at }, by()), 3);
      assert.equal(await newest(), before + 1);
      const now_ = async (id: string) => nOf((await entries.find(id as Slug)) as Entry);
      assert.deepEqual(await Promise.all(["tree", "tree/moved", "tree/b", "tree/new"].map(now_)), [
        ...[0, 0, "same second", "new"],
      ]);
      assert.equal((await entries.find("tree/b" as Slug))?.visibility, "draft");
      assert.equal(await entries.find("tree/c" as Slug), undefined);
      assert.equal(await entries.restoreSubtree("tree" as Slug, { atSeconds: now }, by()), 0);
      assert.equal(await newest(), before + 1);
      await assert.rejects(entries.restoreSubtree("no/such" as Slug, { atSeconds: at }, by()), /no entry/);
    });

    test("a moment after a clock was set back has the content of then, not that of the time ahead", async () => {
      now += 100;
      const time = now;
      const at = async (seconds: number, n: number) => {
        now = time + seconds;
        return n === 0 ? create("clock", { n }) : update("clock", { n });
      };
      const contents = [await at(0, 0), await at(1000, 1), await at(10, 2), await at(20, 3)];
      const restoredAt = async (seconds: number) => {
        now = time + 30;
        const count = await entries.restoreSubtree("clock" as Slug, { atSeconds: time + seconds }, by());
        const n = nOf((await entries.find("clock" as Slug)) as Entry);
        if (count > 0) await entries.restore("clock" as Slug, { revision: contents[3]?.revision as number }, by());
        return [count, n];
      };
      assert.deepEqual(await restoredAt(25), [0, 3]);
      assert.deepEqual(await restoredAt(15), [1, 2]);
      assert.deepEqual(await restoredAt(5), [1, 0]);
      now = time + 1100;
    });

    test("entries that were read before the restore of a subtree, or of all, are read with the restored content", async () => {
      now += 100;
      const at = now;
      for (const id of ["read", "read/below"]) await create(id, { n: "old" });
      for (const path of ["read", ""]) {
        now += 10;
        await update("read/below", { n: "new" });
        assert.equal(nOf((await entries.find("read/below" as Slug)) as Entry), "new");
        await entries.restoreSubtree(path as Slug, { atSeconds: at }, by());
        assert.equal(nOf((await entries.find("read/below" as Slug)) as Entry), "old", path);
      }
    });

    test("filters find restored content, and no longer what it replaced", async () => {
      const created = await create("found", { colour: "red" });
      await update("found", { colour: "blue" });
      await entries.restore("found" as Slug, { revision: created.revision }, by());
      assert.deepEqual(await store.verify(), []);
    });
  });

  describe("files", () => {
    const upload = async (path: string, hash: string, size = 3): Promise<File> => {
      const { generation } = await ledger.keep(hash, size, now);
      const [folder, name] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
      const facts = { type: "text/plain", hash, generation, size, image: undefined };
      const file = {
        name,
        onConflict: "replace" as const,
        title: undefined,
        description: undefined,
      };
      return (await files.put(folder as Path, { ...file, ...facts }, by())) as File;
    };
    const hashOf = (letter: string) => letter.repeat(64);

    test("an upload over a name and a change of meta keep bytes and fields, which no sweep takes", async () => {
      const first = await upload("docs/a.txt", hashOf("a"));
      const second = await upload("docs/a.txt", hashOf("b"));
      const third = await files.change("docs/a.txt" as Path, { verb: "add", keys: ["alt"], value: '"text"' }, by());
      const thing = { noun: "file", thing: first.uuid } as const;
      const rows = await history.list(thing, undefined, 10);
      assert.deepEqual(
        rows.map(({ revision }) => revision),
        [second.revision, first.revision],
      );
      const state = await history.find(thing, first.revision, gone);
      assert.ok(state);
      const place = { root: "", base: "" };
      assert.equal(formatFile(fileIn(third, state), place), formatFile(first, place));
      assert.equal(await ledger.sweep(now + 1e6), 0);
      const restored = await files.restore("docs/a.txt" as Path, { revision: first.revision }, by());
      assert.deepEqual([restored.hash, restored.meta], [hashOf("a"), "{}"]);
      assert.equal((await store.events.listBefore(undefined, 1))[0]?.kind, "file.restore");
      assert.equal(await ledger.sweep(now + 1e6), 0);
      await assert.rejects(files.restore("docs/a.txt" as Path, { revision: 1 }, by()), /no content/);
    });

    test("a trimmed history lets go of the bytes", async () => {
      const hashes = ["c", "d", "e"].map(hashOf);
      for (const hash of hashes) await upload("docs/b.txt", hash);
      await history.trim({ ...bounds, rows: 1 }, now);
      assert.equal(await ledger.sweep(now), 0);
      assert.equal(await ledger.sweep(now + 1), 1);
      assert.equal((await ledger.find(hashOf("d")))?.path, "(earlier bytes, in the history)");
    });
  });

  describe("registry items", () => {
    const thingOfKey = (thing: string): VersionedThing => ({ noun: "registry_item", thing });

    test("a set and a delete keep the value before it, and a restore sets it again", async () => {
      const put = (value: string) => registry.put("site.name", { value }, { actor: "test", nowSeconds: now });
      await put('"one"');
      const one = await newest();
      await put('"two"');
      await registry.delete("site", { actor: "test", nowSeconds: now });
      const rows = await history.list(thingOfKey("site.name"), undefined, 10);
      assert.deepEqual(
        rows.map(({ revision }) => revision),
        [one + 1, one],
      );
      await registry.restore("site.name", { revision: one }, by());
      assert.equal((await registry.listBelow("site.name"))[0]?.value, '"one"');
      await registry.restore("site.name", { revision: one + 1 }, by());
      assert.equal((await registry.listBelow("site.name"))[0]?.value, '"two"');
      await assert.rejects(registry.restore("site.name", { revision: one - 1 }, by()), /no content/);
      await assert.rejects(registry.restore("site.other", { revision: one }, by()), /no content/);
    });
  });

  describe("bounds", () => {
    const many = async (count: number, data: (n: number) => object = (n) => ({ n })) => {
      const entry = await create(`many/${randomUUID()}`, data(0));
      for (let n = 1; n <= count; n++) await update(entry.slug, data(n));
      return entry;
    };
    const kept = async (entry: Entry) => {
      const rows = await listOf(entry);
      const states = await Promise.all(rows.map(({ revision }) => history.find(thingOf(entry), revision, gone)));
      return states.map((state) => state && nOf(state));
    };

    test("the newest rows stay within the number and the size, the newest one whatever its size is", async () => {
      const entry = await many(6);
      const wide = await many(4, (n) => ({ n, text: "x".repeat(1000) }));
      await history.trim({ ...bounds, rows: 4 }, now);
      assert.deepEqual(await kept(entry), [5, 4, 3, 2]);
      await history.trim({ ...bounds, bytes: 2500 }, now);
      assert.deepEqual(await kept(wide), [3, 2]);
      await history.trim({ ...bounds, bytes: 10 }, now);
      assert.deepEqual(await kept(wide), [3]);
    });

    test("rows expire by the time of their replacement; without a bound of any there is none", async () => {
      now += 1000;
      const old = await many(2);
      now += 100;
      await update(old.slug, { n: "new" });
      await history.trim({ ...bounds, seconds: 50 }, now);
      assert.deepEqual(await kept(old), [2]);
      await history.trim({ ...bounds, rows: 0 }, now);
      assert.deepEqual(await history.totals(), { rows: 0, bytes: 0 });
    });

    test("rows of a clock that was ahead expire with those after them, and hold up none", async () => {
      const years = 10 * 365 * 86_400;
      now += 100;
      const time = now;
      const first = await create(`many/${randomUUID()}`);
      now += years;
      await update(first.slug, { n: 1 });
      now = time;
      const old = await many(1);
      now += 100;
      const next = await create(`many/${randomUUID()}`);
      now += years;
      await update(next.slug, { n: 1 });
      now = time + 100;
      const kept = await many(1);
      await history.trim({ ...bounds, seconds: 50 }, now);
      const counts = await Promise.all([first, old, next, kept].map(async (entry) => (await listOf(entry)).length));
      assert.deepEqual(counts, [0, 0, 1, 1]);
      await history.trim({ ...bounds, rows: 0 }, now);
      assert.deepEqual(await history.totals(), { rows: 0, bytes: 0 });
    });

    test("pages of a list continue before the last row", async () => {
      const entry = await many(5);
      const first = await history.list(thingOf(entry), undefined, 2);
      const next = await history.list(thingOf(entry), first.at(-1)?.nextRevision, 10);
      assert.deepEqual([...first, ...next], await listOf(entry));
    });
  });

  test("the store is whole", async () => assert.deepEqual(await store.verify(), []));
});
