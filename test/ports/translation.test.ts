import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writeBackup } from "../../src/backup/backup.ts";
import { readBackup } from "../../src/backup/restore.ts";
import { TarReader, TarWriter } from "../../src/backup/tar/backup.ts";
import type { LocaleSight } from "../../src/core/access/access.ts";
import { type Access, accessOf } from "../../src/core/access/access.ts";
import { BlobFolder } from "../../src/core/bytes/disk/blob-folder.ts";
import { nodeDisk } from "../../src/core/bytes/disk/disk.ts";
import { Staging } from "../../src/core/bytes/disk/staging.ts";
import { publicity } from "../../src/core/event.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import { formatRevision } from "../../src/core/revision.ts";
import { chainItems } from "../../src/core/sql/index/layer.ts";
import type { SqlStore } from "../../src/database.ts";
import type { EntryInput } from "../../src/entry/entry.ts";
import { newRelease } from "../../src/working-copy/release.ts";
import { startWorld } from "../harness.ts";
import { engines, onEachEngine } from "./engines.ts";

/** Translations: races, the trash, history and backups. Contract §24. */

const de: LocaleSight = { own: "de", chain: ["de"], isStrict: false };
const fr: LocaleSight = { own: "fr", chain: ["fr", "de"], isStrict: false };
const management: Access = { ...accessOf({ kind: "management" }, 2000), locale: de };
const delivery: Access = { ...accessOf({ kind: "delivery" }, 2000), locale: de };

