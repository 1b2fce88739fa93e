import assert from "node:assert/strict";
import { test } from "node:test";
import { readMoment } from "./moment.ts";

const nowSeconds = Date.UTC(2024, 4, 10, 12) / 1000;
const day = (date: number) => Date.UTC(2024, 4, date) / 1000;

const moments: [text: string, startSeconds: number, spanSeconds: number][] = [
  ["now", nowSeconds, 1],
  ["Today", day(10), 86_400],
  [" yesterday ", day(9), 86_400],
  ["tomorrow", day(11), 86_400],
  ["2024-05-03", day(3), 86_400],
  ["03-05-2024", day(3), 86_400],
  ["2024-05-03T00:00:00Z", day(3), 1],
  ["1714694400", day(3), 1],
  ["2 days ago", nowSeconds - 2 * 86_400, 1],
  ["1 week ago", nowSeconds - 7 * 86_400, 1],
  ["90 minutes ago", nowSeconds - 5400, 1],
];
for (const [text, startSeconds, spanSeconds] of moments) {
  test(`"${text}" is a moment`, () => assert.deepEqual(readMoment(text, nowSeconds), { startSeconds, spanSeconds }));
}

for (const text of [
  "",
  "soon",
  "2 moons ago",
  "days ago",
  "2024-02-30",
  "__proto__",
  "constructor",
  "1 constructor ago",
]) {
  test(`"${text}" is not a moment`, () => assert.equal(readMoment(text, nowSeconds), undefined));
}
