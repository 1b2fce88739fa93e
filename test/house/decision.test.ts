import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/**
 * The form of docs/decisions: a status after each title, few records in force, each under a page. What code and guides
 * cite of them: citation.test.ts.
 */

const root = new URL("../../", import.meta.url).pathname;

const mostInForce = 35;
const mostLines = 60;
const mostWords = 600;
const mostLinesOfReplaced = 8;

type Decision = { number: number; text: string; replacedBy: number[] | undefined };

/** Throws where the status is missing or has another form. */
function readDecision(file: string, text: string): Decision {
  const [, title, status, by] =
    /^# (\d+)\. .+\n\nStatus: (in force|replaced by (\d+(?:(?:, | and )\d+)*))\.\n\n/.exec(text) ?? [];
  const wanted = '"# N. Title", an empty line, "Status: in force." or "Status: replaced by N."';
  assert.ok(title && status, `${file} begins otherwise than ${wanted}`);
  assert.equal(Number(title), Number(file.slice(0, 4)), `${file} has the number of its file in the title`);
  return { number: Number(title), text, replacedBy: by?.split(/, | and /).map(Number) };
}

const folder = `${root}docs/decisions/`;
const decisions = globSync("*.md", { cwd: folder })
  .sort()
  .map((file) => readDecision(file, readFileSync(folder + file, "utf8")));
const inForce = decisions.filter(({ replacedBy }) => replacedBy === undefined);
const linesOf = (text: string): number => text.trimEnd().split("\n").length;
const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
const isLong = ({ text }: Decision): boolean => linesOf(text) > mostLines || wordsOf(text) > mostWords;

test("decisions are numbered without a gap", () => {
  assert.deepEqual(
    decisions.map(({ number }) => number),
    decisions.map((_, i) => i + 1),
  );
});

test("a replaced decision names decisions that are in force, and is a few lines", () => {
  const numbers = new Set(inForce.map(({ number }) => number));
  for (const { number, text, replacedBy = [] } of decisions) {
    for (const by of replacedBy) assert.ok(numbers.has(by), `decision ${number} is replaced by ${by}, not in force`);
    if (replacedBy.length === 0) continue;
    assert.ok(linesOf(text) <= mostLinesOfReplaced, `decision ${number} is replaced: move what holds to ${replacedBy}`);
  }
});

test(`at most ${mostInForce} decisions are in force`, () => {
  assert.ok(inForce.length <= mostInForce, `${inForce.length} are: merge those that belong together`);
});

test(`a decision in force has at most ${mostLines} lines and ${mostWords} words`, () => {
  const long = inForce.filter(isLong);
  assert.deepEqual(
    long.map(({ number, text }) => `${number}: ${linesOf(text)} lines, ${wordsOf(text)} words`),
    [],
    "too long: figures go to bench/results/notes, the rest is shortened",
  );
});

test("another form of the status is refused", () => {
  for (const text of [
    "# 1. T\n\n**Context.** No status.\n",
    "# 1. T\n\nStatus: accepted.\n\nText.\n",
    "# 1. T\nStatus: in force.\n\nText.\n",
    "# 1. T\n\nText.\n\nStatus: in force.\n",
    "# 2. T\n\nStatus: in force.\n\nText.\n",
  ]) {
    assert.throws(() => readDecision("0001-t.md", text), assert.AssertionError);
  }
  assert.deepEqual(readDecision("0001-t.md", "# 1. T\n\nStatus: replaced by 2, 3 and 4.\n\n").replacedBy, [2, 3, 4]);
});
