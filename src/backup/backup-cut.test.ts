// Long: it starts many processes, each of which opens a store.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { settingsOf } from "../../test/cli/answers.ts";
import { fillSite } from "../../test/cli/site.ts";
import { atEnd, closing } from "../../test/ending.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { backupFiles, openStores, type Stores } from "../stores.ts";
import { BackupError, writeBackup } from "./backup.ts";
import { checkBackup, readBackup } from "./restore.ts";

/** A backup that is truncated, or has a changed byte, is refused, and the store stays empty. */

const folder = temporaryFolder();
const file = join(folder, "whole.tar");
let whole: Buffer;
let members: Member[];
let empty: Stores;

before(async () => {
  await fillSite({ data: join(folder, "full") });
  const { TarWriter } = await backupFiles();
  await closing(openStores(settingsOf({ data: join(folder, "full") })), async (full) =>
    writeBackup(full, await TarWriter.create(file, 1), { version: "test", nowSeconds: 1 }, () => undefined),
  );
  whole = readFileSync(file);
  members = [...membersOf(whole)];
  empty = await openStores(settingsOf({ data: join(folder, "empty") }));
  atEnd(() => empty.close());
});

/** The offsets of a member's header, and of the start and end of its bytes. */
type Member = { name: string; header: number; start: number; end: number };

function* membersOf(tar: Buffer): Iterable<Member> {
  for (let at = 0; tar[at] !== 0; ) {
    const name = tar.toString("latin1", at, tar.indexOf(0, at));
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 135), 8);
    yield { name, header: at, start: at + 512, end: at + 512 + size };
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

async function restore(bytes: Buffer): Promise<void> {
  const { TarReader } = await backupFiles();
  const changed = join(folder, "changed.tar");
  writeFileSync(changed, bytes);
  await readBackup(empty, new TarReader(changed), 1, () => undefined);
}

async function refuses(bytes: Buffer, what: string): Promise<void> {
  await assert.rejects(
    () => restore(bytes),
    (error) => error instanceof BackupError && error.message.length < 200,
    what,
  );
  assert.equal(await empty.rows.isEmpty(), true, what);
  const { TarReader } = await backupFiles();
  await assert.rejects(
    () => checkBackup(new TarReader(join(folder, "changed.tar")), empty.rows, () => undefined),
    BackupError,
    what,
  );
}

const flipped = (at: number): Buffer => {
  const bytes = Buffer.from(whole);
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
};

test("truncated at the edges of a member, or within it, it is refused", async () => {
  const kinds = new Map(members.map((member) => [member.name.replace(/\w{64}|[\d-]+/g, ""), member]));
  assert.deepEqual(
    [...kinds.keys()],
    [
      "octavo.json",
      ...["state", "folder", "file", "entry", "registry_item", "token", "event", "event_entry"].map(
        (noun) => `rows/${noun}.jsonl`,
      ),
      ...["trash_item", "version", "trash_entry", "trash_folder", "trash_file"].map((noun) => `rows/${noun}.jsonl`),
      ...["release", "working_copy", "role", "person", "webhook"].map((noun) => `rows/${noun}.jsonl`),
      "blobs/",
      "end.json",
    ],
  );
  for (const { name, header, start, end } of kinds.values()) {
    for (const at of [header, header + 1, start - 1, start, start + 1, (start + end) >> 1, end - 1]) {
      await refuses(whole.subarray(0, at), `${name} cut at ${at - header}`);
    }
  }
});

test("with a byte changed in a header, in rows, in a blob or in its end, it is refused", async () => {
  for (const { name, header, start, end } of members) {
    await refuses(flipped(header + 5), `the header of ${name}`);
    if (name === "octavo.json") continue;
    for (const at of [start, (start + end) >> 1, end - 1]) {
      // A space or the last line feed of end.json has no meaning.
      if (end > start && (whole[at] as number) > 32) await refuses(flipped(at), `${name} at ${at - start}`);
    }
  }
  const format = whole.indexOf('"format": 2');
  await refuses(flipped(format + 10), "another format");
});

test("with a repeated, missing, unknown or reordered member, it is refused", async () => {
  const ending = whole.subarray((members.at(-1) as Member).header);
  const part = (index: number) => whole.subarray(members[index]?.header, members[index + 1]?.header ?? whole.length);
  for (const [index, { name }] of members.entries()) {
    const before = whole.subarray(0, members[index]?.header);
    const behind = whole.subarray(members[index + 1]?.header ?? whole.length);
    await refuses(Buffer.concat([before, behind]), `without ${name}`);
    if (name !== "end.json") await refuses(Buffer.concat([before, part(index), part(index), behind]), `${name} twice`);
  }
  await refuses(Buffer.concat([whole.subarray(0, whole.length - 1024), part(1), Buffer.alloc(1024)]), "after the end");
  await refuses(Buffer.concat([part(0), ending]), "only the end");
});

test("the complete backup restores after all refused ones", async () => {
  await restore(whole);
  assert.equal(await empty.rows.isEmpty(), false);
  assert.deepEqual(await empty.verify(), []);
});
