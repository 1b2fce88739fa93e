import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { writeBackup } from "../../src/backup/backup.ts";
import { readBackup } from "../../src/backup/restore.ts";
import { TarReader, TarWriter } from "../../src/backup/tar/backup.ts";
import { accessOf } from "../../src/core/access/access.ts";
import { standardExtensions } from "../../src/core/bytes/media-type.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { type CollectionAnswer, parseCollection } from "../../src/core/list/list.ts";
import type { Path } from "../../src/core/path.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { KeyNumbers } from "../../src/core/sql/index/key-number.ts";
import { thorough } from "../../src/core/sql/list/source.ts";
import { runScan, scanning } from "../../src/core/sql/scans.ts";
import type { File } from "../../src/file/file.ts";
import { parseMetaChange } from "../../src/file/meta.ts";
import { allNouns } from "../../src/nouns.ts";
import { lacksPostgres } from "../postgres.ts";
import { sqliteOptions } from "./sqlite-options.ts";
import { at, openUploads, openUploadsOnPostgres, type Uploads } from "./uploads.ts";

/** What files say in other locales than the source stays with them. Contract §5, Texts by locale. */

const engines = [
  { name: "SQLite", open: openUploads, skip: undefined },
  { name: "PostgreSQL", open: openUploadsOnPostgres, skip: lacksPostgres() || undefined },
] as const;

const path = (text: string) => text as Path;
const extensions = standardExtensions;

/** The German and the French texts of a file that its store has; undefined for none. */
async function said({ store }: Uploads, at: string): Promise<unknown> {
  const file = await store.files.find(path(at));
  if (!file) return undefined;
  const shown = await Promise.all(["de", "fr"].map((locale) => store.fileTranslations.laidOver([file], [locale])));
  return shown.flat().map(({ language, title, meta }) => [language, title, meta]);
}

const say = ({ store }: Uploads, at: string, locale: string, field: string, text: string | undefined) =>
  store.files.change(path(at), parseMetaChange(text === undefined ? "delete" : "update", field, text, [locale]), by);
const by = at(2000);

/** Says something in both; answers what `said` then answers of this file. */
async function saying(uploads: Uploads, at: string): Promise<unknown> {
  await uploads.upload(at, at);
  await say(uploads, at, "de", "title", "Titel");
  await say(uploads, at, "fr", "alt", "Une image");
  const { title } = (await uploads.store.files.find(path(at))) as File;
  return [
    ["de", "Titel", "{}"],
    ["fr", title, '{"alt":"Une image"}'],
  ];
}

