import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashSecret } from "../../src/core/access/token.ts";
import type { Slug } from "../../src/core/path.ts";
import type { SqlStore } from "../../src/database.ts";

/** Times ahead of the clock, from a wrong clock or a backup. Decision 20. */

const now = 1_000_000_000;
const old = now - 1000;
const recent = now - 10;
const ahead = now + 1_000_000;
const never = 253_402_300_799;
const cutoff = now - 100;
const everything = Number.MAX_SAFE_INTEGER;
const daySeconds = 24 * 3600;

/** Times of events in order, and those left after pruning. */
const logs: [what: string, at: number[], left: number[]][] = [
  ["old events are pruned, recent ones stay", [old, old, recent], [recent]],
  ["if all are old, the last stays, so that no sequence is reused", [old, old + 1], [old + 1]],
  ["one ahead of the clock among old ones is pruned with the old ones after it", [old, never, old, recent], [recent]],
  ["one ahead of the clock before recent ones stays", [old, never, ahead, recent], [never, ahead, recent]],
  ["those ahead of the clock at the end stay", [old, ahead, never], [ahead, never]],
  ["one from a slow clock among recent ones stays", [recent, 5, recent], [recent, 5, recent]],
];

export function clockSuite(name: string, open: () => Promise<SqlStore>): void {
  let store: SqlStore;
  before(async () => {
    store = await open();
  });
  after(() => store.close());

  for (const [what, at, left] of logs) {
    test(`${name}: of events, ${what}`, async () => {
      await store.registry.put("first", { value: "1" }, { actor: "test", nowSeconds: 1 });
      await store.events.prune(everything);
      for (const seconds of at)
        await store.registry.put("item", { value: "1" }, { actor: "test", nowSeconds: seconds });
      await store.events.prune(cutoff, { nowSeconds: now });
      const events = await store.events.list(0, 100);
      assert.deepEqual(
        events.map((event) => event.atSeconds),
        left,
      );
    });
  }

  test(`${name}: counts entries dated by a clock that was ahead, not those with a chosen date`, async () => {
    const context = (nowSeconds: number) => ({ actor: "test", nowSeconds });
    const input = (publishedAt?: number) => ({
      data: "{}",
      isMergePatch: false,
      fields: publishedAt === undefined ? {} : { publishedAt },
    });
    await store.entries.create("past" as Slug, input(), context(old));
    await store.entries.create("planned" as Slug, input(ahead), context(old));
    await store.events.prune(everything);
    await store.registry.put("item", { value: "1" }, { actor: "test", nowSeconds: recent });
    await store.events.prune(everything);
    assert.deepEqual(await store.clock(now), { behindSeconds: 0, futureEntries: 0 });
    await store.entries.create("future" as Slug, input(), context(ahead));
    await store.entries.create("copied/from" as Slug, input(), context(ahead));
    await store.registry.put("item", { value: "1" }, { actor: "test", nowSeconds: now });
    assert.deepEqual(await store.clock(now), { behindSeconds: ahead - now, futureEntries: 2 });
    assert.deepEqual(await store.clock(ahead), { behindSeconds: 0, futureEntries: 0 });
  });

  test(`${name}: a grace period started by a clock that was ahead is restarted and ends`, async () => {
    const hash = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
    await store.ledger.keep(hash, 1, never);
    assert.equal(await store.ledger.sweep(now + 10 * daySeconds), 0, "it would never end");
    assert.equal(await store.ledger.restartGrace(now), 1);
    assert.equal(await store.ledger.restartGrace(now), 0);
    assert.equal(await store.ledger.sweep(now), 0, "it starts and has not ended");
    assert.equal(await store.ledger.sweep(now + 1), 1);
    // Keeping the same bytes twice in one second advances the time by one.
    await store.ledger.keep(hash, 1, now);
    await store.ledger.keep(hash, 1, now);
    assert.equal(await store.ledger.restartGrace(now), 0);
  });

  test(`${name}: a last use ahead of the clock is overwritten by the next`, async () => {
    const token = {
      ...{ id: "used", kind: "delivery" as const, resources: ["entries" as const], label: "", environment: "" },
      ...{ paths: null, writes: "all" as const, maker: null },
      ...{ state: "enabled" as const, limitCalls: 0, calls: 0, expiresAt: null, createdAt: 1, lastUsedAt: never },
    };
    await store.tokens.create(token, { hash: hashSecret("used") }, { actor: "test" });
    const use = async (at: number) => {
      await store.tokens.countCall([{ argument: "token", token }], at);
      return (await store.tokens.list()).find(({ id }) => id === "used")?.lastUsedAt;
    };
    assert.equal(await use(now), now);
    assert.equal(await use(now - 5), now, "another process was a little ahead");
  });
}
