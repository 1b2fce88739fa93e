// Long: it fills stores of both engines and writes a backup for each fault.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { settingsOf } from "../../test/cli/answers.ts";
import { runOctavo } from "../../test/cli/octavo.ts";
import { fillSite } from "../../test/cli/site.ts";
import { openDatabase } from "../../test/database.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import { type RowNoun, rowNouns } from "../../test/row-noun.ts";
import { allNouns } from "../nouns.ts";
import { backupFiles, openStores, type Stores } from "../stores.ts";
import { BackupError, backupFormat, memberNames, Tally, writeBackup } from "./backup.ts";
import { readBackup } from "./restore.ts";

/**
 * Backups with valid checksums and rows that no request can create: the whole backup is refused, naming the row and the
 * rule. `octavo verify` reports the same rows in a store.
 */

const folder = temporaryFolder();
const whole = join(folder, "whole.tar");
const damagedFile = join(folder, "damaged.tar");

type Line = Record<string, unknown>;
type Rows = Record<RowNoun, Line[]>;
let rows: Rows;
let blobs: { name: string; bytes: Buffer }[];
const empty: Stores[] = [];

before(async () => {
  await fillSite({ data: join(folder, "full") });
  const full = await openStores(settingsOf({ data: join(folder, "full") }));
  const { TarReader, TarWriter } = await backupFiles();
  await writeBackup(full, await TarWriter.create(whole, 1), { version: "test", nowSeconds: 1 }, () => undefined);
  await full.close();
  rows = Object.fromEntries(rowNouns.map((noun) => [noun, [] as Line[]])) as Rows;
  blobs = [];
  for await (const { name, bytes } of new TarReader(whole).members()) {
    const read = Buffer.concat(await Array.fromAsync(bytes));
    const noun = rowNouns.find((known) => name.startsWith(`rows/${known}-`));
    if (noun) rows[noun].push(...read.toString().split("\n").filter(Boolean).map(toLine));
    if (name.startsWith("blobs/")) blobs.push({ name, bytes: read });
  }
  empty.push(await openStores(settingsOf({ data: join(folder, "empty") })));
  if (lacksPostgres()) return;
  empty.push(await openStores(settingsOf({ data: join(folder, "other"), postgresUrl: await createDatabase() })));
});
after(() => Promise.all(empty.map((stores) => stores.close())));

const toLine = (line: string): Line => JSON.parse(line) as Line;

type Damage = (rows: Rows, blobs: { name: string; bytes: Buffer }[]) => void;

/** Writes a backup with other rows and blobs and valid checksums. `format` writes a row as a line. */
async function write(
  damage: Damage,
  format: (row: Line) => string = JSON.stringify,
  nouns: readonly RowNoun[] = rowNouns,
): Promise<void> {
  const { TarWriter } = await backupFiles();
  const changed = structuredClone(rows);
  const kept = [...blobs];
  damage(changed, kept);
  const writer = await TarWriter.create(damagedFile, 1);
  const tally = new Tally(allNouns.rowRules);
  const add = (name: string, bytes: Buffer) => writer.add(name, bytes.length, bytes);
  await add(memberNames.about, Buffer.from(JSON.stringify({ format: nouns === rowNouns ? backupFormat : 1 })));
  for (const noun of nouns) {
    const bytes = Buffer.from(changed[noun].map((row) => `${format(row)}\n`).join(""));
    tally.addRows(noun, bytes);
    await add(memberNames.rows(noun, 1), bytes);
  }
  for (const { name, bytes } of kept) {
    tally.addBlob({ hash: name.replace("blobs/", ""), size: bytes.length });
    await add(name, bytes);
  }
  const end = tally.end();
  const counts = Object.fromEntries(nouns.map((noun) => [noun, end.counts[noun]]));
  await add(memberNames.end, Buffer.from(JSON.stringify({ ...end, counts })));
  await writer.finish();
}

/** The stores refuse the invalid backup with a message, and stay empty. */
async function refuses(message: RegExp, stores: readonly Stores[] = empty.slice(0, 1)): Promise<void> {
  const { TarReader } = await backupFiles();
  for (const store of stores) {
    await assert.rejects(
      readBackup(store, new TarReader(damagedFile), 1, () => undefined),
      (error) => {
        assert.ok(error instanceof BackupError, String(error));
        assert.match(error.message, message);
        return true;
      },
    );
    assert.equal(await store.rows.isEmpty(), true);
  }
}

const set =
  (noun: RowNoun, column: string, value: unknown): Damage =>
  (all) => {
    (all[noun].at(-1) as Line)[column] = value;
  };
const add =
  (noun: RowNoun, row: (like: Line) => Line): Damage =>
  (all) => {
    all[noun].push(row({ ...(all[noun].at(-1) as Line) }));
  };

/** A blob of one letter. */
const stray = {
  name: "blobs/ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
  bytes: Buffer.from("a"),
};

type Case = [what: string, damage: Damage, message: RegExp];

