import assert from "node:assert/strict";
import { test } from "node:test";
import type { Asker } from "../../src/core/list/query.ts";
import { ScanQueue, type ScanRunner } from "../../src/core/sql/engine/scan-queue.ts";
import { allNouns } from "../../src/nouns.ts";

/** How many scans of one client run, and how many wait. The rules of the queue are tested in lib/fair-queue. */

/** Scans that end together. */
function scansThat(maxWaitMs: number) {
  const end = Promise.withResolvers<never>();
  let begun = 0;
  const runner: ScanRunner = {
    callFor: async () => {
      begun++;
      return end.promise;
    },
  };
  const queue = new ScanQueue(allNouns, async () => undefined, runner, maxWaitMs);
  const scan = (client: string, signal = new AbortController().signal) => {
    const asker: Asker = { client, signal, makeRoom: () => undefined };
    return queue.for(asker).call("verifyStore", ["rows"]);
  };
  return { queue, scan, begun: () => begun, end: () => end.resolve(undefined as never) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const isBusy = (message: RegExp) => ({ code: "busy", message });

test("two scans of a client run and a hundred wait; those of another one run", async () => {
  const { queue, scan, begun, end } = scansThat(60_000);
  const all = Array.from({ length: 102 }, () => scan("one"));
  await turn();
  await assert.rejects(scan("one"), isBusy(/this token has too many costly lists in progress/));
  all.push(scan("other"));
  await turn();
  assert.deepEqual([begun(), queue.waiting], [3, 100]);
  end();
  await Promise.all(all);
});

test("a scan whose turn does not come in time, or whose client leaves, is refused", async () => {
  const { queue, scan, begun, end } = scansThat(20);
  const all = [scan("one"), scan("one")];
  await turn();
  await assert.rejects(scan("one"), isBusy(/this token has too many costly lists in progress/));
  const left = new AbortController();
  const leaving = assert.rejects(scan("one", left.signal), isBusy(/the client has left/));
  await turn();
  left.abort();
  await leaving;
  assert.deepEqual([begun(), queue.waiting], [2, 0]);
  end();
  await Promise.all(all);
});
