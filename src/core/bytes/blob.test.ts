import assert from "node:assert/strict";
import { test } from "node:test";
import { blobFault, isBlobHash } from "./blob.ts";

const hash = "0123456789abcdef".repeat(4);

test("a blob hash is exactly 64 lower-case hex digits: it names a file", () => {
  assert.ok(isBlobHash(hash));
  const others = [
    "",
    hash.slice(1),
    `${hash}0`,
    hash.toUpperCase(),
    `${hash}\n`,
    `../${hash.slice(3)}`,
    `g${hash.slice(1)}`,
  ];
  for (const other of others) assert.ok(!isBlobHash(other), JSON.stringify(other));
});
test("a fault names the blob, a file that has it, and the fault", () => {
  const fault = blobFault({ hash, size: 1, path: "a/b.png", state: "missing" });
  assert.equal(fault, `The blob ${hash} of the file a/b.png is missing`);
});