/** Rows that are invalid by themselves, each found in its own way; src/core/row.test.ts has the rules. */
const badRows: Case[] = [
  ["a path that escapes", set("folder", "path", ".."), /^folder "\.\." \(row \d+\) is not accepted: "path" was "\.\."/],
  ["a name that is a number", set("folder", "path", 7), /^folder 7 \(row \d+\) is not accepted: "path" was "7"/],
  ["a secret", set("token", "hash", "secret text"), /^token ".+" .*"hash" was "another text"/],
  ["an unknown column", set("folder", "owner", "me"), /^folder ".+" .*the column "owner" is unknown/],
  ["a missing column", (all) => void delete all.folder.at(-1)?.created_at, /the column "created_at" is missing/],
];

/** Rows that are inconsistent with other rows. */
const badTogether: Case[] = [
  [
    "a folder whose parent is missing",
    add("folder", (l) => ({ ...l, path: "no/where" })),
    /The folder "no\/where" has another parent/,
  ],
  ["a missing root folder", (all) => void all.folder.shift(), /there is no such folder|has another parent/],
  ["a duplicate folder", add("folder", (like) => like), /^folder ".+" is not accepted: there is another one before it/],
  [
    "a file whose folder is missing",
    set("file", "folder", "nowhere"),
    /^file "nowhere\/.+" is not accepted: there is no such folder/,
  ],
  ["a duplicate file", add("file", (like) => like), /^file ".+" is not accepted: there is another one before it/],
  [
    "a file and a folder with the same path",
    (all) => void all.folder.push({ ...(all.folder.at(-1) as Line), path: "at-the-root.txt" }),
    /The path "at-the-root\.txt" is that of a folder and of a file/,
  ],
  ["missing bytes", set("file", "blob", "0".repeat(64)), /^file ".+" is not accepted: its bytes are missing/],
  ["a size that differs from its bytes", set("file", "size", 1), /has another size than its bytes/],
  ["a duplicate entry", add("entry", (like) => like), /^entry ".+" is not accepted: there is another one before it/],
  [
    "a duplicate uuid",
    (all) => {
      (all.entry[1] as Line).uuid = all.entry[0]?.uuid;
    },
    /^The entries .+ and .+ have one uuid$/,
  ],
  [
    "a revision above the last sequence",
    set("entry", "revision", 9_999_999),
    /^The revision 9999999 of the entry ".+" is above the newest event$/,
  ],
  [
    "an item of the trash above the last sequence",
    (all) => {
      for (const row of all.trash_file.filter(({ name }) => name === "deleted.txt")) row.item = 9_999_999;
      (all.trash_item.find(({ path }) => path === "deleted.txt") as Line).id = 9_999_999;
    },
    /^The item 9999999 of the trash, "deleted\.txt", is above the newest event; 2 more faults$/,
  ],
  [
    "an entry elsewhere than its item of the trash",
    set("trash_entry", "slug", "elsewhere"),
    /^The item \d+ of the trash cannot have had "elsewhere"$/,
  ],
  [
    "an entry in the trash that exists, too",
    (all) => {
      (all.trash_entry.at(-1) as Line).uuid = all.entry[0]?.uuid;
    },
    /^The entry ".+" in the trash and the entry ".+" have one uuid; 2 more faults$/,
  ],
  [
    "a file in the trash whose folder is missing",
    (all) => {
      (all.trash_file.find(({ folder }) => folder === "docs/d1") as Line).folder = "docs/d1/none";
    },
    /^The item \d+ of the trash lacks its folder "docs\/d1\/none"$/,
  ],
  ["a duplicate token", add("token", (like) => like), /^token ".+" is not accepted: there is another one before it/],
  [
    "a duplicate secret",
    add("token", (like) => ({ ...like, id: "another" })),
    /^token "another" .*another token has its/,
  ],
  ["a duplicate event", add("event", (like) => like), /^event \d+ is not accepted: there is another one before it/],
  ["a missing signing key", (all) => void all.state.pop(), /There is no signing key/],
  ["a missing blob", (_, kept) => void kept.pop(), /is not accepted: its bytes are missing|blobs of \d+ bytes/],
  ["an unreferenced blob", (_, kept) => void kept.push(stray), /blobs of \d+ bytes, and it holds/],
];

const event = (like: Line, kind: string, subject: string, target: string | null = null): Line => ({
  ...like,
  ...{ sequence: (like.sequence as number) + 1, kind, subject, target },
});

test("a backup with one invalid row is refused completely, naming the row and the rule", async (t) => {
  for (const [what, damage, message] of badRows) {
    await t.test(what, async () => {
      await write(damage);
      await refuses(message);
    });
  }
});

test("a backup with inconsistent rows is refused completely by either engine", async (t) => {
  for (const [what, damage, message] of badTogether) {
    await t.test(what, async () => {
      await write(damage);
      await refuses(message, empty);
    });
  }
});

