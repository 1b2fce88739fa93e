import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "../../src/core/sql/turns.ts";

/** Work that ends on request. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const begun = { is: false };
  const run = () => {
    begun.is = true;
    return promise;
  };
  return { run, end: () => resolve("done"), fail: () => reject(new Error("failed")), begun };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("two of a client run; the third starts when one of them ends or fails", async () => {
  const turns = new Turns();
  const [a, b, c, d] = [work(), work(), work(), work()];
  const all = [a, b, c, d].map(({ run }) => turns.take("client", run));
  await turn();
  assert.deepEqual(
    [a, b, c, d].map(({ begun }) => begun.is),
    [true, true, false, false],
  );
  a.fail();
  await assert.rejects(all[0] as Promise<string>, /failed/);
  await turn();
  assert.deepEqual(
    [c, d].map(({ begun }) => begun.is),
    [true, false],
  );
  for (const { end } of [b, c]) end();
  await turn();
  d.end();
  assert.deepEqual(await Promise.all(all.slice(1)), ["done", "done", "done"]);
});

test("a request that comes at the moment when another ends waits behind those that wait", async () => {
  const turns = new Turns();
  const [a, b, c, d] = [work(), work(), work(), work()];
  const all = [a, b, c].map(({ run }) => turns.take("client", run));
  const late = a.run().then(() => turns.take("client", d.run));
  a.end();
  await turn();
  assert.deepEqual(
    [c, d].map(({ begun }) => begun.is),
    [true, false],
  );
  for (const { end } of [b, c, d]) end();
  await Promise.all([...all, late]);
});

test("the queue of one client does not block another", async () => {
  const turns = new Turns();
  const many = Array.from({ length: 4 }, work);
  const all = many.map(({ run }) => turns.take("one", run));
  assert.equal(await turns.take("other", async () => "at once"), "at once");
  for (const { end } of many) end();
  await Promise.all(all);
});

test("a client that waits for too long gets busy and leaves the queue", async () => {
  const turns = new Turns(50);
  const [a, b, c] = [work(), work(), work()];
  const running = [turns.take("client", a.run), turns.take("client", b.run)];
  await assert.rejects(turns.take("client", c.run), { code: "busy", message: /token/ });
  for (const { end } of [a, b]) end();
  await Promise.all(running);
  assert.equal(c.begun.is, false);
  assert.equal(await turns.take("client", async () => "again"), "again");
});

test("a queue has a limit", async () => {
  const turns = new Turns();
  const many = Array.from({ length: 102 }, work);
  const all = many.map(({ run }) => turns.take("client", run));
  await assert.rejects(turns.take("client", work().run), { code: "busy" });
  for (const { end } of many) end();
  await Promise.all(all);
});
