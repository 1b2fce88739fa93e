import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Event } from "../../src/core/event.ts";
import { EventFollower, type EventFollowerOptions, forgetFollower } from "../../src/feed/event-follower.ts";
import { until } from "../harness.ts";
import { onEachEngine } from "./engines.ts";

/** Longer than the tests take. */
const never = 600_000;
const now = 1_000_000_000;
const old = now - 1000;

onEachEngine(async (store) => {
  const { events } = store;
  let names = 0;
  const told = ({ sequence, begun, handled }: ReturnType<typeof follower>): string =>
    JSON.stringify({ sequence, begun, handled });

  /** Writes an event and answers its sequence. */
  const write = async (nowSeconds = now): Promise<number> => {
    await store.registry.put("item", { value: "1" }, { actor: "test", nowSeconds });
    return (await events.bounds()).newest;
  };

  /** A follower whose handler notes what it is called with; stopped after the test. */
  function follower(t: TestContext, more: Partial<EventFollowerOptions & EventFollowerOptions["handler"]> = {}) {
    const { begin, handle, resume, settle, ...options } = more;
    const notes = { begun: [] as number[], handled: [] as number[][], errors: [] as unknown[] };
    const name = options.name ?? `follower-${++names}`;
    const made = new EventFollower({
      events,
      handler: {
        begin: async (newest) => {
          notes.begun.push(newest);
          await begin?.(newest);
        },
        handle: async (batch) => {
          notes.handled.push(batch.map(({ sequence }) => sequence));
          await handle?.(batch);
        },
        ...(resume && { resume }),
        ...(settle && { settle }),
      },
      onError: (error) => void notes.errors.push(error),
      pollMs: never,
      ...options,
      name,
    });
    t.after(() => made.stop());
    return Object.assign(made, notes, { name });
  }

  /** Starts it; what is written afterwards is no part of its initial walk. */
  const walked = async (made: ReturnType<typeof follower>): Promise<void> => {
    await made.start();
    await made.reached((await events.bounds()).newest, never);
  };

  test("the first start does the initial walk, then hands over what is written in order and in batches", async (t) => {
    const before = await write();
    const made = follower(t, { name: "first", batchEvents: 2 });
    await made.start();
    assert.ok(await made.reached(before, never));
    await made.stop();
    assert.deepEqual([made.begun, made.handled], [[before], []]);
    for (let i = 0; i < 3; i++) await write();
    const again = follower(t, { name: "first", batchEvents: 2 });
    await again.start();
    assert.ok(await again.reached(before + 3, never));
    assert.deepEqual(again.handled, [[before + 1, before + 2], [before + 3]]);
  });

  test("the next start goes on where the last one stopped, without a walk", async (t) => {
    const name = "again";
    const first = follower(t, { name });
    await first.start();
    await first.reached(await write(), never);
    await first.stop();
    const missed = await write();
    const second = follower(t, { name });
    await second.start();
    assert.ok(await second.reached(missed, never));
    assert.deepEqual([second.begun, second.handled], [[], [[missed]]]);
  });

  test("without being told it polls the log", async (t) => {
    const made = follower(t, { pollMs: 5 });
    await walked(made);
    const written = await write();
    await until(
      () => made.sequence === written,
      () => told(made),
    );
  });

  test("told of a write while it handles another one, it looks again", async (t) => {
    const going = Promise.withResolvers<void>();
    const made = follower(t, { handle: () => going.promise });
    await walked(made);
    const first = await write();
    made.wake();
    await until(
      () => made.handled.length === 1,
      () => told(made),
    );
    const second = await write();
    const reached = made.reached(second, never);
    going.resolve();
    assert.ok(await reached);
    assert.deepEqual(made.handled, [[first], [second]]);
  });

  test("what the handler refuses comes again, after waits by the number of failures", async (t) => {
    const failures: number[] = [];
    const made = follower(t, {
      handle: async () => {
        if (made.handled.length <= 3) throw new Error("not now");
      },
      retryMs: (count) => failures.push(count) && 1,
      pollMs: 5,
    });
    await walked(made);
    const written = await write();
    assert.ok(await made.reached(written, never));
    await write();
    await until(
      () => made.handled.length === 5,
      () => told(made),
    );
    assert.deepEqual(made.handled, [...Array(4).fill([written]), [written + 1]]);
    assert.deepEqual([failures, made.errors.length], [[1, 2, 3], 3]);
  });

  test("while it waits after a failure nothing wakes it", async (t) => {
    const made = follower(t, {
      handle: () => Promise.reject(new Error("never")),
      retryMs: () => never,
      pollMs: 5,
    });
    await walked(made);
    const written = await write();
    assert.equal(await made.reached(written, 100), false);
    assert.deepEqual([made.handled, made.errors.length], [[[written]], 1]);
  });

  test("a failed walk is done again", async (t) => {
    const made = follower(t, {
      begin: async () => {
        if (made.begun.length === 1) throw new Error("not now");
      },
      retryMs: () => 1,
      pollMs: 5,
    });
    await made.start();
    await until(
      () => made.begun.length === 2,
      () => told(made),
    );
    assert.deepEqual([made.errors.length, made.handled], [1, []]);
  });

  test("a stop waits for the handler, releases who waits, and the interrupted events come again", async (t) => {
    const name = "stopped";
    const going = Promise.withResolvers<void>();
    const first = follower(t, { name, handle: () => going.promise });
    await walked(first);
    const written = await write();
    const reached = first.reached(written, never);
    await until(
      () => first.handled.length === 1,
      () => told(first),
    );
    const stopped = first.stop();
    assert.equal(await reached, false);
    going.resolve();
    await stopped;
    assert.equal(await first.reached(written + 1, never), false);
    const second = follower(t, { name });
    await second.start();
    assert.ok(await second.reached(written, never));
    assert.deepEqual([second.begun, second.handled], [[], [[written]]]);
  });

  test("a stop during the initial walk saves no position", async (t) => {
    const made = follower(t, { name: "walking", begin: () => stopping(made) });
    await made.start();
    await until(
      () => made.isStopped,
      () => told(made),
    );
    await made.stop();
    assert.equal(await events.position("walking"), undefined);
  });

  /** Stops it without waiting for the walk that calls this. */
  const stopping = async (made: EventFollower): Promise<void> => void made.stop();

  test("the position is saved when the handler has settled everything", async (t) => {
    const name = "settling";
    let isSettled = false;
    const made = follower(t, { name, settle: async () => isSettled });
    await made.start();
    await made.reached(await write(), never);
    await made.stop();
    assert.equal(await events.position(name), undefined);
    isSettled = true;
    const again = follower(t, { name, settle: async () => isSettled });
    await again.start();
    const written = await write();
    await again.reached(written, never);
    await again.stop();
    assert.equal(await events.position(name), written);
  });

  test("what was left undone is taken up at each look, also when nothing was written", async (t) => {
    let looks = 0;
    const made = follower(t, { pollMs: 5, resume: async () => void looks++ });
    await made.start();
    await until(
      () => looks > 2,
      () => `${looks} looks`,
    );
    assert.deepEqual(made.handled, []);
  });

  // ---------------------------------------------------------------------------------------------------- pruning

  /** A new log that holds only these times, and no positions. */
  async function logOf(...times: number[]): Promise<number[]> {
    await write();
    await write();
    for (const { follower } of (await events.prune(Number.MAX_SAFE_INTEGER)).behind) {
      await events.forgetPosition(follower);
    }
    await write(1);
    await events.prune(Number.MAX_SAFE_INTEGER);
    const sequences: number[] = [];
    for (const time of times) sequences.push(await write(time));
    return sequences;
  }
  const kept = async (): Promise<number[]> => (await events.list(0, 100)).map(({ sequence }: Event) => sequence);

  test("events that a follower has not handled are kept", async () => {
    const [first = 0, second = 0, third = 0, last = 0] = await logOf(old, old, old, now);
    await events.savePosition("ahead", third);
    await events.savePosition("slow", first);
    const behind = [{ follower: "slow", sequence: first }];
    const pruned = await events.prune(now - 100, { nowSeconds: now, unhandledBeforeSeconds: old });
    assert.deepEqual([pruned.behind, pruned.forgotten], [behind, []]);
    assert.deepEqual(await kept(), [second, third, last]);
    await events.savePosition("slow", second);
    assert.equal((await events.prune(now - 100)).count, 1);
    assert.deepEqual(await kept(), [third, last]);
    await events.savePosition("slow", third);
    assert.deepEqual(await events.prune(now - 100), { count: 1, behind: [], forgotten: [] });
  });

  test("past the bound the position is forgotten, the events go, and the follower starts anew", async (t) => {
    const [first = 0, second = 0, third = 0, last = 0] = await logOf(old - 50, old - 50, old, now);
    await events.savePosition("slow", second);
    await events.savePosition("lost", first);
    const pruned = await events.prune(now - 100, { nowSeconds: now, unhandledBeforeSeconds: old - 10 });
    assert.deepEqual(pruned, {
      count: 3,
      behind: [{ follower: "slow", sequence: second }],
      forgotten: [{ follower: "lost", sequence: first }],
    });
    assert.deepEqual(await kept(), [third, last]);
    assert.equal(await events.position("lost"), undefined);
    const made = follower(t, { name: "lost" });
    await made.start();
    assert.ok(await made.reached(last, never));
    assert.deepEqual([made.begun, made.handled], [[last], []]);
  });

  test("a follower that runs starts anew when events after its position are gone", async (t) => {
    await logOf(old);
    const pruned = Promise.withResolvers<void>();
    const handle = async () => {
      await pruned.promise;
      throw new Error("not now");
    };
    const made = follower(t, { handle, retryMs: () => 1, pollMs: 5 });
    await walked(made);
    for (let i = 0; i < 3; i++) await write(old);
    await until(
      () => made.handled.length === 1,
      () => told(made),
    );
    const everything = { unhandledBeforeSeconds: Number.MAX_SAFE_INTEGER };
    assert.equal((await events.prune(Number.MAX_SAFE_INTEGER, everything)).forgotten.length, 1);
    pruned.resolve();
    const { newest } = await events.bounds();
    assert.ok(await made.reached(newest, never));
    assert.deepEqual([made.begun.at(-1), made.handled.length], [newest, 1]);
    await until(
      async () => (await events.position(made.name)) === newest,
      () => told(made),
    );
  });

  test("a follower that is switched off keeps no events", async () => {
    const [first = 0, , last = 0] = await logOf(old, old, now);
    await events.savePosition("off", first);
    await forgetFollower(events, "off");
    await forgetFollower(events, "off");
    assert.deepEqual((await events.prune(now - 100)).behind, []);
    assert.deepEqual(await kept(), [last]);
  });
});
