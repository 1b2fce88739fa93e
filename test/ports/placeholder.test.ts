import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { onEachEngine } from "./engines.ts";

/** The contract of every store of placeholders. */

const hashOf = (n: number) => createHash("sha256").update(`placeholder ${n}`).digest("hex");

onEachEngine(async (store) => {
  const { placeholders, ledger } = store.ports;
  const of = (n: number) => ({ thumbhash: `hash${n}==`, color: "#0a0b0c" });

  test("placeholders are kept as long as their bytes, the first of each", async () => {
    const hashes = Array.from({ length: 230 }, (_, n) => hashOf(n));
    for (const hash of hashes) await ledger.keep(hash, 10, 100);
    for (const [n, hash] of hashes.entries()) await placeholders.keep(hash, of(n));
    await placeholders.keep(hashOf(7), of(8));
    await placeholders.keep(hashOf(999), of(9));
    const found = await placeholders.findAll([...hashes, hashOf(999)]);
    assert.deepEqual([...found].toSorted(), hashes.map((hash, n) => [hash, of(n)]).toSorted());
    await ledger.drop(hashOf(3), 100);
    assert.deepEqual([...(await placeholders.findAll([hashOf(3), hashOf(4)])).keys()], [hashOf(4)]);
    assert.equal((await placeholders.findAll([])).size, 0);
    await ledger.keep(hashOf(3), 10, 100);
    assert.equal((await placeholders.findAll([hashOf(3)])).size, 0, "nor do other bytes of the name get it");
  });
});
