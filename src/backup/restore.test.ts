import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { atEnd, closing } from "../../test/ending.ts";
import { bytesOf, openUploads, type Uploads } from "../../test/ports/uploads.ts";
import { type BackupReader, memberNames, writeBackup } from "./backup.ts";
import { readBackup } from "./restore.ts";
import { TarReader, TarWriter } from "./tar/backup.ts";

/** A member of a backup as text; the blobs here are text, too. */
type Member = { name: string; text: string };

let members: readonly Member[];
let empty: Uploads;

before(async () => {
  await closing(open(), async ({ blobs, store, folder, upload }) => {
    await upload("a.txt", "one");
    await upload("folder/b.txt", "two");
    const file = join(folder, "backup.tar");
    const writer = await TarWriter.create(file, 1);
    await writeBackup({ rows: store.rows, blobs }, writer, { version: "test", nowSeconds: 1000 }, () => undefined);
    members = await Array.fromAsync(new TarReader(file).members(), async ({ name, bytes }) => {
      return { name, text: Buffer.concat(await Array.fromAsync(bytes)).toString() };
    });
  });
  empty = await openUploads();
  atEnd(() => empty.store.close());
});

async function open(): Promise<Uploads & { close(): unknown }> {
  const uploads = await openUploads();
  return { ...uploads, close: () => uploads.store.close() };
}

const readerOf = (list: readonly Member[]): BackupReader => ({
  size: list.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
  async *members() {
    for (const { name, text } of list) yield { name, size: Buffer.byteLength(text), bytes: bytesOf(text) };
  },
});

const restore = ({ store, blobs }: Uploads, reader: BackupReader) =>
  readBackup({ rows: store.rows, ledger: store.ledger, blobs }, reader, 2000, () => undefined);

const rowsOf = (noun: string) => `rows/${noun}-000001.jsonl`;

/** The members, one of them changed. */
function changed(name: string, change: (text: string) => string): Member[] {
  assert.ok(
    members.some((member) => member.name === name && change(member.text) !== member.text),
    name,
  );
  return members.map((member) => (member.name === name ? { name, text: change(member.text) } : member));
}
const without = (name: string) => members.filter((member) => member.name !== name);
const isBlob = ({ name }: Member) => name.startsWith("blobs/");
const firstBlob = () => (members.find(isBlob) as Member).name;

const refused: [what: string, list: () => readonly Member[], reason: RegExp][] = [
  ["no members", () => [], /it has no end/],
  ["no header", () => members.slice(1), /it is no backup/],
  [
    "another format",
    () => changed(memberNames.about, (text) => text.replace(/"format": ?3/, '"format":4')),
    /format is 4; this version of Octavo reads 1, 2 and 3/,
  ],
  ["a header that is not JSON", () => changed(memberNames.about, () => "{"), /octavo\.json is no JSON/],
  ["no end", () => without(memberNames.end), /it has no end/],
  ["an incomplete end", () => changed(memberNames.end, () => "{}"), /end\.json lacks a part/],
  ["a member after the end", () => [...members, members.find(isBlob) as Member], /follows its end/],
  ["a missing blob", () => without(firstBlob()), /blobs: 1 found/],
  ["a blob with other bytes", () => changed(firstBlob(), (text) => `${text}!`), /do not match its name/],
  [
    "an unknown noun",
    () => [...members.slice(0, -1), { name: rowsOf("label"), text: "" }, ...members.slice(-1)],
    /label/,
  ],
  ["a changed row", () => changed(rowsOf("file"), (text) => text.replace("a.txt", "c.txt")), /rows are not those/],
  ["a missing row", () => changed(rowsOf("file"), (text) => text.replace(/^.*\n/, "")), /file: 1 found/],
  ["a duplicate row", () => changed(rowsOf("file"), (text) => text.replace(/^(.*\n)/, "$1$1")), /file: 3 found/],
  ["a row that is not an object", () => changed(rowsOf("file"), (text) => text.replace(/^.*/, "[]")), /not an object/],
  [
    "a duplicate column",
    () => changed(rowsOf("file"), (text) => text.replace("{", '{"name":"x.txt",')),
    /row 1 of file/,
  ],
  [
    "a path outside of the uploads",
    () => changed(rowsOf("file"), (text) => text.replace('"a.txt"', '".."')),
    /"name" was/,
  ],
  ["rows in another order", () => reordered(), /is not in its place/],
];

function reordered(): Member[] {
  const rows = members.filter(({ name }) => name.startsWith("rows/"));
  return [...members.slice(0, 1), ...rows.reverse(), ...members.slice(1 + rows.length)];
}

describe("a damaged backup is refused with the reason, and the store stays empty", () => {
  for (const [what, list, reason] of refused) {
    test(what, async () => {
      await assert.rejects(restore(empty, readerOf(list())), { name: "Error", message: reason });
      assert.equal(await empty.store.rows.isEmpty(), true);
    });
  }
});

test("a file that changes between the two passes is refused, and the store stays empty", async () => {
  const other = changed(rowsOf("file"), (text) => text.replace('"a.txt"', '"c.txt"'));
  let passes = 0;
  const reader = { ...readerOf(members), members: () => readerOf(passes++ === 0 ? members : other).members() };
  await assert.rejects(restore(empty, reader), { message: /changed while it was read/ });
  assert.equal(await empty.store.rows.isEmpty(), true);
});

test("a complete backup is restored with its bytes, and not over existing content", async () => {
  await closing(open(), async (fresh) => {
    const end = await restore(fresh, readerOf(members));
    assert.deepEqual([end.counts.file, end.blobs], [2, { ...end.blobs, count: 2, bytes: 6 }]);
    assert.deepEqual(await fresh.verify(), []);
    assert.equal(await fresh.store.files.count(), 2);
    await assert.rejects(restore(fresh, readerOf(members)), { message: /not empty/ });
  });
});
