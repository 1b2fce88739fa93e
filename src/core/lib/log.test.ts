import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../test/harness.ts";
import { BatchedLog } from "./log.ts";

test("lines are written in batches that an empty pipe takes, in order, and none is lost on flush", () => {
  const written: string[] = [];
  const log = new BatchedLog((lines) => written.push(lines.toString()));
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}`);
  for (const line of lines) log.line(line);
  log.flush();
  assert.ok(written.slice(0, -1).every(({ length }) => length > 59 * 1024 && length <= 60 * 1024));
  assert.deepEqual(written.join("").trimEnd().split("\n"), lines);
});

test("a single line is written without a flush", async () => {
  const written: string[] = [];
  const log = new BatchedLog((lines) => written.push(lines.toString()));
  log.line("alone");
  assert.deepEqual(written, []);
  await until(() => written.length > 0, "the line was not written");
  assert.deepEqual(written, ["alone\n"]);
});
