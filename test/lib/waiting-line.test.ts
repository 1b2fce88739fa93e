import assert from "node:assert/strict";
import { test } from "node:test";
import { WaitingLine } from "../../src/lib/waiting-line.ts";

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