onEachEngine(async (store, engine) => {
  const { entries, translations, trash, history, staged } = store;
  const by = (nowSeconds = 1000) => ({ actor: "test", nowSeconds });
  const slug = (id: string) => id as Slug;
  const input = (data: object, fields: EntryInput["fields"] = {}): EntryInput => ({
    ...{ data: JSON.stringify(data), isMergePatch: false, fields },
  });
  const create = (id: string, data: object = { title: "Hello" }, fields: EntryInput["fields"] = {}) =>
    entries.create(slug(id), input(data, fields), by());
  const translate = (id: string, data: object, locale = "de", more: object = {}) =>
    translations.put(slug(id), locale, { input: input(data), ...more }, by());
  const titleOf = async (id: string, access = management, of: SqlStore = store) => {
    const [entry] = await of.translations.findAll([slug(id)], access, true);
    return entry && JSON.parse(entry.data).title;
  };
  const rowOf = async (id: string, locale = "de") =>
    (await translations.find(slug(id)))?.translations.find((each) => each.locale === locale);
  const codeOf = (write: Promise<unknown>): Promise<string> =>
    write.then(
      () => "ok",
      (error) => {
        if (error instanceof Problem) return error.code;
        throw error;
      },
    );
  const newestItem = async () =>
    (await trash.list({ nouns: ["entry"], paths: null, before: undefined, limit: 1 }))[0]?.id ?? 0;
  const restore = (id: number) => trash.restore(id, { newPath: undefined, extensions: [] }, by());
  const purge = async (id: number) => {
    await trash.purge(id, by());
    await trash.clear(1000);
  };
  const pastOf = async (id: string, locale = "de") =>
    (
      await history.list({ noun: "entry", thing: (await entries.find(slug(id)))?.uuid ?? "", locale }, undefined, 100)
    ).map(({ revision }) => revision);
  const verified = async () => assert.deepEqual(await store.verify(), []);

  test("of two writes of one state one is refused, and both are kept where they name none", async () => {
    await create("race");
    await translate("race", { title: "Hallo" });
    const ifMatch = `"${formatRevision((await rowOf("race"))?.revision ?? 0)}"`;
    const raced = ["A", "B"].map((title) =>
      codeOf(translations.put(slug("race"), "de", { input: input({ title }) }, { ...by(), ifMatch })),
    );
    assert.deepEqual((await Promise.all(raced)).toSorted(), ["ok", "revision_mismatch"]);
    await Promise.all(["a", "b", "c", "d"].map((key) => translate("race", { [key]: key })));
    const { data = "{}" } = (await rowOf("race")) ?? {};
    assert.deepEqual(Object.keys(JSON.parse(data)).toSorted(), ["a", "b", "c", "d", "title"]);
    await create("first");
    await Promise.all(["a", "b", "c", "d"].map((key) => translate("first", { [key]: key }, "fr")));
    assert.deepEqual(Object.keys(JSON.parse((await rowOf("first", "fr"))?.data ?? "{}")).toSorted(), [
      "a",
      "b",
      "c",
      "d",
    ]);
    await verified();
  });

  test("of two that take one name one is refused, also of a write and a move", async () => {
    for (const id of ["names", "names/a", "names/b", "elsewhere/c"]) await create(id);
    const named = ["names/a", "names/b"].map((id) => codeOf(translate(id, {}, "de", { name: "eins" })));
    assert.deepEqual((await Promise.all(named)).toSorted(), ["name_taken", "ok"]);
    await translate("elsewhere/c", {}, "de", { name: "zwei" });
    const both = await Promise.all([
      codeOf(translate("names/a", {}, "de", { name: "zwei" })),
      codeOf(entries.move(slug("elsewhere/c"), { newSlug: slug("names/c") }, by())),
    ]);
    assert.deepEqual(both.toSorted(), ["name_taken", "ok"]);
    await verified();
  });

  test("a publish and a write of one translation are one after the other", async () => {
    for (let i = 0; i < 5; i++) {
      const id = `publish-${i}`;
      await create(id);
      await staged.stage(slug(id), input({ title: "Hallo" }), { ...by(), locale: "de" });
      await Promise.all([
        staged.publish(slug(id), {}, { ...by(), locale: "de" }),
        translate(id, { text: "Text" }),
        entries.update(slug(id), input({ more: 1 }), by()),
      ]);
      assert.deepEqual(JSON.parse((await rowOf(id))?.data ?? "{}"), { title: "Hallo", text: "Text" });
      assert.equal((await pastOf(id)).length, 1);
    }
    await verified();
  });

  test("a purge of one item of a translation leaves the entry, its history and other items of that translation", async () => {
    await create("purged");
    await entries.update(slug("purged"), input({ title: "Hello 2" }), by());
    await translate("purged", { title: "Salut" }, "fr");
    await translate("purged", { title: "Salut 2" }, "fr");
    const items: number[] = [];
    for (const title of ["eins", "zwei", "drei"]) {
      await translate("purged", { title });
      await translations.delete(slug("purged"), "de", by());
      items.push(await newestItem());
    }
    const [first = 0, second = 0, third = 0] = items;
    const others = [await pastOf("purged", ""), await pastOf("purged", "fr")];
    await purge(second);
    await verified();
    assert.deepEqual([await pastOf("purged", ""), await pastOf("purged", "fr")], others);
    await restore(first);
    assert.equal(await titleOf("purged"), "eins");
    await translations.delete(slug("purged"), "de", by());
    await restore(third);
    assert.equal(await titleOf("purged"), "drei");
    assert.equal(await titleOf("purged", { ...management, locale: fr }), "Salut 2");
    await verified();
  });

  test("a purge of an entry takes the items of its translations along", async () => {
    await create("whole");
    await create("whole/below");
    await translate("whole/below", { title: "Unten" });
    await translations.delete(slug("whole/below"), "de", by());
    const item = await newestItem();
    await entries.delete(slug("whole"), { to: "trash" }, by());
    assert.equal(await codeOf(restore(item)), "entry_not_found");
    await purge(await newestItem());
    await verified();
    assert.notEqual(await newestItem(), item);
  });

  test("an entry that is deleted for good leaves no translation", async () => {
    await create("gone");
    await translate("gone", { title: "Hallo" });
    await translate("gone", { title: "Salut" }, "fr");
    await translations.delete(slug("gone"), "fr", by());
    await staged.stage(slug("gone"), input({ title: "Servus" }), { ...by(), locale: "de" });
    await entries.delete(slug("gone"), { to: "nowhere" }, by());
    await trash.clear(1000);
    await verified();
  });

  test("what is trimmed of the history of a translation is no item of the trash", async () => {
    await create("trim");
    await translate("trim", { title: "gelöscht" });
    await translations.delete(slug("trim"), "de", by());
    const item = await newestItem();
    for (let n = 0; n < 6; n++) await translate("trim", { title: `${n}` });
    await history.trim({ rows: 2, seconds: 1e9, bytes: 1e9 }, 1000);
    await verified();
    assert.equal((await pastOf("trim")).filter((revision) => revision > item).length, 2);
    await translations.delete(slug("trim"), "de", by());
    await restore(item);
    assert.equal(await titleOf("trim"), "gelöscht");
    await history.trim({ rows: 0, seconds: 1, bytes: 0 }, 1000);
    await verified();
  });

  test("an undo of the first translation lays its working copy back", async () => {
    await create("undone");
    await store.releases.create(newRelease("undone", { ...by(), id: "undone" }), by());
    const staging = { ...input({ title: "Hallo" }), release: "undone" };
    await staged.stage(slug("undone"), staging, { ...by(), locale: "de" });
    await store.releases.publish("undone", { paths: null }, by());
    assert.equal(await titleOf("undone"), "Hallo");
    await store.releases.undo("undone", { paths: null }, by());
    assert.equal(await titleOf("undone"), "Hello");
    assert.equal(await titleOf("undone", { ...management, reads: "staged" }), "Hallo");
    await verified();
    await store.releases.publish("undone", { paths: null }, by());
    assert.equal(await titleOf("undone"), "Hallo");
  });

  test("a revision names its own content, also of a translation that came back among later ones", async () => {
    await create("again");
    const items: number[] = [];
    const revisions: number[] = [];
    for (const title of ["eins", "zwei"]) {
      revisions.push((await translate("again", { title })).revision);
      await translations.delete(slug("again"), "de", by());
      items.push(await newestItem());
    }
    await restore(items[0] as number);
    await translate("again", { title: "drei" });
    await translations.delete(slug("again"), "de", by());
    await restore(items[1] as number);
    const back = async (revision = 0) => {
      await entries.restore(slug("again"), { revision }, { ...by(), locale: "de" });
      return titleOf("again");
    };
    assert.deepEqual(
      [await back(revisions[1]), await back(revisions[0]), await back(revisions[1])],
      ["zwei", "eins", "zwei"],
    );
  });

  test("a restore makes a translation again that is in the trash", async () => {
    await create("remade");
    const { revision } = await translate("remade", { title: "Hallo" });
    await translate("remade", { title: "Servus" });
    await translations.delete(slug("remade"), "de", by());
    await entries.restore(slug("remade"), { revision }, { ...by(), locale: "de" });
    const made = await rowOf("remade");
    assert.deepEqual([made?.data, made?.visibility], ['{"title":"Hallo"}', "draft"]);
    await verified();
  });

  test("a preview of some paths has drafts of translations, and their names, there alone", async () => {
    for (const id of ["in", "out"]) {
      await create(id);
      await translations.put(
        slug(id),
        "de",
        { input: input({ title: "Entwurf" }, { visibility: "draft" }), name: `${id}-de` },
        by(),
      );
    }
    const preview: Access = { ...accessOf({ kind: "preview", paths: ["in" as Path] }, 2000), locale: de };
    assert.deepEqual([await titleOf("in", preview), await titleOf("out", preview)], ["Entwurf", "Hello"]);
    const names = await translations.names([slug("in"), slug("out")], preview);
    assert.deepEqual(
      names.map(({ names }, i) => names.get((["in", "out"] as Path[])[i] as Path)?.get("de")),
      ["in-de", undefined],
    );
    assert.deepEqual(
      [await translations.resolve("in-de", preview), await translations.resolve("out-de", preview)],
      ["in", "out-de"],
    );
  });

  test("a preview of some paths lists elsewhere what is public in its locale alone", async () => {
    for (const id of ["draft-here", "german"]) await create(id);
    await translate("german", { title: "Hallo" });
    await translations.restrict(slug("german"), ["de"], by());
    const preview: Access = { ...accessOf({ kind: "preview", paths: ["draft-here" as Path] }, 2000), locale: de };
    const query = parseCollection("" as Path, new Map(), { maxLimit: 100, defaultLimit: 100, times: new Set() });
    const { paths = [] } = await entries.list({ ...query, wantsPaths: true }, preview);
    assert.deepEqual([paths.includes("german" as Path), paths.includes("draft-here" as Path)], [true, true]);
  });

  test("an entry that falls due is public in its own locales alone", async () => {
    await create("due", {}, { publishedAt: 1500 });
    await translations.restrict(slug("due"), ["de"], by());
    assert.equal(await entries.goLive(2000), 1);
    await verified();
    const event = await store.rows.snapshot(async (rows) => (await Array.fromAsync(rows.rows("event"))).flat().at(-1));
    assert.deepEqual(
      [event?.kind, event?.was_public, event?.is_public],
      ["entry.live", publicity.none, publicity.elsewhere],
    );
    assert.equal(await entries.nextLive(), undefined);
    const [found] = await translations.findAll([slug("due")], delivery, true);
    assert.equal(found?.onlyLocales, '["de"]');
  });

  test("a backup gives every answer again, also of what is in the trash", async () => {
    await create("kept", { title: "Hello", text: "One" });
    await translate("kept", { title: "Hallo" }, "de", { name: "behalten" });
    await translate("kept", { text: "Deux" }, "fr");
    await staged.stage(slug("kept"), input({ title: "Servus" }), { ...by(), locale: "de" });
    await translations.restrict(slug("kept"), ["de", "fr"], by());
    await create("kept/gone");
    await translate("kept/gone", { title: "Weg" });
    await entries.delete(slug("kept/gone"), { to: "trash" }, by());
    await create("kept/other");
    await translate("kept/other", { title: "Allein" });
    await translations.delete(slug("kept/other"), "de", by());
    const folder = mkdtempSync(join(tmpdir(), "octavo-test-"));
    const blobs = new BlobFolder(join(folder, "blobs"), new Staging(join(folder, "tmp"), nodeDisk), 0, nodeDisk);
    const file = join(folder, "backup.tar");
    await writeBackup(
      { rows: store.rows, blobs },
      await TarWriter.create(file, 1),
      { version: "test", nowSeconds: 1000 },
      () => undefined,
    );
    const copy = await engine.open();
    test.after(() => copy.close());
    await readBackup({ rows: copy.rows, ledger: copy.ledger, blobs }, new TarReader(file), 2000, () => undefined);
    const answersOf = async (of: SqlStore) => {
      const slugs = ["kept", "kept/other", "race", "purged", "in"].map(slug);
      const accesses = [management, delivery].flatMap((access) => [access, { ...access, locale: fr }]);
      const all = await Promise.all(accesses.map((access) => of.translations.findAll(slugs, access, true)));
      return JSON.stringify([
        all.map((found) =>
          found.map((each) => each && [each.data, each.revision, each.onlyLocales, each.layers?.length]),
        ),
        await Promise.all(
          slugs.map(async (id) =>
            (await of.translations.find(id))?.translations.map(({ name, revision, sources, data }) => [
              name,
              revision,
              sources,
              data,
            ]),
          ),
        ),
        (await of.staged.find(slug("kept"), undefined, "de"))?.entry.data,
      ]);
    };
    assert.equal(await answersOf(copy), await answersOf(store));
    assert.deepEqual(await copy.verify(), []);
    const items = await copy.trash.list({ nouns: ["entry"], paths: null, before: undefined, limit: 2 });
    for (const { id } of items) await copy.trash.restore(id, { newPath: undefined, extensions: [] }, by());
    assert.deepEqual(
      [await titleOf("kept/gone", management, copy), await titleOf("kept/other", management, copy)],
      ["Weg", "Allein"],
    );
    assert.deepEqual(await copy.verify(), []);
  });
});

