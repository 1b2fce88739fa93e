import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { Problem } from "../../src/domain/problem.ts";
import { Arrival } from "../../src/http/exchange/arrival.ts";
import { type Spool, SpoolRoom } from "../../src/http/exchange/spool.ts";

const isBusy = (error: unknown) => error instanceof Problem && error.code === "busy";

/** A room whose senders are never behind, so none is evicted. */
function roomOf(t: TestContext, maxCount: number, maxBytes: number): () => Promise<Spool> {
  const room = new SpoolRoom({ maxCount, maxBytes, patienceMs: 100 });
  return () => {
    const request = new IncomingMessage(new Socket());
    request.complete = true;
    const arrival = new Arrival(request, { leastBytesPerSecond: 1, idleMs: 60_000, maxMs: 60_000 }, () => undefined);
    t.after(() => arrival.stop());
    return room.enter(arrival);
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
