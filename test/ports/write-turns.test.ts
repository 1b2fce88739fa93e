// Slow: hundreds of concurrent writes on both engines, and checks that take as long as they may.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "../../src/core/lib/fair-queue.ts";
import type { Slug } from "../../src/core/path.ts";
import { type WaitingCall, WriteGroup } from "../../src/core/sql/engine/write-group.ts";
import { allNouns } from "../../src/nouns.ts";
import { type CostlyType, costlyTypes } from "../fixtures/costly-types.ts";
import { onEachEngine } from "./engines.ts";

/** Who writes has turns: many writes of one do not hold up those of another. Decision 65. */

const context = (actor: string) => ({ actor, nowSeconds: 1000 });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("calls are in the turns of who writes, also in units; what is beside others comes after what waits", () => {
  const groups = new WriteGroup(allNouns, { calls: 3, ms: 100 });
  const queue = new Turns<WaitingCall>();
  const write = (actor: string) => ({ name: "createEntry", args: ["a", {}, { actor }] });
  const calls: [string, unknown[]][] = [
    ["createEntry", write("a").args],
    ["together", [[write("a"), write("a")], { isDryRun: false }]],
    ["kept", [write("a"), {}]],
    ["continueTexts", [1]],
    ["createEntry", write("b").args],
    ["pruneEvents", [1, 2]],
    ["together", [[], { isDryRun: false }]],
  ];
  for (const [id, [name, args]] of calls.entries()) {
    const call = { id, name, args };
    queue.add({ asker: groups.askerOf(call), call });
  }
  const order: number[][] = [];
  while (queue.first) order.push(groups.takeFrom(queue).map(({ call }) => call.id));
  assert.deepEqual(order, [[0, 4, 5], [1, 6, 2], [3]]);
});

onEachEngine(async (store, { name }) => {
  const create = (actor: string, id: string, data: object) =>
    store.entries.create(id as Slug, { data: JSON.stringify(data), isMergePatch: false, fields: {} }, context(actor));

  /** How many of the many writes of one are answered when that of another one is. */
  async function before(count: number, id: string, data: object): Promise<number> {
    let answered = 0;
    const note = () => void answered++;
    const many = Array.from({ length: count }, (_, n) => create("many", `${id}/e${n}`, data).then(note, note));
    // The many are sent by now.
    await turn();
    await turn();
    await create("one", `other/${id}`, {});
    const result = answered;
    await Promise.all(many);
    return result;
  }

  test("a write of another one waits for two groups, not for all that came before", async () => {
    const answered = await before(400, "many", { text: "word ".repeat(20) });
    assert.ok(answered < 300, `${answered} of 400 came before`);
  });

  // On PostgreSQL a transaction locks the paths of its calls before it begins with them.
  if (name === "SQLite")
    test("a transaction of calls that take long ends before all of them are made", async () => {
      const [{ schema, data }] = costlyTypes as [CostlyType];
      const type = { id: "slow", title: "Slow", description: "", paths: ["slow/**"], mode: "enforce" as const };
      await store.types.put("slow", { ...type, schema: JSON.stringify(schema) }, context("many"));
      const answered = await before(10, "slow", data);
      assert.ok(answered <= 8, `${answered} of 10 came before`);
    });
});
