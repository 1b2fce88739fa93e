import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { Problem } from "../problem.ts";
import { type Hold, SendBudget } from "./send-budget.ts";

const MiB = 1024 * 1024;
const server = createServer();
const connections: Socket[] = [];

before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
after(() => {
  for (const socket of connections) socket.destroy();
  server.close();
});

/** The server's and the client's end of a connection. */
async function open(): Promise<{ here: Socket; there: Socket }> {
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const there = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const here = await accepted;
  here.on("error", () => undefined);
  there.on("error", () => undefined);
  connections.push(here, there);
  return { here, there };
}

const isBusy = (error: unknown) => error instanceof Problem && error.code === "busy";
/** The time of the budgets, which passes when a test says so. */
let now = 0;
const budget = (maxBytes: number, maxConnectionBytes = maxBytes) =>
  new SendBudget({ maxBytes, maxConnectionBytes, nowMs: () => now });
const holdOf = (room: SendBudget, connection: Socket, address = "192.0.2.1") => room.hold(connection, address);
/** The time after which waiting replies are refused. */
const patienceMs = 2000;

/** Fulfils when those that wait were looked at: another one, whose client leaves, is refused then. */
async function looked(room: SendBudget): Promise<void> {
  const { here, there } = await open();
  const gone = holdOf(room, here).reserve(8 * MiB);
  there.destroy();
  await assert.rejects(gone as Promise<void>, isBusy);
}

/** A reply waits as long as the patience lasts, and is refused at its end. */
async function runsOut(waiting: unknown): Promise<void> {
  const refusal = assert.rejects(waiting as Promise<void>, isBusy);
  now += patienceMs - 1;
  assert.equal(await isSettled(waiting), false);
  now += 1;
  await refusal;
}

/** A hold with a reservation, on a new connection. */
async function reserved(room: SendBudget, bytes: number): Promise<Hold> {
  const hold = holdOf(room, (await open()).here);
  await hold.reserve(bytes);
  return hold;
}

const isSettled = async (promise: unknown): Promise<boolean> =>
  (await Promise.race([Promise.resolve(promise).then(() => "yes"), new Promise(setImmediate)])) === "yes";

test("with free budget no reply waits, not even for a turn of the event loop", async () => {
  const room = budget(10);
  const hold = holdOf(room, (await open()).here);
  assert.equal(hold.reserve(6), undefined);
  assert.equal(holdOf(room, (await open()).here).reserve(4), undefined);
});

test("waiting replies are served in order as budget is released", async () => {
  const room = budget(10 * MiB);
  const first = await reserved(room, 10 * MiB);
  const second = holdOf(room, (await open()).here);
  const third = holdOf(room, (await open()).here);
  const waiting = [second.reserve(8 * MiB), third.reserve(8 * MiB)];
  assert.deepEqual(await Promise.all(waiting.map(isSettled)), [false, false]);
  first.resize(3 * MiB);
  assert.deepEqual(await Promise.all(waiting.map(isSettled)), [false, false]);
  first.resize(2 * MiB);
  assert.deepEqual(await Promise.all(waiting.map(isSettled)), [true, false]);
  second.release();
  await waiting[1];
  third.release();
  first.release();
});

test("networks take turns: one with many waiting replies does not hold up another", async () => {
  const room = budget(10 * MiB);
  const first = await reserved(room, 10 * MiB);
  const order: string[] = [];
  const askers = ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"];
  const theirs: Socket[] = [];
  for (const _ of askers) theirs.push((await open()).here);
  const waiting = theirs.map(async (here, i) => {
    const hold = holdOf(room, here, askers[i]);
    await hold.reserve(10 * MiB);
    order.push(askers[i] as string);
    hold.release();
  });
  first.release();
  await Promise.all(waiting);
  assert.deepEqual(order, ["192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.1"]);
});

test("a further reservation of a reply replaces the first, also while it waits", async () => {
  const room = budget(10 * MiB);
  const [first, second] = [await reserved(room, 5 * MiB), await reserved(room, 5 * MiB)];
  const waiting = first.reserve(8 * MiB);
  assert.equal(await isSettled(waiting), false);
  // What the first held is free.
  const third = holdOf(room, (await open()).here);
  assert.equal(third.reserve(5 * MiB), undefined);
  third.release();
  second.release();
  await waiting;
  first.release();
  assert.equal(holdOf(room, (await open()).here).reserve(10 * MiB), undefined);
});

