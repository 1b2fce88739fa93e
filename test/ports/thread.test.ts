import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceLimits } from "node:worker_threads";
import { StoreThread } from "../../src/core/sql/engine/thread.ts";

type Limits = { limits(): Promise<ResourceLimits> };

for (const [maxYoungMib, expected] of [
  [undefined, 24],
  [16, 16],
] as const) {
  test(`the young generation of a thread is bounded to ${expected} MiB where ${maxYoungMib} is asked for`, async (t) => {
    const file = new URL("../fixtures/thread-limits.ts", import.meta.url);
    const more = maxYoungMib === undefined ? {} : { maxYoungMib };
    const thread = new StoreThread<Limits>(file, { workerData: {}, maxPending: 1, loses: "nothing", ...more });
    t.after(() => thread.close());
    assert.equal((await thread.call("limits")).maxYoungGenerationSizeMb, expected);
  });
}
