import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { Arrival } from "../../src/core/http/arrival.ts";
import { type Spool, SpoolRoom } from "../../src/core/http/spool.ts";
import { Problem } from "../../src/core/problem.ts";

const isBusy = (error: unknown) => error instanceof Problem && error.code === "busy";

/** A room whose senders are never behind, so none is evicted. */
function roomOf(t: TestContext, maxCount: number, maxBytes: number): (network?: string) => Promise<Spool> {
  const room = new SpoolRoom({ maxCount, maxBytes, patienceMs: 100 });
  return (network = "a") => {
    const request = new IncomingMessage(new Socket());
    request.complete = true;
    const arrival = new Arrival(request, { leastBytesPerSecond: 1, idleMs: 60_000, maxMs: 60_000 }, () => undefined);
    t.after(() => arrival.stop());
    return room.enter(arrival, network);
  };
}

/** Passes this number of bytes, ten at a time. */
async function pass(spool: Spool, bytes: number): Promise<void> {
  const chunks = async function* () {
    for (let n = 0; n < bytes; n += 10) yield Buffer.alloc(10);
  };
  for await (const _ of spool.counted(chunks()));
}

test("the number of places is limited, and each is released once", async (t) => {
  const enter = roomOf(t, 2, 1000);
  const [first] = await Promise.all([enter(), enter()]);
  await assert.rejects(enter(), isBusy);
  first.leave();
  first.leave();
  await enter();
  await assert.rejects(enter(), isBusy);
});

test("the bytes are limited together, and senders that leave release theirs", async (t) => {
  const enter = roomOf(t, 9, 100);
  const first = await enter();
  await pass(first, 60);
  const second = await enter();
  await assert.rejects(pass(second, 50), isBusy);
  second.leave();
  await pass(await enter(), 40);
  first.leave();
  await pass(await enter(), 60);
  await assert.rejects(pass(await enter(), 10), isBusy);
});

const held = async (spool: Spool, bytes: number): Promise<boolean> => {
  const before = spool.bytes;
  await pass(spool, bytes);
  return spool.bytes > before;
};

test("a newcomer of another network gets the last place of the one that has most, and of none that has as few", async (t) => {
  const enter = roomOf(t, 3, 1000);
  const [first, second, third] = await Promise.all([enter(), enter(), enter()]);
  const other = await enter("b");
  assert.deepEqual(
    [await held(first, 10), await held(second, 10), await held(third, 10), await held(other, 10)],
    [true, true, false, true],
  );
  const last = await enter("c");
  await assert.rejects(enter("d"), isBusy, "each has one");
  await assert.rejects(enter("b"), isBusy, "which has one");
  assert.ok((await held(first, 10)) && (await held(last, 10)));
});

test("the heaviest of a network that holds most bytes makes room for those of another", async (t) => {
  const enter = roomOf(t, 9, 100);
  const [light, heavy] = await Promise.all([enter(), enter()]);
  await pass(light, 20);
  await pass(heavy, 80);
  const other = await enter("b");
  await pass(other, 60);
  assert.deepEqual([await held(heavy, 10), light.bytes, other.bytes], [false, 20, 60]);
  await assert.rejects(pass(other, 50), isBusy, "it has most itself");
});
