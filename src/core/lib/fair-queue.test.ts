import assert from "node:assert/strict";
import { test } from "node:test";
import { FairQueue, type FairQueueOptions, type Refused, Turns, whoYields } from "./fair-queue.ts";

/** One queue for whatever is scarce: turns of askers, bounds, time. */

class Refusal extends Error {}
const queueOf = (options: Partial<FairQueueOptions>) =>
  new FairQueue({ refusal: (why: Refused) => new Refusal(why), ...options });
const refused = (why: Refused) => ({ name: "Error", message: why });

/** Works of askers that end on request, and what happened to them. */
function worksOf(queue: FairQueue) {
  const begun: string[] = [];
  const ends = new Map<string, { resolve(): void; reject(error: unknown): void }>();
  const run = (name: string, signal?: AbortSignal) =>
    queue.run(
      name[0] as string,
      () => {
        begun.push(name);
        const { promise, ...end } = Promise.withResolvers<void>();
        ends.set(name, end);
        return promise;
      },
      { signal },
    );
  /** Ends a work that has begun by then, and waits until what it lets begin has begun. */
  const end = async (name: string, error?: Error) => {
    await turn();
    if (error) ends.get(name)?.reject(error);
    else ends.get(name)?.resolve();
    await turn();
  };
  return { begun, run, end };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("so many run as there are slots; the next begins when one ends or fails", async () => {
  const { begun, run, end } = worksOf(queueOf({ slots: 2 }));
  const [failing, ...others] = ["a1", "a2", "a3", "a4"].map((name) => run(name));
  await turn();
  assert.deepEqual(begun, ["a1", "a2"]);
  const failed = assert.rejects(failing as Promise<void>, /failed/);
  await end("a1", new Error("failed"));
  assert.deepEqual(begun, ["a1", "a2", "a3"]);
  for (const name of ["a2", "a3", "a4"]) await end(name);
  await Promise.all([failed, ...others]);
});

test("askers take turns, whoever came first; each is first in, first out", async () => {
  const queue = queueOf({ slots: 1 });
  const { begun, run, end } = worksOf(queue);
  const all = ["a0", "a1", "a2", "b1", "c1", "b2"].map((name) => run(name));
  await turn();
  await end("a0");
  all.push(run("d1"));
  for (const name of ["a1", "b1", "c1", "a2", "d1", "b2"]) await end(name);
  await Promise.all(all);
  assert.deepEqual(begun, ["a0", "a1", "b1", "c1", "a2", "d1", "b2"]);
  assert.equal(queue.size, 0);
});

test("an asker with its own slots taken waits alone", async () => {
  const { begun, run, end } = worksOf(queueOf({ slotsEach: 2 }));
  const all = ["a1", "a2", "a3", "b1"].map((name) => run(name));
  await turn();
  assert.deepEqual(begun, ["a1", "a2", "b1"]);
  for (const name of ["b1", "a2", "a3", "a1"]) await end(name);
  await Promise.all(all);
});

test("who comes at the moment when another ends waits behind those that wait", async () => {
  const { begun, run, end } = worksOf(queueOf({ slots: 1 }));
  const first = run("a1");
  const waiting = run("a2");
  const late = first.then(() => run("a3"));
  await turn();
  await end("a1");
  assert.deepEqual(begun, ["a1", "a2"]);
  await end("a2");
  await end("a3");
  await Promise.all([waiting, late]);
});

test("who waits for too long is refused, and gets nothing later", async () => {
  const queue = queueOf({ slots: 1, maxWaitMs: 10 });
  const { begun, run, end } = worksOf(queue);
  const first = run("a1");
  await assert.rejects(run("b1"), refused("late"));
  assert.equal(queue.size, 0);
  await end("a1");
  await first;
  const again = run("b2");
  await end("b2");
  await again;
  assert.deepEqual(begun, ["a1", "b2"]);
});

test("its time counts from when it says", async () => {
  let now = 0;
  let since = 0;
  const queue = queueOf({ maxWaitMs: 10, nowMs: () => now });
  const never = queue.wait("a", () => undefined, { sinceMs: () => since });
  const refusal = assert.rejects(never, refused("late"));
  /** Fulfils when the queue was looked at: only then its second call takes something. */
  const looked = () => {
    let calls = 0;
    return queue.wait("b", () => (calls++ > 0 ? "taken" : undefined), { sinceMs: () => now });
  };
  for (; now < 30; now += 5) {
    since = now;
    await looked();
    assert.equal(queue.size, 1);
  }
  now = since + 10;
  await refusal;
});

test("who leaves is refused at once, and before its work begins", async () => {
  const queue = queueOf({ slots: 1 });
  const { begun, run, end } = worksOf(queue);
  const left = new AbortController();
  const first = run("a1");
  const waiting = [run("b1", left.signal), run("b2", left.signal)].map((each) => assert.rejects(each, refused("gone")));
  left.abort();
  assert.equal(queue.size, 0);
  await Promise.all([...waiting, assert.rejects(run("b3", left.signal), refused("gone"))]);
  await end("a1");
  await first;
  const leaving = new AbortController();
  const begins = run("a2", leaving.signal);
  leaving.abort();
  await assert.rejects(begins, refused("gone"));
  const last = run("c1");
  await turn();
  await end("c1");
  await last;
  assert.deepEqual(begun, ["a1", "c1"]);
});

test("where too many wait, the last of the asker with most makes room; who has as many is refused", async () => {
  const { begun, run, end } = worksOf(queueOf({ slots: 1, maxWaiting: 3 }));
  const all = ["a1", "a2", "a3"].map((name) => run(name));
  const yields = assert.rejects(run("a4"), refused("full"));
  await assert.rejects(run("a5"), refused("full"));
  all.push(run("b1"));
  await yields;
  await assert.rejects(run("b2"), refused("full"));
  await assert.rejects(run("a6"), refused("full"));
  await turn();
  for (const name of ["a1", "a2", "b1", "a3"]) await end(name);
  await Promise.all(all);
  assert.deepEqual(begun, ["a1", "a2", "b1", "a3"]);
});

test("of one asker no more wait than its own bound", async () => {
  const { run, end } = worksOf(queueOf({ slots: 1, maxWaitingOf: (asker) => (asker === "a" ? 1 : 2) }));
  const all = ["a1", "a2", "b1", "b2"].map((name) => run(name));
  await assert.rejects(run("a3"), refused("full"));
  await assert.rejects(run("b3"), refused("full"));
  for (const name of ["a1", "a2", "b1", "b2"]) await end(name);
  await Promise.all(all);
});

test("after the end all are refused, those that wait at once", async () => {
  const queue = queueOf({ slots: 1 });
  const { run, end } = worksOf(queue);
  const first = run("a1");
  const waiting = assert.rejects(run("b1"), /over/);
  queue.close(() => new Error("over"));
  await Promise.all([waiting, assert.rejects(run("c1"), /over/)]);
  await end("a1");
  await first;
});

/** A number of places that are not slots. */
class Places {
  readonly queue = queueOf({});
  free = 0;
  readonly order: string[] = [];

  async wait(name: string, places = 1): Promise<void> {
    const take = () => {
      if (this.free < places) return undefined;
      this.free -= places;
      return places;
    };
    await this.queue.wait(name[0] as string, take);
    this.order.push(name);
  }

  async give(count: number): Promise<void> {
    this.free += count;
    this.queue.serve();
    await turn();
  }
}

test("as many begin as there is room for; a smaller one overtakes", async () => {
  const places = new Places();
  const all = [places.wait("a1", 3), places.wait("a2"), places.wait("b1"), places.wait("b2", 2)];
  await places.give(2);
  assert.deepEqual(places.order, ["a2", "b1"]);
  await places.give(2);
  assert.deepEqual(places.order, ["a2", "b1", "b2"]);
  await places.give(3);
  await Promise.all(all);
  assert.equal(places.free, 0);
});

test("what becomes free while another begins is given once", async () => {
  const places = new Places();
  let takes = 0;
  const taken = places.queue.wait("a", () => {
    if (++takes === 1) return undefined;
    places.free++;
    places.queue.serve();
    return takes;
  });
  const next = places.wait("b1");
  places.queue.serve();
  assert.equal(await taken, 2);
  await next;
  assert.deepEqual([takes, places.free], [2, 0]);
});

test("what becomes possible with time alone begins, too", async () => {
  const places = new Places();
  const waiting = places.wait("a1");
  places.free = 1;
  await waiting;
});

test("one that cannot begin ever again is refused with what it throws", async () => {
  const places = new Places();
  let isGone = false;
  const gone = places.queue.wait("a", () => {
    if (isGone) throw new Error("gone");
  });
  const next = places.wait("a1");
  isGone = true;
  const refusal = assert.rejects(gone, /gone/);
  await places.give(1);
  await Promise.all([refusal, next]);
  assert.equal(places.queue.size, 0);
});

test("one that comes back has its place again, however many wait", async () => {
  const queue = queueOf({ maxWaiting: 2 });
  let free = 0;
  const order: string[] = [];
  const numbers: number[] = [];
  const wait = (name: string, number?: number) =>
    queue
      .wait(
        "a",
        (own) => {
          if (free === 0) return undefined;
          numbers.push(own);
          return free--;
        },
        { number },
      )
      .then(() => order.push(name));
  const all = [wait("1"), wait("2")];
  free = 1;
  queue.serve();
  const [first] = numbers;
  all.push(wait("3"), wait("1 again", first));
  free = 3;
  queue.serve();
  await Promise.all(all);
  assert.deepEqual(order, ["1", "1 again", "2", "3"]);
});

type One = { asker: string; i: number };
type Four = [One, One, One, One];

test("turns are seen in their order, and are as many as wait", () => {
  const turns = new Turns<One>();
  const [a0, a1, b2, c3] = [0, 1, 2, 3].map((i) => ({ asker: "aabc"[i] as string, i })) as Four;
  for (const one of [a0, a1, b2, c3]) turns.add(one);
  const order = () => [...turns].map(({ asker, i }) => asker + i).join(" ");
  assert.deepEqual([order(), turns.size, turns.sizeOf("a"), turns.first], ["a0 a1 b2 c3", 4, 2, a0]);
  turns.take(a0);
  assert.equal(order(), "b2 c3 a1");
  turns.remove(c3);
  turns.remove(c3);
  assert.deepEqual([order(), turns.size, turns.sizeOf("c")], ["b2 a1", 2, 0]);
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
