import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { ResourceLimits, Worker } from "node:worker_threads";
import { StoreThread } from "../../src/core/sql/engine/thread.ts";

type Limits = { limits(): Promise<ResourceLimits> };
const limits = new URL("../fixtures/thread-limits.ts", import.meta.url);

for (const [maxYoungMib, expected] of [
  [undefined, 24],
  [16, 16],
] as const) {
  test(`the young generation of a thread is bounded to ${expected} MiB where ${maxYoungMib} is asked for`, async (t) => {
    const more = maxYoungMib === undefined ? {} : { maxYoungMib };
    const thread = new StoreThread<Limits>(limits, { workerData: {}, maxPending: 1, loses: "nothing", ...more });
    t.after(() => thread.close());
    assert.equal((await thread.call("limits")).maxYoungGenerationSizeMb, expected);
  });
}

test("a thread without calls ends, and the next call starts another", async (t) => {
  const started: Worker[] = [];
  const note = (worker: Worker) => started.push(worker);
  process.on("worker", note);
  t.after(() => process.off("worker", note));
  const thread = new StoreThread<Limits>(limits, { workerData: {}, maxPending: 1, loses: "nothing", idleMs: 50 });
  t.after(() => thread.close());
  await thread.call("limits");
  await once(started[0] as Worker, "exit");
  await thread.call("limits");
  assert.equal(started.length, 2);
});
