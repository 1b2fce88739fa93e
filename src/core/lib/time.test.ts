import assert from "node:assert/strict";
import { test } from "node:test";
import { latestSeconds, parseTime } from "./time.ts";

const at = Date.UTC(2024, 4, 1, 10, 30) / 1000;
const day = Date.UTC(2024, 4, 1) / 1000;

const times: [value: number | string, seconds: number | undefined][] = [
  [at, at],
  [-1, -1],
  [at + 0.5, undefined],
  [latestSeconds, latestSeconds],
  [-latestSeconds, -latestSeconds],
  [latestSeconds + 1, undefined],
  [-latestSeconds - 1, undefined],
  [` ${at}\n`, at],
  [String(latestSeconds + 1), undefined],
  ["1714521600.5", undefined],
  ["2024-05-01", day],
  ["01-05-2024", day],
  ["2024-05-01 10:30", at],
  ["01-05-2024 10:30:01", at + 1],
  ["2024-05-01T10:30:59.999Z", at + 59],
  ["2024-05-01t10:30:00,5z", at],
  ["2024-05-01T12:30:00+02:00", at],
  ["2024-05-01T05:00-0530", at],
  ["2024-05-02T04:30+18:00", at],
  ["2024-05-02T04:31+18:01", undefined],
  ["2024-05-01T10:30:00 Z", undefined],
  ["01-05-2024T10:30", undefined],
  ["2024-05-01 23:59:59", day + 86_399],
  ["2024-05-01 24:00", undefined],
  ["2024-05-01 10:60", undefined],
  ["2024-05-01 10:30:60", undefined],
  ["2024-02-29", Date.UTC(2024, 1, 29) / 1000],
  ["2023-02-29", undefined],
  ["2024-13-01", undefined],
  ["2025-13-01", undefined],
  ["2024-00-10", undefined],
  ["2024-05-00", undefined],
  ["0001-01-01", -62_135_596_800],
  ["9999-12-31T23:59:59Z", latestSeconds],
  ["9999-12-31T23:59:59-00:01", undefined],
  ["2024-5-1", undefined],
  ["", undefined],
];
for (const [value, seconds] of times) {
  test(`${JSON.stringify(value)} is ${seconds ?? "no time"}`, () => assert.equal(parseTime(value), seconds));
}
