import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { allNouns } from "../nouns.ts";
import { memberNames, Tally } from "./backup.ts";

const { rowRules } = allNouns;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("an empty tally has zero counts", () => {
  const { counts, rows_sha256, blobs } = new Tally(rowRules).end();
  assert.ok(Object.values(counts).every((count) => count === 0));
  assert.deepEqual([rows_sha256, blobs], [sha256(""), { count: 0, bytes: 0, sha256: sha256("") }]);
});
test("rows are counted by line feeds in any chunks, and hashed as a stream", () => {
  const [whole, cut] = [new Tally(rowRules), new Tally(rowRules)];
  whole.addRows("entry", Buffer.from('{"a":"é"}\n{"b":1}\n'));
  for (const byte of Buffer.from('{"a":"é"}\n{"b":1}\n')) cut.addRows("entry", Uint8Array.of(byte));
  assert.deepEqual(whole.end(), cut.end());
  assert.equal(whole.end().counts.entry, 2);
  assert.equal(whole.rows, 2);
});
test("the counts depend on the nouns, the hash on the order of rows", () => {
  const tallyOf = (...rows: ["entry" | "file", string][]) => {
    const tally = new Tally(rowRules);
    for (const [noun, text] of rows) tally.addRows(noun, Buffer.from(text));
    return tally.end();
  };
  assert.deepEqual(tallyOf(["file", "a\n"]).counts, { ...new Tally(rowRules).end().counts, file: 1 });
  assert.notEqual(
    tallyOf(["file", "a\n"], ["file", "b\n"]).rows_sha256,
    tallyOf(["file", "b\n"], ["file", "a\n"]).rows_sha256,
  );
});
test("a result does not change with later rows", () => {
  const tally = new Tally(rowRules);
  tally.addBlob({ hash: "aa", size: 3 });
  const first = tally.end();
  tally.addBlob({ hash: "bb", size: 4 });
  assert.deepEqual(first.blobs, { count: 1, bytes: 3, sha256: sha256("aa\n") });
  assert.deepEqual(tally.end().blobs, { count: 2, bytes: 7, sha256: sha256("aa\nbb\n") });
  assert.equal(tally.blobBytes, 7);
});
test("row members sort by name in the order they were written", () => {
  const names = [1, 2, 10, 999_999].map((n) => memberNames.rows("entry", n));
  assert.deepEqual(names.toSorted(), names);
});
