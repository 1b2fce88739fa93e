import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { released } from "./released.ts";

const large = 64 * 1024;
const chunk = (fill: number): Buffer => Buffer.alloc(large, fill);

test("the chunks are those of the stream, also those that wait, and each is freed with the next", async () => {
  const sent = [chunk(1), chunk(2), chunk(3)];
  const stream = new PassThrough({ highWaterMark: 10 * large });
  for (const each of sent) stream.write(each);
  stream.end();
  const lengths: number[][] = [];
  for await (const each of released(stream)) {
    assert.equal(each.length, large);
    assert.equal(each[0], lengths.length + 1);
    lengths.push(sent.map(({ length }) => length));
  }
  assert.deepEqual(lengths, [
    [large, large, large],
    [0, large, large],
    [0, 0, large],
  ]);
});

test("two parts of one array are both read before it is freed", async () => {
  const both = chunk(1);
  const read: number[] = [];
  for await (const each of released(Readable.from([both.subarray(0, 10), both.subarray(10), chunk(2)]))) {
    read.push(each.length);
  }
  assert.deepEqual(read, [10, large - 10, large]);
  assert.equal(both.length, 0);
});

test("parts of Node's pool are not freed", async () => {
  const small = ["a", "b", "c"].map((text) => Buffer.from(text));
  const read: string[] = [];
  for await (const each of released(Readable.from(small))) read.push(Buffer.from(each).toString());
  assert.deepEqual(read, ["a", "b", "c"]);
  assert.equal(Buffer.concat(small).toString(), "abc");
});

test("an error of the stream ends the read", async () => {
  const stream = new PassThrough();
  stream.write(chunk(1));
  await assert.rejects(async () => {
    for await (const _ of released(stream)) stream.destroy(new Error("cut off"));
  }, /cut off/);
});

for (const [name, destroy, expected] of [
  ["an error that precedes the first read", (stream: PassThrough) => stream.destroy(new Error("cut off")), /cut off/],
  ["a close that precedes the first read", (stream: PassThrough) => stream.destroy(), /closed before its end/],
] as const) {
  test(`${name} is thrown`, async () => {
    const stream = new PassThrough();
    stream.on("error", () => undefined);
    stream.write(chunk(1));
    const closed = new Promise((resolve) => stream.once("close", resolve));
    destroy(stream);
    await closed;
    await assert.rejects(released(stream).next(), expected);
  });
}

test("a close before the end is not an end", async () => {
  const stream = new PassThrough();
  stream.write(chunk(1));
  await assert.rejects(async () => {
    for await (const _ of released(stream)) stream.destroy();
  }, /closed before its end/);
});

test("a stream that has ended has no chunks", async () => {
  const stream = Readable.from([chunk(1)]);
  for await (const _ of stream);
  for await (const _ of released(stream)) assert.fail();
});
