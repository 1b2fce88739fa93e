import assert from "node:assert/strict";
import { createServer, IncomingMessage } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { after, before, type TestContext, test } from "node:test";
import { until } from "../../../test/harness.ts";
import { Problem } from "../problem.ts";
import { Arrival } from "./arrival.ts";
import { type Spool, SpoolRoom } from "./spool.ts";

const isBusy = (error: unknown) => error instanceof Problem && error.code === "busy";
const rateBytes = 1000;
const patienceMs = 3000;
/** The time of rooms and senders, which passes when a test says so. */
let now = 0;
const nowMs = () => now;
/** No sender is cut off. */
const limits = { leastBytesPerSecond: rateBytes, idleMs: 1e9, maxMs: 1e9, nowMs };

/** A room whose senders are never behind, so none is evicted. */
function roomOf(t: TestContext, maxCount: number, maxBytes: number): (network?: string) => Promise<Spool> {
  const room = new SpoolRoom({ maxCount, maxBytes, patienceMs: 100 });
  return (network = "a") => {
    const request = new IncomingMessage(new Socket());
    request.complete = true;
    const arrival = new Arrival(request, limits, () => undefined);
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

// ---------------------------------------------------------------------------------------------- senders that are slow

const server = createServer();
before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
after(() => server.close());

/** A client in the middle of an upload. What it sends has arrived when `send` fulfils. */
class Sender {
  readonly arrival: Arrival;
  /** Why its upload was ended. */
  ended: Problem | undefined;
  private readonly client: Socket;
  private readonly request: IncomingMessage;

  static async open(t: TestContext): Promise<Sender> {
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
    server.once("request", resolve);
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
    t.after(() => client.destroy());
    return new Sender(t, client, await promise);
  }

  private constructor(t: TestContext, client: Socket, request: IncomingMessage) {
    this.client = client;
    this.request = request.on("error", () => undefined).resume();
    this.arrival = new Arrival(request, limits, (failure) => {
      this.ended = failure;
    });
    t.after(() => this.arrival.stop());
  }

  async send(bytes: number): Promise<void> {
    const expected = this.request.socket.bytesRead + bytes;
    this.client.write("x".repeat(bytes));
    await until(() => this.request.socket.bytesRead >= expected, "the bytes did not arrive");
  }
}

const slowRoom = (maxCount: number, maxBytes = 1000) => new SpoolRoom({ maxCount, maxBytes, patienceMs, nowMs });
/** One after the other: each is the next request. */
async function open(t: TestContext, count: number): Promise<Sender[]> {
  const senders: Sender[] = [];
  while (senders.length < count) senders.push(await Sender.open(t));
  return senders;
}
const endedOf = (senders: readonly Sender[]) => senders.map(({ ended }) => ended !== undefined);

test("clients that send a byte now and then are evicted for a regular one, the slowest first", async (t) => {
  const room = slowRoom(3);
  const senders = (await open(t, 3)) as [Sender, Sender, Sender];
  const [regular, slower, slowest] = senders;
  for (const { arrival } of senders) await room.enter(arrival, "a");
  const keepUp = async (ms: number) => {
    now += ms;
    await regular.send((ms / 1000) * rateBytes);
  };
  await keepUp(patienceMs);
  await slower.send(1);
  assert.deepEqual([slowest.arrival.behindMs(), slower.arrival.behindMs()], [patienceMs, patienceMs - 1]);
  const early = room.enter((await Sender.open(t)).arrival, "a");
  await Promise.race([early, new Promise(setImmediate)]);
  assert.deepEqual(endedOf(senders), [false, false, false], "none is behind by more");
  await keepUp(1);
  await early;
  assert.deepEqual(endedOf(senders), [false, false, true]);
  assert.ok(isBusy(slowest.ended));
  await keepUp(1);
  await room.enter((await Sender.open(t)).arrival, "a");
  assert.deepEqual(endedOf(senders), [false, true, true]);
});

test("clients above the minimum rate keep their places, and a newcomer is refused after half the patience", async (t) => {
  const room = slowRoom(3);
  const senders = await open(t, 3);
  for (const { arrival } of senders) await room.enter(arrival, "a");
  let outcome = "waits";
  const step = async (ms: number) => {
    now += ms;
    for (const sender of senders) await sender.send((2 * rateBytes * ms) / 1000);
  };
  await step(2 * patienceMs);
  const newcomer = room.enter((await Sender.open(t)).arrival, "a").finally(() => {
    outcome = "refused";
  });
  newcomer.catch(() => undefined);
  await step(patienceMs / 2 - 1);
  assert.equal(outcome, "waits");
  await step(1);
  await until(() => outcome === "refused", "it still waits");
  await assert.rejects(newcomer, isBusy);
  assert.deepEqual(endedOf(senders), [false, false, false]);
});

test("a newcomer that waits is let in as soon as another leaves", async (t) => {
  const room = slowRoom(1);
  const [first, second] = (await open(t, 2)) as [Sender, Sender];
  const place = await room.enter(first.arrival, "a");
  const waiting = room.enter(second.arrival, "a");
  place.leave();
  place.leave();
  const turn = new Promise((resolve) => setImmediate(resolve, "not at once"));
  assert.equal(await Promise.race([waiting.then(() => "at once"), turn]), "at once");
  assert.equal(first.ended, undefined);
});

test("when the bytes are exhausted, the slowest is evicted, too", async (t) => {
  const room = slowRoom(9, 100);
  const senders = (await open(t, 3)) as [Sender, Sender, Sender];
  const [heavy, light, newcomer] = senders;
  await pass(await room.enter(heavy.arrival, "a"), 80);
  await pass(await room.enter(light.arrival, "a"), 20);
  now += patienceMs + 1;
  await light.send(2);
  await pass(await room.enter(newcomer.arrival, "a"), 80);
  assert.deepEqual(endedOf(senders), [true, false, false]);
  assert.ok(isBusy(heavy.ended));
});

test("a sender that is complete is not behind", async (t) => {
  const [sender] = (await open(t, 1)) as [Sender];
  now += patienceMs;
  assert.equal(sender.arrival.behindMs(), patienceMs);
  await sender.send(1_000_000);
  for (let n = 0; n < 2; n++, now += patienceMs) assert.equal(sender.arrival.behindMs(), 0);
});
