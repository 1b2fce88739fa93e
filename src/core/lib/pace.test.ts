import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./pace.ts";

type Step = [atMs: number, bytes: number, behindMs: number];

const cases: [what: string, bytesPerSecond: number, steps: Step[]][] = [
  [
    "at the full rate there is no lag",
    1000,
    [
      [500, 500, 0],
      [1000, 500, 0],
      [1500, 500, 0],
    ],
  ],
  [
    "at half the rate the lag is half of the time",
    1000,
    [
      [1000, 500, 500],
      [2000, 500, 1000],
    ],
  ],
  [
    "bytes above the rate are not credited",
    1000,
    [
      [100, 50_000, 0],
      [5000, 0, 4900],
      [5100, 100, 4900],
    ],
  ],
  [
    "a higher rate reduces the lag",
    1000,
    [
      [4000, 0, 4000],
      [4500, 4000, 500],
      [4600, 10_000, 0],
    ],
  ],
  [
    "a byte now and then hardly reduces the lag",
    1000,
    [
      [10_000, 1, 9999],
      [20_000, 1, 19_998],
    ],
  ],
  [
    "without a rate any byte resets the lag",
    0,
    [
      [9000, 0, 9000],
      [9500, 1, 0],
      [10_500, 0, 1000],
    ],
  ],
];

for (const [what, bytesPerSecond, steps] of cases) {
  test(what, () => {
    const pace = new Pace(bytesPerSecond, 0);
    for (const [atMs, bytes, behindMs] of steps) {
      pace.move(bytes, atMs);
      assert.equal(pace.behindMs(atMs), behindMs, `at ${atMs} ms`);
    }
  });
}