for (const { name, skip, open } of engines)
  test(`${name}: a restored store has its translations in the indexes`, { skip }, async (t) => {
    const settings = { indexKeys: ["*", ...chainItems([["de"]])] };
    const store = await open(settings);
    t.after(() => store.close());
    const by = { actor: "test", nowSeconds: 1000 };
    for (const id of ["one", "two"] as Slug[])
      await store.entries.create(id, { data: `{"title":"${id}"}`, isMergePatch: false, fields: {} }, by);
    const german = { input: { data: '{"title":"eins"}', isMergePatch: false, fields: {} } };
    await store.translations.put("one" as Slug, "de", german, by);
    const folder = mkdtempSync(join(tmpdir(), "octavo-test-"));
    const blobs = new BlobFolder(join(folder, "blobs"), new Staging(join(folder, "tmp"), nodeDisk), 0, nodeDisk);
    const file = join(folder, "backup.tar");
    const about = { version: "test", nowSeconds: 1000 };
    await writeBackup({ rows: store.rows, blobs }, await TarWriter.create(file, 1), about, () => undefined);
    const copy = await open(settings);
    t.after(() => copy.close());
    await readBackup({ rows: copy.rows, ledger: copy.ledger, blobs }, new TarReader(file), 2000, () => undefined);
    assert.deepEqual(await copy.verify(), []);
  });

