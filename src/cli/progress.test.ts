import assert from "node:assert/strict";
import { test } from "node:test";
import { Progress } from "./progress.ts";

/** The progress of a command, on a terminal and in a log. Its clock is the test's. */

/** What is written while the count grows by one every 500 ms, for ten seconds. */
function written(isTTY: boolean): string[] {
  let now = 1000;
  const texts: string[] = [];
  const progress = new Progress({ isTTY, write: (text: string) => texts.push(text) }, () => now);
  for (let done = 1; done <= 20; done++) {
    now += 500;
    progress.count("things", done);
    progress.count("things", done);
  }
  progress.clear();
  return texts;
}

test("in a log a count is a line every two seconds, and none before", () => {
  assert.deepEqual(written(false), ["4 things\n", "8 things\n", "12 things\n", "16 things\n", "20 things\n"]);
});

test("on a terminal a count is written over the one before, at most once in 100 ms, and cleared at the end", () => {
  const texts = written(true);
  assert.deepEqual(texts.slice(0, 2), ["\r1 things", "\r2 things"]);
  assert.deepEqual(texts.slice(-2), ["\r20 things", `\r${" ".repeat(9)}\r`]);
  assert.equal(texts.length, 21);
});