test("a smaller reply overtakes those that wait for more than is free", async () => {
  const room = budget(10 * MiB);
  const stalled = await reserved(room, 6 * MiB);
  stalled.resize(6 * MiB);
  const large = holdOf(room, (await open()).here).reserve(8 * MiB) as Promise<void>;
  const small = holdOf(room, (await open()).here);
  assert.equal(small.reserve(2 * MiB), undefined);
  small.claim(2 * MiB, false);
  await runsOut(large);
});

test("a waiting reply is refused when nothing is released; while replies progress the queue waits", async () => {
  const room = budget(8 * MiB);
  const building = await reserved(room, 4 * MiB);
  const taken = await reserved(room, 4 * MiB);
  taken.resize(4 * MiB);
  let outcome = "waits";
  const waiting = holdOf(room, (await open()).here).reserve(8 * MiB) as Promise<void>;
  waiting.then(
    () => (outcome = "served"),
    () => (outcome = "refused"),
  );
  now += patienceMs + 500;
  await looked(room);
  assert.equal(outcome, "waits", "one is being built");
  building.resize(4 * MiB);
  for (let left = 4 * MiB; left > 0; left -= MiB / 2) {
    taken.resize(left);
    now += patienceMs / 2;
    await looked(room);
  }
  assert.equal(outcome, "waits", "one is being sent");
  now += patienceMs;
  await assert.rejects(waiting, isBusy);
});

test("a pipelining connection waits with one request, within its part", async () => {
  const room = budget(100 * MiB, 10 * MiB);
  const { here } = await open();
  const first = holdOf(room, here);
  await first.reserve(10 * MiB);
  const second = holdOf(room, here).reserve(10 * MiB) as Promise<void>;
  await assert.rejects(holdOf(room, here).reserve(1) as Promise<void>, isBusy);
  assert.equal(holdOf(room, (await open()).here).reserve(10 * MiB), undefined, "others are not held up");
  first.release();
  await second;
});

test("a disconnected client leaves the queue", async () => {
  const room = budget(10);
  const first = await reserved(room, 10);
  first.claim(10, false);
  const { here, there } = await open();
  const gone = holdOf(room, here).reserve(10) as Promise<void>;
  there.destroy();
  await assert.rejects(gone, isBusy);
  first.release();
  assert.equal(holdOf(room, (await open()).here).reserve(10), undefined);
});

test("a reply larger than the whole budget is sent alone", async () => {
  const room = budget(10 * MiB);
  const other = await reserved(room, MiB);
  const huge = holdOf(room, (await open()).here);
  const waiting = huge.reserve(100 * MiB) as Promise<void>;
  other.release();
  await waiting;
  huge.claim(100 * MiB, false);
  await runsOut(holdOf(room, (await open()).here).reserve(1));
  huge.release();
  assert.equal(holdOf(room, (await open()).here).reserve(10 * MiB), undefined);
});

test("an unreserved reply is refused without free budget, except the outcome of a write", async () => {
  const room = budget(10 * MiB);
  const other = await reserved(room, 9 * MiB);
  const hold = holdOf(room, (await open()).here);
  assert.throws(() => hold.claim(2 * MiB, false), isBusy);
  hold.claim(2 * MiB, true);
  // Claimed already: nothing more is reserved.
  hold.claim(2 * MiB, false);
  hold.release();
  // Slightly more than the reservation is accepted.
  other.claim(9 * MiB + 1000, false);
});

test("a list of no items is answered while others hold the whole budget", async () => {
  const room = budget(MiB);
  const large = await reserved(room, MiB);
  const empty = await reserved(room, 0);
  empty.claim('{"data":[]}'.length, false);
  const unreserved = holdOf(room, (await open()).here);
  assert.throws(() => unreserved.claim('{"data":[]}'.length, false), isBusy);
  for (const hold of [empty, large]) hold.release();
});

test("releasing twice frees the budget once", async () => {
  const room = budget(10);
  const hold = await reserved(room, 10);
  hold.release();
  hold.resize(5);
  hold.release();
  const next = await reserved(room, 10);
  next.claim(10, false);
  await runsOut(holdOf(room, (await open()).here).reserve(1));
});