test("a store is opened without its locales, and with them again", async () => {
  const data = mkdtempSync(join(tmpdir(), "octavo-test-"));
  const url = "/api/entries/translations";
  const withWorld = async (
    flags: Record<string, string>,
    work: (world: Awaited<ReturnType<typeof startWorld>>) => Promise<void>,
  ) => {
    const world = await startWorld({ data, ...flags }, {});
    try {
      await work(world);
    } finally {
      await world.app.close();
    }
  };
  const write = (
    { send, token }: Parameters<Parameters<typeof withWorld>[1]>[0],
    method: string,
    path: string,
    body: object,
  ) => send(method, path, { body: { token: token.management, access_token: token.access, ...body } });
  const read = async ({ send, token }: Parameters<Parameters<typeof withWorld>[1]>[0], query: Record<string, string>) =>
    (await send("GET", "/api/entries", { query: { token: token.delivery, ...query } })).text;
  let [source, german] = ["", ""];
  await withWorld({ locales: "en,de" }, async (world) => {
    await write(world, "POST", "/api/entries", { id: "a", data: { title: "Hello" } });
    await write(world, "PATCH", url, { id: "a", locale: "de", data: { title: "Hallo" } });
    [source, german] = [await read(world, { id: "a" }), await read(world, { id: "a", locale: "de" })];
    assert.match(german, /Hallo/);
  });
  await withWorld({}, async (world) => {
    assert.equal(await read(world, { id: "a", locale: "de" }), source);
    assert.equal((await write(world, "PATCH", url, { id: "a", locale: "de", data: {} })).json.code, "locales_missing");
    assert.equal(
      (await write(world, "PATCH", "/api/entries", { id: "a", locale: "de", data: {} })).json.code,
      "argument_unknown",
    );
  });
  await withWorld({ locales: "en,fr" }, async (world) => {
    assert.equal(await read(world, { id: "a", locale: "fr" }), source);
  });
  await withWorld({ locales: "en,de,fr" }, async (world) => {
    assert.equal(await read(world, { id: "a", locale: "de" }), german);
    assert.deepEqual(await world.app.stores.verify(), []);
  });
});
