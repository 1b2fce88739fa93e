import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import type { Code } from "../problem.ts";
import { Problem } from "../problem.ts";
import {
  certainOfOperand,
  certainOfPart,
  compileOperand,
  compilePart,
  isPattern,
  PatternCheck,
  TimeBudget,
} from "./regexp.ts";

const budget = () => new TimeBudget(1000);

const operands: [value: string, yes: string, no: string][] = [
  ["b+", "abbc", "ac"],
  ["/B/i", "abc", "acd"],
  ["/b/u", "aBc", "ac"],
  ["/^b/iu", "Bc", "ab"],
  // Only the flags i and u make a pattern in slashes of an operand; others are part of a bare pattern.
  ["/b/x", "a/b/x", "b"],
  ["/b", "a/b", "b"],
  ["(?-i)^\\p{Lu}$", "É", "é"],
  ["(?-i)b", "abc", "aBc"],
  ["/(?-i)b/iu", "abc", "aBc"],
  ["^b$", "a\nB", "a b"],
  ["^.$", "\u{1f600}", "ab"],
];
for (const [value, yes, no] of operands) {
  test(`the operand ${value}`, () => {
    new PatternCheck().operand("v", value);
    assert.ok(compileOperand(value, budget())(yes));
    assert.ok(!compileOperand(value, budget())(no));
  });
}

const parts: [value: string, isPattern: boolean, yes: string, no: string][] = [
  ["a.c", false, "xa.c", "abc"],
  ["/a.c/", true, "xabc", "ac"],
  ["/A.C/i", true, "abc", "ac"],
  ["/a.c/s", true, "a\nc", "ac"],
  ["/^c/m", true, "ab\ncd", "abc"],
  ["/", false, "a/b", "ab"],
  ["//", false, "http://x", "a/b"],
  ["/a/b", false, "x/a/b", "ab"],
  ["/a/b/", true, "a/b", "/a/"],
  ["", false, "", ""],
];
for (const [value, isOne, yes, no] of parts) {
  test(`the text ${JSON.stringify(value)} of a find argument is ${isOne ? "a pattern" : "plain"}`, () => {
    new PatternCheck().part("v", value);
    assert.equal(isPattern(value), isOne);
    assert.ok(compilePart(value, budget())(yes));
    if (value !== "") assert.ok(!compilePart(value, budget())(no));
  });
}

const refused: [value: string, code: Code, message: RegExp][] = [
  ["(", "filter_invalid", /"v" was .*RE2/],
  ["(?=a)", "filter_invalid", /without look-around/],
  ["(a)\\1", "filter_invalid", /back-references/],
  ["a{1001}", "filter_invalid", /RE2/],
  ["(a{100}){100}", "filter_invalid", /RE2/],
  ["a{999}b{1000}", "filter_too_complex", /smaller counts/],
  [`a${"é".repeat(500)}`, "filter_too_complex", /1000 bytes/],
];
for (const [value, code, message] of refused) {
  test(`the pattern ${value.slice(0, 30)} is refused`, () => {
    assert.throws(() => new PatternCheck().operand("v", value), { code, message });
  });
}
test("a pattern has at most 2,000 instructions", () => new PatternCheck().operand("v", "a{999}b{999}"));
for (const flag of "xADUngy") {
  test(`the flag ${flag} is named in its refusal`, () => {
    assert.throws(() => new PatternCheck().part("v", `/a/i${flag}`), {
      code: "filter_invalid",
      message: new RegExp(`"${flag}" is none`),
    });
  });
}

/** Of an operand in lower case; of a text of a find argument as it is. Without letters that have another lower case. */
const certain: [value: string, text: string][] = [
  ["^Entry number \\d+$", "Entry number "],
  ["(?-i)abc", ""],
  ["abc?def+g", "def"],
  ["ab{0}cd{2}e", "a"],
  ["a\\.b\\*c", "a.b*c"],
  ["/abc/u", "abc"],
  ["a😀*bc", "bc"],
  ["/abc/i", "abc"],
  ["abc|def", ""],
  ["(abc)?", ""],
  ["[abc]def", ""],
  ["\\Qa.c\\E", ""],
  ["abc{x}", ""],
];
for (const [value, text] of certain) {
  test(`each match of ${value} contains ${JSON.stringify(text)}`, () => {
    assert.equal(certainOfOperand(value), text.toLowerCase());
    if (!value.startsWith("/")) assert.equal(certainOfPart(`/${value}/`), text);
  });
}

test("of an operand no letter is certain that may be written beyond ASCII", () => {
  // The Kelvin sign and the long s.
  assert.equal(certainOfOperand("Kittens"), "itten");
  assert.ok(compileOperand("Kittens", budget())("\u212aitten\u017f"));
  assert.equal(certainOfPart("/Kittens/"), "Kittens");
  assert.equal(certainOfPart("/kittens/i"), "");
});

test("a text that a pattern matches contains what each match does, for any pattern", () => {
  const pieces = [
    "a",
    "b",
    "c",
    "ab",
    "\\.",
    "\\\\",
    ".",
    "*",
    "+",
    "?",
    "{2}",
    "{0,1}",
    "{,2}",
    "{",
    "}",
    "^",
    "$",
    "|",
    "(",
    ")",
  ];
  const more = ["[ab]", "\\d", "\\b", "\\Q", "\\E", "(?i)", "\\x61", "\\pL", "\\-", "\\a", "😀"];
  const pattern = fc
    .array(fc.constantFrom(...pieces, ...more), { minLength: 1, maxLength: 7 })
    .map((some) => some.join(""));
  const text = fc.array(fc.constantFrom(..."aabbcABC.\\{}2,-1😀QE"), { maxLength: 8 }).map((some) => some.join(""));
  let matched = 0;
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 20 }), (value, texts) => {
      fc.pre(isAccepted(value));
      const found = texts.filter(compileOperand(value, budget()));
      const part = certainOfOperand(value);
      if (part !== "") matched += found.length;
      for (const each of found) assert.ok(each.toLowerCase().includes(part), JSON.stringify([value, part, each]));
    }),
    { numRuns: 1000 },
  );
  assert.ok(matched > 200, `only ${matched} texts match`);
});

function isAccepted(value: string): boolean {
  try {
    new PatternCheck().operand("v", value);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

test("a time budget is shared and measured by its clock", () => {
  let now = 0;
  const shared = new TimeBudget(10, () => now);
  const cost = (ms: number) => shared.spend(() => (now += ms));
  assert.equal(cost(4), 4);
  assert.equal(cost(6), 10);
  assert.throws(() => cost(0), { code: "filter_too_costly" });
  assert.throws(
    () =>
      new TimeBudget(10, () => now).spend(() => {
        now += 11;
      }),
    { code: "filter_too_costly" },
  );
});

test("long texts are matched like short ones", () => {
  const long = "ä".repeat(5000);
  assert.ok(compileOperand("^ä+x$", budget())(`${long}x`));
  assert.ok(!compileOperand("^ä+x$", budget())(`${long}y`));
});
