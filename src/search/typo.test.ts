import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import { mostTypos, typosBetween } from "./typo.ts";

/** The whole matrix of the optimal string alignment. */
function plainTypos(query: string, word: string): number {
  const one = [...query];
  const other = [...word];
  const rows = Array.from({ length: one.length + 1 }, (_, i) => [i, ...other.map(() => 0)]);
  rows[0] = [0, ...other.map((_, j) => j + 1)];
  const at = (i: number, j: number): number => rows[i]?.[j] as number;
  for (let i = 1; i <= one.length; i++)
    for (let j = 1; j <= other.length; j++) {
      const wrong = at(i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : wrong;
      (rows[i] as number[])[j] = Math.min(wrong, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1);
    }
  return at(one.length, other.length);
}

function expectedTypos(query: string, word: string, most: number): number | undefined {
  const typos = plainTypos(query, word);
  return typos > most || [...query][0] !== [...word][0] ? undefined : typos;
}

test("a word has no typo under five letters, one from five, two from nine, none with digits", () => {
  const cases: [string, number][] = [
    ...([
      ["", 0],
      ["four", 0],
      ["fives", 1],
      ["eighteen", 1],
      ["nineteen1", 0],
      ["seventeen", 2],
    ] as [string, number][]),
    ...([
      ["2024report", 0],
      ["𝔞𝔟𝔠𝔡", 0],
      ["𝔞𝔟𝔠𝔡𝔢", 1],
      ["日本語検索", 1],
      ["٣كتاباتنا", 0],
    ] as [string, number][]),
  ];
  for (const [word, most] of cases) assert.equal(mostTypos(word), most, word);
});

test("typos are letters too many, missing, wrong or swapped, and never the first one", () => {
  const cases: [string, string, number, number | undefined][] = [
    ["search", "search", 0, 0],
    ["search", "serch", 1, 1],
    ["search", "searrch", 1, 1],
    ["search", "seerch", 1, 1],
    ["search", "saerch", 1, 1],
    ["search", "searhc", 1, 1],
    ["search", "esarch", 2, undefined],
    ["search", "march", 2, undefined],
    ["search", "serhc", 1, undefined],
    ["search", "serhc", 2, 2],
    ["hello", "hell", 1, 1],
    ["hello", "help", 1, undefined],
    ["search", "sea", 2, undefined],
    ["ca", "abc", 3, undefined],
    ["xca", "xabc", 3, 3],
    ["a𝔞b", "a𝔟b", 1, 1],
    ["𝔞bcde", "𝔟bcde", 1, undefined],
    ["𝔞bcde", "𝔞bced", 1, 1],
    ["", "a", 1, undefined],
    ["", "", 1, 0],
  ];
  for (const [query, word, most, typos] of cases) {
    assert.equal(typosBetween(query, word, most), typos, `${query} ${word}`);
    assert.equal(expectedTypos(query, word, most), typos, `${query} ${word}, by the matrix`);
  }
});

/** Few letters, so that words are alike; one of them beyond 16 bits, one of the private ones. */
const letters = fc.constantFrom("a", "b", "c", "𝔞", "𝔟", "\ue000");
const anyWord = fc.array(letters, { maxLength: 14 }).map((list) => list.join(""));

test("any two words have the typos of the whole matrix", () => {
  fc.assert(
    fc.property(anyWord, anyWord, fc.nat({ max: 4 }), (query, word, most) => {
      assert.equal(typosBetween(query, word, most), expectedTypos(query, word, most));
    }),
    { numRuns: 20_000 },
  );
});

test("a word after a few edits has the typos of the whole matrix", () => {
  const edit = fc.record({ kind: fc.nat({ max: 3 }), place: fc.nat({ max: 90 }), letter: letters });
  const long = fc.array(letters, { minLength: 1, maxLength: 90 });
  fc.assert(
    fc.property(long, fc.array(edit, { maxLength: 3 }), fc.nat({ max: 2 }), (query, edits, most) => {
      const word = [...query];
      for (const { kind, place, letter } of edits) {
        const at = place % (word.length + 1);
        if (kind === 0) word.splice(at, 0, letter);
        else if (kind === 1) word.splice(at, 1);
        else if (kind === 2) word.splice(at, 1, letter);
        else word.splice(at, 2, ...word.slice(at, at + 2).reverse());
      }
      const [one, other] = [query.join(""), word.join("")];
      assert.equal(typosBetween(one, other, most), expectedTypos(one, other, most));
    }),
    { numRuns: 3_000 },
  );
});
