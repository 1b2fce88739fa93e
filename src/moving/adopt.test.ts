import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { atEnd } from "../../test/ending.ts";
import { at, bytesOf, openUploads, rules, type Uploads } from "../../test/ports/uploads.ts";
import type { Path } from "../core/path.ts";
import { problem } from "../core/problem.ts";
import type { ConflictPolicy } from "../file/file.ts";
import { type Adopted, adopt, type UploadSource } from "./adopt.ts";

let uploads: Uploads;
before(async () => {
  uploads = await openUploads();
  await uploads.upload("taken/a.txt", "stored");
});
atEnd(() => uploads.store.close());

const file = (path: string, text: string, isUnchanged = true): UploadSource => ({
  kind: "file",
  path,
  bytes: bytesOf(text),
  done: async () => isUnchanged,
});
const folder = (path: string): UploadSource => ({ kind: "folder", path, done: async () => true });

async function* each(found: readonly UploadSource[]): AsyncIterable<UploadSource> {
  yield* found;
}

function adopted(found: readonly UploadSource[], onConflict: ConflictPolicy = "fail"): Promise<Adopted[]> {
  const { store, blobs } = uploads;
  const { files, folders, ledger } = store;
  const options = { rules, maxBytes: 100, onConflict, context: at(2000) };
  return Array.fromAsync(adopt({ files, folders, ledger, blobs }, each(found), options));
}

async function textAt(path: string): Promise<string | undefined> {
  const found = await uploads.store.files.find(path as Path);
  return found && Buffer.from((await uploads.blobs.open(found.hash, found.size)) as Uint8Array).toString();
}

describe("a file becomes an upload at its path", () => {
  const cases: [what: string, onConflict: ConflictPolicy, path: string, text: string, to: string][] = [
    ["in the root", "fail", "new.txt", "new", "new.txt"],
    ["in a folder that does not exist", "fail", "new/folder/b.txt", "new", "new/folder/b.txt"],
    ["that exists with the same bytes", "fail", "taken/a.txt", "stored", "taken/a.txt"],
    ["with a number for a taken name", "suffix", "taken/a.txt", "numbered", "taken/a-1.txt"],
    ["in place of the existing one", "replace", "taken/a.txt", "replaced", "taken/a.txt"],
  ];
  for (const [what, onConflict, path, text, to] of cases) {
    test(what, async () => {
      assert.deepEqual(await adopted([file(path, text)], onConflict), [{ from: path, outcome: "taken", to }]);
      assert.equal(await textAt(to), text);
    });
  }
});

const notAdopted: [what: string, found: UploadSource, outcome: "skipped" | "refused", why: RegExp][] = [
  ["a taken name", file("taken/a.txt", "other"), "skipped", /taken\/a\.txt/],
  ["a folder at the path of a file", folder("taken/a.txt"), "skipped", /taken\/a\.txt/],
  ["an entry that is neither file nor folder", { kind: "other", path: "pipe", why: "a pipe" }, "skipped", /^a pipe$/],
  ["an extension that is not accepted", file("a.exe", "text"), "refused", /a\.exe|\.exe/],
  ["a path outside of the uploads", file("../a.txt", "text"), "refused", /\.\./],
  ["a folder outside of the uploads", folder("../a"), "refused", /\.\./],
  ["a file above the size limit", file("large.txt", "x".repeat(101)), "refused", /100/],
];

for (const [what, found, outcome, why] of notAdopted) {
  test(`${what} is ${outcome} with the reason, and the next entry is adopted`, async () => {
    const next = `next to ${what}.txt`;
    const files = await uploads.store.files.count();
    const [first, second] = await adopted([found, file(next, what)]);
    assert.deepEqual([first?.from, first?.outcome], [found.path, outcome]);
    assert.match((first as { why: string }).why, why);
    assert.deepEqual(second, { from: next, outcome: "taken", to: next });
    assert.equal(await uploads.store.files.count(), files + 1);
  });
}

test("an empty folder is created, and kept where it exists", async () => {
  const expected = [{ from: "empty/folder", outcome: "taken", to: "empty/folder" }];
  assert.deepEqual(await adopted([folder("empty/folder")]), expected);
  assert.deepEqual(await adopted([folder("empty/folder")]), expected);
  assert.ok(await uploads.store.folders.find("empty/folder" as Path));
});

test("a file that changed while it was read is uploaded as read, and skipped", async () => {
  const [outcome] = await adopted([file("changed.txt", "before", false)]);
  assert.equal(outcome?.outcome, "skipped");
  assert.match((outcome as { why: string }).why, /changed\.txt/);
  assert.equal(await textAt("changed.txt"), "before");
});

test("busy ends the adoption: the entries after it are unchanged", async () => {
  const failing: UploadSource = {
    ...(file("busy.txt", "") as UploadSource & { kind: "file" }),
    bytes: (async function* () {
      yield Buffer.from("some");
      throw problem("busy", { reason: "the disk is full" });
    })(),
  };
  await assert.rejects(adopted([failing, file("after.txt", "after")]), { code: "busy" });
  assert.equal(await textAt("after.txt"), undefined);
});
