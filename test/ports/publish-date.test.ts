import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { memberNames, writeBackup } from "../../src/backup/backup.ts";
import { readBackup } from "../../src/backup/restore.ts";
import { TarReader, TarWriter } from "../../src/backup/tar/backup.ts";
import type { Slug } from "../../src/core/path.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { migrationsAfter } from "../../src/core/sql/migration.ts";
import { openSqliteStore, type SqlStore } from "../../src/database.ts";
import type { Entry } from "../../src/entry/entry.ts";
import { onEachEngine } from "./engines.ts";
import { sqliteOptions } from "./sqlite-options.ts";
import { bytesOf, openUploads } from "./uploads.ts";

/** What is kept of an entry that was public, so that it keeps its date. Contract §11, Working copies. */

const slug = (id: string) => id as Slug;
const input = (fields: object, data = "{}") => ({ data, isMergePatch: false, fields });
const draft = { visibility: "draft" } as const;

/** The writes of one store, each at its time. */
const writerOf = ({ entries, staged, trash, history }: SqlStore) => ({
  history,
  create: (id: string, at: number, fields: object = {}) => entries.create(slug(id), input(fields), by(at)),
  update: (id: string, at: number, fields: object) => entries.update(slug(id), input(fields), by(at)),
  publish: async (id: string, at: number) => (await staged.publish(slug(id), {}, by(at))).publishedAt,
  find: async (id: string) => (await entries.find(slug(id))) as Entry,
  throughTrash: async (id: string, at: number) => {
    await entries.delete(slug(id), { to: "trash" }, by(at));
    const [item] = await trash.list({ nouns: ["entry"], paths: [slug(id)], before: undefined, limit: 1 });
    await trash.restore(item?.id ?? 0, { newPath: undefined, extensions: [] }, by(at));
  },
  staged,
  entries,
});
const by = (nowSeconds: number) => ({ actor: "test", nowSeconds });

onEachEngine(async (store) => {
  const write = writerOf(store);

  test("a draft is dated by its first publish, and keeps that date through drafts, trash, moves and restores", async () => {
    await write.create("a", 10, draft);
    assert.equal(await write.publish("a", 20), 20);
    for (const at of [30, 40]) {
      await write.update("a", at, draft);
      await write.throughTrash("a", at + 1);
      await write.entries.move(slug("a"), { newSlug: slug("a2") }, by(at + 2));
      await write.entries.move(slug("a2"), { newSlug: slug("a") }, by(at + 3));
      assert.equal(await write.publish("a", at + 4), 20);
    }
  });

  test("what was visible from its creation keeps that date, alone, below another, and with a restored text", async () => {
    await write.create("b", 10);
    await write.create("b/c", 10, { visibility: "hidden" });
    for (const id of ["b", "b/c"]) await write.update(id, 20, draft);
    await write.throughTrash("b", 30);
    const thing = { noun: "entry", thing: (await write.find("b")).uuid } as const;
    const first = (await write.history.list(thing, undefined, 10)).at(-1)?.revision ?? 0;
    await write.entries.restore(slug("b"), { revision: first }, by(40));
    for (const id of ["b", "b/c"]) assert.equal(await write.publish(id, 50), 10, id);
  });

  test("a date ahead counts once it has come, whenever the next write is", async () => {
    await write.create("d", 10, { publishedAt: 20 });
    await write.update("d", 15, { publishedAt: 25 });
    await write.update("d", 30, { publishedAt: 10 });
    await write.update("d", 40, draft);
    assert.equal(await write.publish("d", 50), 10);
    await write.create("e", 10, { publishedAt: 20 });
    await write.update("e", 15, { ...draft, publishedAt: null });
    assert.equal(await write.publish("e", 50), 50);
  });

  test("a restore of the state takes the first publish back", async () => {
    await write.create("f", 10, draft);
    const { contentRevision } = await write.find("f");
    assert.equal(await write.publish("f", 20), 20);
    await write.entries.restore(slug("f"), { revision: contentRevision, parts: "data and state" }, by(30));
    const { publishedAt, visibility } = await write.find("f");
    assert.deepEqual([publishedAt, visibility], [10, "draft"]);
    assert.equal(await write.publish("f", 40), 40);
  });

  test("the time of a schedule is the date, also where its chore comes late", async () => {
    await write.create("g", 10, draft);
    await write.staged.schedule(slug("g"), { atSeconds: 20 }, by(11));
    await write.staged.publishDue(99);
    assert.equal((await write.find("g")).publishedAt, 20);
    assert.equal((await write.find("g")).modifiedAt, 99);
  });

  test("the store is whole", async () => assert.deepEqual(await store.verify(), []));
});

