import assert from "node:assert/strict";
import { test } from "node:test";
import { AskerTurns, WaitingLine, whoYields } from "../../src/core/lib/waiting-line.ts";

/** A number of places with a queue. */
class Places {
  readonly line = new WaitingLine();
  free = 0;

  wait(mayWait: () => boolean = () => true): Promise<boolean> {
    return this.line.wait(() => this.free > 0 && this.free-- > 0, mayWait);
  }

  give(count: number): void {
    this.free += count;
    this.line.serve();
  }
}

test("waiters are served in order, as many as capacity permits", async () => {
  const places = new Places();
  const served: number[] = [];
  const all = [0, 1, 2].map((i) => places.wait().then(() => served.push(i)));
  places.give(2);
  await Promise.all(all.slice(0, 2));
  assert.deepEqual(served, [0, 1]);
  places.give(1);
  await Promise.all(all);
  assert.deepEqual(served, [0, 1, 2]);
  assert.equal(places.free, 0);
});

test("a waiter that times out leaves the queue and gets nothing later", async () => {
  const places = new Places();
  let isPatient = true;
  const impatient = places.wait(() => isPatient);
  const patient = places.wait();
  isPatient = false;
  assert.equal(await impatient, false);
  places.give(1);
  assert.equal(await patient, true);
  assert.equal(places.free, 0);
});

test("capacity freed during a handover is not given twice", async () => {
  const line = new WaitingLine();
  let takes = 0;
  const served = line.wait(
    () => {
      if (++takes === 1) line.serve();
      return true;
    },
    () => true,
  );
  line.serve();
  assert.equal(await served, true);
  assert.equal(takes, 1);
});

test("askers take turns, whoever came first; each is first in, first out", () => {
  const turns = new AskerTurns();
  const waiting = ["a", "a", "a", "b", "c", "b"].map((asker, i) => ({ asker, i }));
  const order: string[] = [];
  for (let next = turns.first(waiting); next; next = turns.first(waiting)) {
    waiting.splice(waiting.indexOf(next), 1);
    turns.take(next, waiting);
    order.push(`${next.asker}${next.i}`);
    if (order.length === 2) waiting.push({ asker: "d", i: 6 });
  }
  assert.deepEqual(order, ["a0", "b3", "c4", "d6", "a1", "b5", "a2"]);
});

test("who has most makes room, the heaviest and last of it, for one who would have fewer", () => {
  const held = [
    { asker: "a", size: 5 },
    { asker: "a", size: 5 },
    { asker: "b", size: 9 },
  ];
  const yields = (asker: string, weigh: (one: { size: number }) => number, more: number) =>
    held.indexOf(whoYields(held, asker, { weigh, more }) as (typeof held)[0]);
  const one = () => 1;
  assert.deepEqual([yields("c", one, 1), yields("b", one, 1), yields("a", one, 1)], [1, -1, -1]);
  const size = (it: { size: number }) => it.size;
  assert.deepEqual([yields("b", size, 0), yields("a", size, 0), yields("c", size, 10)], [1, -1, -1]);
  assert.equal(whoYields([], "a", { weigh: one, more: 1 }), undefined);
});