test("an ambiguous line is refused with its number", async () => {
  await write(
    () => undefined,
    (row) => JSON.stringify(row).replace(/^\{"path":/, '{"path":"other","path":'),
  );
  await refuses(/^row 1 of folder is not accepted: .*"path" twice/);
  await write(
    () => undefined,
    (row) => ("path" in row ? "[]" : JSON.stringify(row)),
  );
  await refuses(/^row 1 of folder is not accepted: it is not an object/);
});

test("a backup rewritten by another JSON writer without changes is restored", async () => {
  await write(
    () => undefined,
    (row) => JSON.stringify(row, undefined, 1).replaceAll("\n", " "),
  );
  const { TarReader } = await backupFiles();
  const stores = await openStores(settingsOf({ data: join(folder, "spelt") }));
  try {
    await readBackup(stores, new TarReader(damagedFile), 1, () => undefined);
    assert.deepEqual(await stores.verify(), []);
  } finally {
    await stores.close();
  }
});

test("folders that escape the data folder are refused by octavo restore, and nothing outside is touched", async () => {
  const outer = join(folder, "outer");
  mkdirSync(join(outer, "precious"), { recursive: true });
  writeFileSync(join(outer, "precious", "file.txt"), "kept");
  await write((all) => {
    const [root = {}] = all.folder;
    const [file = {}] = all.file;
    all.folder.push({ ...root, path: ".." }, { ...root, path: "../.." });
    all.file.push({ ...file, folder: "../..", name: "planted.txt" });
    all.event.push(event(all.event.at(-1) as Line, "folder.delete", "../../precious"));
  });
  const octavo = (words: string[]) => runOctavo([...words, "--data", join(outer, "data")], { cwd: folder });
  const { code, err } = await octavo(["restore", damagedFile]);
  assert.equal(code, 1);
  assert.match(err, /was not restored: folder "\.\." \(row \d+\) is not accepted: "path" was "\.\."/);
  assert.equal((await octavo(["restore", whole])).code, 0, "the store is as empty as before");
  assert.ok(existsSync(join(outer, "precious", "file.txt")));
  assert.ok(!existsSync(join(outer, "planted.txt")));
});

test("octavo verify reports impossible rows, one sentence each, and counts the rest", async () => {
  const data = join(folder, "verified");
  const octavo = (words: string[]) => runOctavo([...words, "--data", data], { cwd: folder });
  assert.equal((await octavo(["restore", whole])).code, 0);
  const database = openDatabase(data);
  database.exec(`
    INSERT INTO folder (path, parent, created_at, modified_at, revision) SELECT '..', id, 1, 1, 1 FROM folder WHERE path = '';
    UPDATE entry SET data = '{"content":' WHERE slug = 'many';
    UPDATE entry SET visibility = 'secret' WHERE slug LIKE 'large/%';
    UPDATE token SET label = 'two' || char(10) || 'lines' WHERE kind = 'images';
    UPDATE event SET kind = 'entry.steal', subject = '../' || sequence;
    UPDATE registry_item SET value = 'x' WHERE key = 'site.title';
    INSERT INTO blob (hash, size, unreferenced_since) VALUES ('../../out', 1, 1);
  `);
  const [{ events } = { events: 0 }] = database.prepare("SELECT count(*) AS events FROM event").all() as [
    { events: number },
  ];
  database.close();
  const { code, out, err } = await octavo(["verify"]);
  assert.equal(code, 1);
  const lines = out.trim().split("\n");
  const find = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  assert.equal(find(/^The folder "\.\.": "path" was "\.\."; a segment must not be/), 1, out);
  assert.equal(find(/^The entry "many": "data" was/), 1);
  assert.equal(find(/^The entry "large\/\d": "visibility" was "secret"; expected one of/), 4);
  assert.equal(find(/^The token "[\w-]+": "label" was/), 1);
  assert.equal(find(/^The registry item "site\.title": "value" was "x"; expected JSON/), 1);
  assert.equal(find(/^The blob "\.\.\/\.\.\/out": "hash" was/), 1);
  assert.equal(find(/^The event \d+: "kind" was "entry\.steal"/), 20);
  assert.equal(find(new RegExp(`^${events - 20} more faults of this kind$`)), 1, lines.at(-1));
  assert.match(err, /faults in the store/);
});

test("a backup of format 1 is restored: what it lacks has defaults", async () => {
  const lacks = /^(registry_item|event_entry|version|working_copy|release|trash_.+)$/;
  const nouns = rowNouns.filter((noun) => !lacks.test(noun));
  const lacking: Damage = (all, kept) => {
    // Versions had the others.
    const live = new Set(all.file.map(({ blob }) => `blobs/${blob}`));
    kept.splice(0, kept.length, ...kept.filter(({ name }) => live.has(name)));
    for (const file of all.file) delete file.uuid;
    for (const entry of all.entry) delete entry.staged_revision;
    for (const token of all.token) for (const column of ["paths", "writes", "maker"]) delete token[column];
    for (const event of all.event) for (const column of ["uuid", "was_public", "is_public"]) delete event[column];
  };
  await write(lacking, JSON.stringify, nouns);
  const { TarReader } = await backupFiles();
  const stores = await openStores(settingsOf({ data: join(folder, "fewer") }));
  try {
    await readBackup(stores, new TarReader(damagedFile), 1, () => undefined);
    assert.deepEqual(await stores.registry.list(), []);
    assert.equal(await stores.entries.count(), rows.entry.length);
    assert.deepEqual(await stores.verify(), []);
  } finally {
    await stores.close();
  }
});
