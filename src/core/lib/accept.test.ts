import assert from "node:assert/strict";
import { test } from "node:test";
import { codingWeights, readAccept } from "./accept.ts";

const codings: [string, br: number, gzip: number][] = [
  ["br;q=0.1, gzip;q=0.9", 0.1, 0.9],
  ["GZIP", 0, 1],
  ["*;q=0.5, br;q=0", 0, 0.5],
  ["br;q=much, gzip;q=2", 1, 1],
  ["br;q=0.2, br;q=0.3", 0.3, 0],
  ["", 0, 0],
];
for (const [header, br, gzip] of codings) {
  test(`Accept-Encoding: ${header || "(empty)"} weighs each coding`, () => {
    const weightOf = codingWeights(header);
    assert.deepEqual([weightOf("br"), weightOf("gzip")], [br, gzip]);
  });
}

test("Accept is parsed like Accept-Encoding, with media ranges", () => {
  const { weightOf, names } = readAccept("image/*;q=0.5, image/webp;q=much, */*;q=0.1");
  assert.deepEqual(["image/webp", "image/avif", "text/html"].map(weightOf), [1, 0.5, 0.1]);
  assert.deepEqual(["image/webp", "image/avif"].map(names), [true, false]);
});
