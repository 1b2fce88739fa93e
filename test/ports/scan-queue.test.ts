import assert from "node:assert/strict";
import { test } from "node:test";
import type { Asker } from "../../src/core/list/query.ts";
import { ScanQueue, type ScanRunner, withApart } from "../../src/core/sql/engine/scan-queue.ts";
import { allNouns } from "../../src/nouns.ts";

/**
 * Which scans wait for a turn of their client, and for memory of its answer, before they run; how many of one client run,
 * and how many wait. The rules of the queue are tested in lib/fair-queue.
 */

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A runner whose scans end when they are told to; `begun` has the clients whose scans it got. */
function slow() {
  const { promise, resolve } = Promise.withResolvers<number>();
  const begun: (string | undefined)[] = [];
  const runner = {
    callFor: (asker: Asker | undefined) => {
      begun.push(asker?.client);
      return promise;
    },
  } as ScanRunner;
  return { runner, begun, end: () => resolve(7) };
}

const askerOf = (client: string, more: Partial<Asker> = {}): Asker => ({
  client,
  signal: new AbortController().signal,
  makeRoom: () => undefined,
  ...more,
});
const nothingQuick = async () => undefined;

test("two scans of a client run, the third waits; another client's runs beside them", async () => {
  const { runner, begun, end } = slow();
  const queue = new ScanQueue(allNouns, nothingQuick, runner);
  const scans = ["a", "a", "a", "b"].map((client) => queue.for(askerOf(client)).call("newestEvent"));
  await turn();
  assert.deepEqual(begun, ["a", "a", "b"]);
  assert.equal(queue.waiting, 1);
  end();
  assert.deepEqual(await Promise.all(scans), [7, 7, 7, 7]);
  assert.deepEqual(begun, ["a", "a", "b", "a"]);
  assert.equal(queue.waiting, 0);
});

test("the service's own scans wait for no turn", async () => {
  const { runner, begun, end } = slow();
  const queue = new ScanQueue(allNouns, nothingQuick, runner);
  const scans = Array.from({ length: 5 }, () => queue.call("newestEvent"));
  await turn();
  assert.deepEqual(begun, Array.from({ length: 5 }));
  end();
  await Promise.all(scans);
});

test("a scan whose client leaves while it waits is not run", async () => {
  const { runner, begun, end } = slow();
  const queue = new ScanQueue(allNouns, nothingQuick, runner);
  const left = new AbortController();
  const signals = [new AbortController().signal, new AbortController().signal, left.signal];
  const scans = signals.map((signal) => queue.for(askerOf("a", { signal })).call("newestEvent"));
  const refused = assert.rejects(scans[2] as Promise<number>, { code: "busy", message: /client has left/ });
  await turn();
  left.abort();
  end();
  await refused;
  assert.deepEqual(await Promise.all(scans.slice(0, 2)), [7, 7]);
  assert.deepEqual(begun, ["a", "a"]);
});

test("a scan that waits for memory has no turn yet", async () => {
  const { runner, begun, end } = slow();
  const queue = new ScanQueue(allNouns, nothingQuick, runner);
  const { promise: room, resolve: makeRoom } = Promise.withResolvers<void>();
  const waiting = ["a", "a"].map((client) => queue.for(askerOf(client, { makeRoom: () => room })).call("newestEvent"));
  await turn();
  assert.deepEqual(begun, []);
  const others = ["a", "a"].map((client) => queue.for(askerOf(client)).call("newestEvent"));
  await turn();
  assert.deepEqual(begun, ["a", "a"]);
  makeRoom();
  await turn();
  assert.equal(queue.waiting, 2);
  end();
  await Promise.all([...waiting, ...others]);
});

test("what a few rows answer takes no turn, no memory and no runner, unless the runner claims it", async () => {
  const { runner, begun, end } = slow();
  const rooms: string[] = [];
  const asker = askerOf("a", { makeRoom: () => void rooms.push("a") });
  const args = [] as unknown as Parameters<Parameters<typeof withApart>[1]["callFor"]>[2];
  const callOn = (on: ScanRunner) => {
    const scans = new ScanQueue(allNouns, async () => "quick", on).for(asker) as {
      call(name: string, ...rest: unknown[]): unknown;
    };
    return scans.call("listEntries", ...args);
  };
  assert.equal(await callOn(runner), "quick");
  assert.deepEqual([begun, rooms], [[], []]);
  end();
  assert.equal(await callOn({ ...runner, isOwn: (name) => name === "listEntries" }), 7);
  assert.deepEqual([begun, rooms], [["a"], ["a"]]);
});

test("checks of every entry run apart from lists", async () => {
  const [usual, apart] = [slow(), slow()];
  const runner = withApart(allNouns, usual.runner, apart.runner) as {
    callFor(asker: Asker, name: string, args: unknown[]): unknown;
  };
  for (const name of ["listEntries", "listReferences", "checkType"]) void runner.callFor(askerOf(name), name, []);
  assert.deepEqual([usual.begun, apart.begun], [["listEntries"], ["listReferences", "checkType"]]);
});

const isBusy = (message: RegExp) => ({ code: "busy", message });

test("two scans of a client run and a hundred wait; those of another one run", async () => {
  const { runner, begun, end } = slow();
  const queue = new ScanQueue(allNouns, nothingQuick, runner, 60_000);
  const scan = (client: string) => queue.for(askerOf(client)).call("verifyStore", ["rows"]);
  const all = Array.from({ length: 102 }, () => scan("one"));
  await turn();
  await assert.rejects(scan("one"), isBusy(/this token has too many costly lists in progress/));
  all.push(scan("other"));
  await turn();
  assert.deepEqual([begun.length, queue.waiting], [3, 100]);
  end();
  await Promise.all(all);
});

test("a scan whose turn does not come in time, or whose client leaves, is refused", async () => {
  const { runner, begun, end } = slow();
  const queue = new ScanQueue(allNouns, nothingQuick, runner, 20);
  const scan = (more: Partial<Asker> = {}) => queue.for(askerOf("one", more)).call("verifyStore", ["rows"]);
  const all = [scan(), scan()];
  await turn();
  await assert.rejects(scan(), isBusy(/this token has too many costly lists in progress/));
  const left = new AbortController();
  const leaving = assert.rejects(scan({ signal: left.signal }), isBusy(/the client has left/));
  await turn();
  left.abort();
  await leaving;
  assert.deepEqual([begun.length, queue.waiting], [2, 0]);
  end();
  await Promise.all(all);
});
