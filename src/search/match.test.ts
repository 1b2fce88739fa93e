import assert from "node:assert/strict";
import { before, test } from "node:test";
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
  [
    "a stem stands for its forms",
    "continuer",
    ["nous continuons", "continuer"],
    [1, 0],
    { locale: "fr", prefix: false },
  ],
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
