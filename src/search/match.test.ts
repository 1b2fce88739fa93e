import assert from "node:assert/strict";
import { before, test } from "node:test";
import { random, seed } from "../../test/random.ts";
import { type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import { usualWeight } from "../type/weight.ts";
import { fieldsOf } from "./document.ts";
import { searchDocuments } from "./match.ts";
import { readLists, readQuery } from "./query.ts";
import { bucketsOf } from "./rank.ts";
import { loadStemmers } from "./stem.ts";

/** What a search finds and in which order. Contract §25, Words, Order. */

before(() => loadStemmers(["en", "de", "fr"]));

type Site = {
  readonly locale?: string;
  readonly prefix?: boolean;
  readonly stopWords?: Json;
  readonly synonyms?: Json;
};

const documentOf = (data: object | string, locale: string) =>
  fieldsOf(parseJson(JSON.stringify(typeof data === "string" ? { text: data } : data)) as JsonObject, {
    weightOf: usualWeight,
    localeOf: () => locale,
  });

function search(
  q: string,
  entries: readonly (object | string)[],
  { locale = "en", prefix = true, ...lists }: Site = {},
) {
  const query = readQuery(q, { locales: [locale], prefix, lists: readLists([{ locale, ...lists }]) });
  const items = entries.map((data, i) => ({ document: documentOf(data, locale), at: 0, id: String(i) }));
  const { found, dropped } = searchDocuments(query, items);
  return { found: found.map(({ id }) => Number(id)), dropped, buckets: found.map(({ rank }) => bucketsOf(rank)) };
}

/** Entries by their number, best first. */
const finds: [rule: string, q: string, entries: (object | string)[], found: number[], site?: Site][] = [
  ["all words must be there", "dune herbert", ["dune", "dune by herbert", "herbert"], [1]],
  ["accents and case do not count", "ECOLE", ["L’école"], [0], { locale: "fr" }],
  ["ß is ss", "strasse", ["Straße"], [0], { locale: "de" }],
  ["a stem stands for its forms", "bücher", ["ein Buch", "Bücher", "Tuch"], [1, 0], { locale: "de", prefix: false }],
  ["a stem stands for its forms", "cheval", ["les chevaux", "un cheval"], [1, 0], { locale: "fr", prefix: false }],
  ["without a language there are no stems", "running", ["runs", "running"], [1], { locale: "" }],
  ["Japanese words are found", "東京", ["東京の天気", "京都の天気"], [0], { locale: "ja" }],
  ["Chinese words are found", "天气", ["北京的天气很好"], [0], { locale: "zh" }],
  ["the last word is a beginning", "star wa", ["star wars", "warp star"], [0, 1]],
  ["the last word is no beginning with prefix=off", "wa", ["wars", "wa"], [1], { prefix: false }],
  ["another word is no beginning", "wa star", ["star wars"], []],
  ["one typo from five letters", "godfahter", ["godfather"], [0]],
  ["no typo in four letters", "dume", ["dune"], []],
  ["no typo in the first letter", "bodfather", ["godfather"], []],
  ["two typos from nine letters", "terminaotrr", ["terminator"], [0]],
  ["no typo in digits", "year19999", ["year19998"], []],
  ["no typo in beginnings", "godfahte", ["godfathers"], []],
  ["a phrase stands in one field", '"new york"', [{ title: "new", text: "york" }, "new york", "york new"], [1]],
  ["a phrase goes across marks", '"new york"', ["**new** [york](/x)"], [0]],
  ["a phrase takes no stems, typos, beginnings", '"two cats"', ["two cat", "two catsuits", "two cats"], [2]],
  ["a phrase stands in one item of a list", '"a b"', [{ tags: ["a", "b"] }, { tags: ["a b"] }], [1]],
  ["an open quote is none", '"new yor', ["york has new things"], [0]],
  ["a minus takes away", "dune -herbert", ["dune by herbert", "dune"], [1]],
  ["a minus takes no stems", "dune -cats", ["dune cat", "dune cats"], [0]],
  ["a minus takes away a phrase", 'york -"new york"', ["new york", "york, new"], [1]],
  ["a minus alone takes away from all", "-dune", ["dune", "other", ""], [1, 2]],
  ["nothing asked for finds all", " ", ["dune", {}], [0, 1]],
  ["what has no words finds nothing", "!?", ["dune"], []],
  ["a hyphen within a word takes nothing away", "e-mail", ["e-mail"], [0]],
  ["stop words do not count", "the dune", ["dune"], [0], { stopWords: ["The"] }],
  ["stop words alone are searched", "the the", ["dune", "the"], [1], { stopWords: ["the"] }],
  ["synonyms are equal", "film", ["movie", "film", "play"], [0, 1], { synonyms: [["movie", "film"]] }],
  [
    "a synonym of several words",
    "NYC",
    ["new york city", "new city of york"],
    [0],
    { synonyms: [["nyc", "New York City"]] },
  ],
  ["several words have a synonym", "new york city", ["nyc", "york"], [0], { synonyms: [["nyc", "New York City"]] }],
  ["lists of another form are passed over", "a", ["a"], [0], { synonyms: "a", stopWords: [1, ["a"]] }],
  ["then fewer typos", "godfahter", ["godfather", { title: "x", text: "godfahter" }], [1, 0]],
  ["then the heavier field", "dune", ["dune", { title: "dune" }], [1, 0]],
  [
    "of several fields the lightest",
    "a b",
    [{ title: "a", text: "b" }, { text: "b a x b" }, { title: "b x x a" }],
    [2, 1, 0],
  ],
  ["then nearness", "a b", ["a x b", "a b", "b a"], [1, 0, 2]],
  ["then whole words", "cats", ["cat", "cats", "catsuit"], [1, 0, 2], {}],
];
for (const [rule, q, entries, found, site] of finds) {
  test(`${rule}: ${q}`, () => assert.deepEqual(search(q, entries, site).found, found));
}

const drops: [q: string, entries: string[], found: number[], dropped: string[]][] = [
  ["dune xyz", ["dune", "other"], [0], ["xyz"]],
  ["dune xyz book", ["dune", "dune book", "book"], [1, 0], ["xyz", "book"]],
  ["xyz dune", ["dune"], [], []],
  ['dune xyz "a b"', ["dune", "a b dune"], [1], ["xyz"]],
  ['dune "a c"', ["dune", "a b dune"], [], []],
  ['"a b" Xyz', ["a b"], [0], ["Xyz"]],
];
for (const [q, entries, found, dropped] of drops) {
  test(`${q} drops ${dropped.join(" ") || "nothing"}`, () => {
    const answer = search(q, entries);
    assert.deepEqual([answer.found, answer.dropped], [found, dropped]);
  });
}

const fits: [rule: string, q: string, data: object, buckets: object][] = [
  ["whole", "dune", { title: "Dune" }, { words: 1, typos: 0, weight: 4, nearness: 0, whole: 1 }],
  ["of the fewest typos the heaviest", "godfather", { title: "godfahter", text: "godfather" }, { weight: 1, typos: 0 }],
  ["a stem is not whole", "dunes", { title: "dune" }, { typos: 0, whole: 0 }],
  ["a typo", "godfahter", { title: "godfather" }, { typos: 1, whole: 0, weight: 4 }],
  ["in different fields", "frank dune", { title: "dune", text: "frank" }, { weight: 1, nearness: 8, whole: 2 }],
  ["in different items", "a b", { tags: ["a", "b"] }, { nearness: 8 }],
  ["to the last word of a phrase", '"a b" c', { text: "a b c" }, { words: 3, nearness: 1, whole: 3 }],
  ["a word that comes twice", "dune dune", { text: "dune" }, { words: 1, nearness: 0 }],
];
for (const [rule, q, data, buckets] of fits) {
  test(`the buckets of ${q} in ${JSON.stringify(data)}: ${rule}`, () => {
    const [found] = search(q, [data]).buckets;
    assert.deepEqual({ ...found, ...buckets }, found);
  });
}

/** Words without stems and typos, some of them beginnings of others. */
const vocabulary = ["a", "ab", "abc", "b", "bc", "c"];

test("any query finds what has its words, beginnings and phrases, and drops as few words from the end as it can", () => {
  const pick = random(seed);
  const draw = (most: number) =>
    Array.from({ length: 1 + pick(most) }, () => vocabulary[pick(vocabulary.length)] as string);
  for (let round = 0; round < 1500; round++) {
    const parts = Array.from({ length: 1 + pick(4) }, () => ({ sign: ["", "", '"', "-"][pick(4)], words: draw(2) }));
    const q = parts.flatMap(({ sign, words: [one, ...rest] }) => {
      if (sign === '"') return [`"${[one, ...rest].join(" ")}"`];
      return sign === "-" ? [`-${one}`] : [one];
    });
    const texts = Array.from({ length: 1 + pick(6) }, () => draw(6).join(" "));
    const holds = (text: string, sequence: string, isBeginning: boolean) =>
      ` ${text} `.includes(isBeginning ? ` ${sequence}` : ` ${sequence} `);
    const typed = q.filter((part) => part && !part.startsWith("-")) as string[];
    const isThere = (text: string, part: string) =>
      part.startsWith('"')
        ? holds(text, part.slice(1, -1), false)
        : holds(text, part, false) || (part === typed.at(-1) && holds(text, part, true));
    const isLeft = (text: string) => !q.some((part) => part?.startsWith("-") && holds(text, part.slice(1), false));
    const words = typed.slice(1).filter((part) => !part.startsWith('"'));
    // A word that comes twice is one term.
    if (new Set(typed).size < typed.length) continue;
    let expected: { found: number[]; dropped: string[] } = { found: [], dropped: [] };
    for (let out = 0; out <= words.length && expected.found.length === 0; out++) {
      const dropped = words.slice(words.length - out);
      const found = texts.flatMap((text, i) =>
        isLeft(text) && typed.every((part) => dropped.includes(part) || isThere(text, part)) ? [i] : [],
      );
      if (found.length > 0) expected = { found, dropped };
    }
    const { found, dropped } = search(q.join(" "), texts, { locale: "" });
    assert.deepEqual(
      { found: found.toSorted((a, b) => a - b), dropped },
      expected,
      `${q.join(" ")} in ${texts.join(" / ")}`,
    );
  }
});