for (const { name, open, skip } of engines) {
  test(name, { skip, timeout: 300_000 }, async (t) => {
    const uploads = await open();
    t.after(() => uploads.store.close());
    const { store } = uploads;
    const { files, folders, trash } = store;
    const rows = async (of: Uploads = uploads) => {
      return of.store.rows.snapshot(async (rows) => (await Array.fromAsync(rows.rows("file_translation"))).flat());
    };

    await t.test(
      "a move, an upload over the name and a restore of the file keep it, a copy has it by itself",
      async () => {
        const expected = await saying(uploads, "m/a.txt");
        await files.move(path("m/a.txt"), { newPath: path("m/b.txt"), extensions }, by);
        assert.deepEqual(await said(uploads, "m/b.txt"), expected);
        await uploads.upload("m/b.txt", "other bytes");
        assert.deepEqual(await said(uploads, "m/b.txt"), expected);
        await folders.move(path("m"), { newPath: path("n") }, by);
        assert.deepEqual(await said(uploads, "n/b.txt"), expected);
        await files.copy(path("n/b.txt"), { newPath: path("n/c.txt"), extensions }, by);
        await folders.copy(path("n"), { newPath: path("o/n") }, by);
        const copies = ["n/c.txt", "o/n/b.txt", "o/n/c.txt"];
        for (const copy of copies) assert.deepEqual(await said(uploads, copy), expected, copy);
        await say(uploads, "n/b.txt", "de", "title", undefined);
        for (const copy of copies) assert.deepEqual(await said(uploads, copy), expected, copy);
        const { revision } = (await files.find(path("n/c.txt"))) as File;
        await files.change(path("n/c.txt"), parseMetaChange("update", "description", "x"), by);
        await files.restore(path("n/c.txt"), { revision }, by);
        assert.deepEqual(await said(uploads, "n/c.txt"), expected);
      },
    );

    await t.test("the trash keeps it, alone and in a folder; a purge removes it", async () => {
      const expected = await saying(uploads, "t/in/a.txt");
      const newest = async () =>
        (await trash.list({ nouns: ["file", "folder"], paths: null, before: undefined, limit: 1 }))[0]?.id ?? 0;
      const restore = async (newPath?: string) =>
        trash.restore(await newest(), { newPath: newPath === undefined ? undefined : path(newPath), extensions }, by);
      await files.delete(path("t/in/a.txt"), { to: "trash" }, by);
      assert.deepEqual(await store.verify(), []);
      await uploads.upload("t/in/a.txt", "another file");
      await restore("t/in/b.txt");
      assert.deepEqual(await said(uploads, "t/in/b.txt"), expected);
      await files.delete(path("t/in/a.txt"), { to: "nowhere" }, by);
      await folders.delete(path("t/in"), { to: "trash" }, by);
      await restore();
      assert.deepEqual(await said(uploads, "t/in/b.txt"), expected);
      const before = (await rows()).length;
      await folders.delete(path("t"), { to: "trash" }, by);
      assert.equal((await rows()).length, before);
      await trash.purge(await newest(), by);
      await trash.clear(2000);
      assert.equal((await rows()).length, before - 2);
      await saying(uploads, "gone.txt");
      await files.delete(path("gone.txt"), { to: "nowhere" }, by);
      await trash.clear(2000);
      assert.equal((await rows()).length, before - 2);
      assert.deepEqual(await store.verify(), []);
    });

    await t.test("a backup has it, and of what is in the trash; the copy is verified", async () => {
      const expected = await saying(uploads, "k/a.txt");
      const deleted = await saying(uploads, "k/b.txt");
      await files.delete(path("k/b.txt"), { to: "trash" }, by);
      const file = join(uploads.folder, "backup.tar");
      const writer = await TarWriter.create(file, 1);
      await writeBackup(
        { rows: store.rows, blobs: uploads.blobs },
        writer,
        { version: "test", nowSeconds: 1000 },
        () => undefined,
      );
      const copy = await open();
      t.after(() => copy.store.close());
      await readBackup(
        { rows: copy.store.rows, ledger: copy.store.ledger, blobs: copy.blobs },
        new TarReader(file),
        2000,
        () => undefined,
      );
      assert.deepEqual(await rows(copy), await rows());
      assert.deepEqual(await said(copy, "k/a.txt"), expected);
      const [item] = await copy.store.trash.list({ nouns: ["file"], paths: null, before: undefined, limit: 1 });
      await copy.store.trash.restore(item?.id ?? 0, { newPath: undefined, extensions }, by);
      assert.deepEqual(await said(copy, "k/b.txt"), deleted);
      assert.deepEqual(await copy.verify(), []);
    });
  });
}

test("verify names texts of no file", async (t) => {
  const uploads = await openUploads();
  t.after(() => uploads.store.close());
  await saying(uploads, "a.txt");
  const sqlite = new Sqlite({ ...sqliteOptions(), folder: uploads.folder }, "write");
  sqlite.run("UPDATE file_translation SET uuid = '00000000-0000-4000-8000-000000000000' WHERE locale = 'fr'");
  sqlite.close();
  assert.match(
    (await uploads.store.verify()).join(),
    /The texts of "00000000-0000-4000-8000-000000000000" in "fr" belong to no file/,
  );
});

test("a list that has to look at every file has them as they are in the locale", async (t) => {
  const uploads = await openUploads();
  t.after(() => uploads.store.close());
  await saying(uploads, "s/a.txt");
  await uploads.upload("s/b.txt", "b");
  const options = { ...sqliteOptions(), folder: uploads.folder, indexKeys: ["*"] };
  const sqlite = new Sqlite(options, "read");
  t.after(() => sqlite.close());
  const { tested } = thorough;
  thorough.tested = 0;
  t.after(() => Object.assign(thorough, { tested }));
  const search = new Map([["search", "titel"]]);
  const query = parseCollection(path("s"), search, { maxLimit: 10, defaultLimit: 10, isKeyed: true });
  const list = async (chain?: string[]) => {
    const rest = [query, { root: "", base: "" }, accessOf({ kind: "management" }, 2000), chain];
    const scan = runScan(scanning(allNouns, sqlite, options, new KeyNumbers()), "listFiles", rest);
    const { json, plan } = (await scan) as CollectionAnswer;
    assert.match(plan ?? "", /^scan of every file, 2 read/);
    return Object.keys(JSON.parse(wholeText(json)));
  };
  assert.deepEqual([await list(["de"]), await list(["fr"]), await list()], [["a.txt"], [], []]);
});
