import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../src/domain/problem.ts";
import { type Spool, SpoolRoom } from "../../src/http/spool.ts";

const isBusy = (error: unknown) => error instanceof Problem && error.code === "busy";

/** Lets so many bytes pass, ten at a time. */
async function pass(spool: Spool, bytes: number): Promise<void> {
  const chunks = async function* () {
    for (let n = 0; n < bytes; n += 10) yield Buffer.alloc(10);
  };
  for await (const _ of spool.counted(chunks()));
}

test("there are so many places, and each is given back once, however often it is left", () => {
  const room = new SpoolRoom(2, 1000);
  const [first] = [room.enter(), room.enter()];
  assert.throws(() => room.enter(), isBusy);
  first.leave();
  first.leave();
  room.enter();
  assert.throws(() => room.enter(), isBusy);
});

test("there is room for so many bytes together, and those who leave make room again", async () => {
  const room = new SpoolRoom(9, 100);
  const first = room.enter();
  await pass(first, 60);
  const second = room.enter();
  await assert.rejects(pass(second, 50), isBusy);
  second.leave();
  await pass(room.enter(), 40);
  first.leave();
  await pass(room.enter(), 60);
  await assert.rejects(pass(room.enter(), 10), isBusy);
});