type Member = { name: string; text: string };

/** The backup as a version wrote it that noted nothing. */
function withoutNote(members: readonly Member[]): Member[] {
  const rows = createHash("sha256");
  return members.map(({ name, text }) => {
    const isNoted = /^rows\/(trash_)?entry-/.test(name);
    const older = isNoted ? text.replaceAll(/,"was_public":[01]/g, "") : text;
    if (name.startsWith("rows/")) rows.update(older);
    if (name !== memberNames.end) return { name, text: older };
    return { name, text: JSON.stringify({ ...JSON.parse(text), rows_sha256: rows.digest("hex") }) };
  });
}

test("a backup has what was public; of one that does not know, what is public is noted later", async (t) => {
  const { store, blobs, folder } = await openUploads();
  t.after(() => store.close());
  const write = writerOf(store);
  await write.create("was", 10);
  await write.create("is", 10);
  await write.create("gone", 10);
  for (const id of ["was", "gone"]) await write.update(id, 20, draft);
  await write.entries.delete(slug("gone"), { to: "trash" }, by(20));
  const file = join(folder, "backup.tar");
  const tar = await TarWriter.create(file, 1);
  await writeBackup({ rows: store.rows, blobs }, tar, { version: "test", nowSeconds: 30 }, () => undefined);
  const members = await Array.fromAsync(new TarReader(file).members(), async ({ name, bytes }) => {
    return { name, text: Buffer.concat(await Array.fromAsync(bytes)).toString() };
  });
  for (const [isOlder, expected] of [
    [false, [10, 10, 10]],
    [true, [50, 10, 50]],
  ] as const) {
    const into = await openUploads();
    t.after(() => into.store.close());
    const sent = isOlder ? withoutNote(members) : members;
    const reader = {
      size: 1,
      async *members() {
        for (const { name, text } of sent) yield { name, size: Buffer.byteLength(text), bytes: bytesOf(text) };
      },
    };
    await readBackup(
      { rows: into.store.rows, ledger: into.store.ledger, blobs: into.blobs },
      reader,
      40,
      () => undefined,
    );
    assert.deepEqual(await into.store.verify(), []);
    const again = writerOf(into.store);
    await again.update("is", 45, draft);
    const [item] = await into.store.trash.list({ nouns: ["entry"], paths: null, before: undefined, limit: 1 });
    await into.store.trash.restore(item?.id ?? 0, { newPath: undefined, extensions: [] }, by(45));
    const dates = [];
    for (const id of ["was", "is", "gone"]) dates.push(await again.publish(id, 50));
    assert.deepEqual(dates, expected, isOlder ? "from before" : "of today");
  }
});

test("in a store from before, what is public was public, and so were drafts whose history says it", async () => {
  const options = sqliteOptions();
  const old = new Sqlite(options, "write");
  for (const text of migrationsAfter(0).slice(0, 30)) old.exec(text);
  const uuid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
  const rows = ["live visible 1", "draft draft 0", "was draft 0"].map((row, i) => {
    const [name, visibility, listing] = row.split(" ");
    return `INSERT INTO entry (slug, uuid, data, published_at, created_at, modified_at, published_by, created_by, routable,
        visibility, revision, content_revision, parent, listing, index_partial)
      VALUES ('${name}', '${uuid(i)}', '{"content":""}', 1, 1, 1, '', '', 1, '${visibility}', 3, 3, 1, ${listing}, 0);`;
  });
  const fields = JSON.stringify({ published_at: 1, modified_at: 1, published_by: "", created_by: "", routable: true });
  const version = (n: number, visibility: string) => `INSERT INTO version (noun, thing, locale, revision, next_revision,
      is_deleted, replaced_at, replaced_by, fields, bytes, data)
    VALUES ('entry', '${uuid(n)}', '', 1, 3, 0, 1, 'm', '${fields.slice(0, -1)},"visibility":"${visibility}"}', 20,
      '{"content":"\\"visibility\\":\\"visible\\""}');`;
  old.exec(`PRAGMA user_version = 30; INSERT INTO parent (id, path) VALUES (1, '');
    INSERT INTO event (sequence, at, kind, subject, count, actor) VALUES (3, 1, 'entry.update', 'live', 1, 'm');
    ${rows.join("")} ${version(1, "draft")} ${version(2, "visible")}`);
  old.close();
  const store = await openSqliteStore(options);
  try {
    const write = writerOf(store);
    await write.update("live", 40, draft);
    const dates = [];
    for (const id of ["live", "draft", "was"]) dates.push(await write.publish(id, 50));
    assert.deepEqual(dates, [1, 50, 1]);
  } finally {
    await store.close();
  }
});
