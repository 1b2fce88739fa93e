import assert from "node:assert/strict";
import { before, test } from "node:test";
import { random, seed } from "../../test/random.ts";
import { type JsonObject, parseJson } from "../core/lib/json.ts";
import { usualWeight } from "../type/weight.ts";
import { fieldsOf } from "./document.ts";
import { Highlighter } from "./highlight.ts";
import { readQuery } from "./query.ts";
import { loadStemmers } from "./stem.ts";

/** What an answer shows of a match. Contract §25, Answer. */

before(() => loadStemmers(["en", "de", "fr"]));

function show(q: string, data: object, locale = "en") {
  const parsed = parseJson(JSON.stringify(data)) as JsonObject;
  const document = fieldsOf(parsed, { weightOf: usualWeight, localeOf: () => locale });
  return new Highlighter(readQuery(q, { locales: [locale], prefix: true })).show(document);
}

/** The text of each field with the highlights in brackets. */
function marked(q: string, data: Record<string, string | string[]>, locale?: string): Record<string, string> {
  const { highlights, fields } = show(q, data, locale);
  assert.deepEqual(fields, Object.keys(highlights));
  return Object.fromEntries(
    Object.entries(highlights).map(([name, ranges]) => {
      const [key = "", place] = name.split(".");
      const value = data[key];
      const text = Array.isArray(value) ? (value[Number(place)] as string) : (value as string);
      return [
        name,
        ranges.reduceRight((all, [from, to]) => `${all.slice(0, from)}[${all.slice(from, to)}]${all.slice(to)}`, text),
      ];
    }),
  );
}

const highlights: [
  q: string,
  data: Record<string, string | string[]>,
  marked: Record<string, string>,
  locale?: string,
][] = [
  ["dune", { title: "Dune", text: "the dune" }, { title: "[Dune]", text: "the [dune]" }],
  ["dune her", { title: "Dune", tags: ["x", "Herbert’s"] }, { title: "[Dune]", "tags.1": "[Herbert’s]" }],
  ["dunes", { title: "dunes", text: "dune" }, { title: "[dunes]", text: "[dune]" }],
  ["godfahter", { title: "godfather", text: "godfahter" }, { text: "[godfahter]" }],
  ["godfahter", { title: "The Godfather" }, { title: "The [Godfather]" }],
  ['"new york"', { text: "new **new** [york](/new) york" }, { text: "new **[new]** [[york]](/new) york" }],
  ["strasse", { text: "In der Straße" }, { text: "In der [Straße]" }, "de"],
  ["ecole", { text: "À l'école 🎉 école" }, { text: "À [l'école] 🎉 [école]" }, "fr"],
  ["東京", { text: "今日の東京の天気" }, { text: "今日の[東京]の天気" }, "ja"],
  ["東京 天気", { text: "東京天気" }, { text: "[東京天気]" }, "ja"],
  ["other", { text: "dune" }, {}],
  ["", { text: "dune" }, {}],
  ["dune", { title: "x", __proto: "dune" }, { __proto: "[dune]" }],
];
for (const [q, data, expected, locale] of highlights) {
  test(`${q || "an empty query"} highlights ${JSON.stringify(expected)}`, () =>
    assert.deepEqual(marked(q, data, locale), expected));
}

test("a match says what it is, and why it stands where it does", () => {
  const { words, typos, why } = show("frank herbetr", { title: "Dune", author: { name: "Frank Herbert" } });
  assert.deepEqual([words, typos], [2, 1]);
  assert.deepEqual(why, { words: 2, typos: 1, weight: 1, nearness: 1, whole: 1 });
});

const filler = (count: number, word = "filler") => Array.from({ length: count }, () => word).join(" ");
const snippets: [rule: string, q: string, data: object, snippet: string][] = [
  ["a short text is whole", "dune", { text: "A *book*: **Dune**." }, "A *book*: **Dune**."],
  ["most words", "dune book", { title: "Dune", text: "a book, Dune" }, "a book, Dune"],
  ["then the most places", "dune", { title: "Dune", text: "Dune, a dune" }, "Dune, a dune"],
  ["then the heavier field", "dune", { text: "a dune", title: "Dune" }, "Dune"],
  ["from the start", "dune", { text: `dune ${filler(50)}` }, `dune ${filler(22)}`],
  ["to the end", "dune", { text: `${filler(50)} dune.` }, `${filler(22)} dune.`],
  ["in the middle", "dune", { text: `${filler(50)} dune ${filler(50)}` }, `${filler(11)} dune ${filler(11)}`],
  [
    "where words are together",
    "dune book",
    { text: `dune ${filler(50)} dune book ${filler(50)}` },
    `${filler(10)} dune book ${filler(11)}`,
  ],
  ["nothing is highlighted", "", { text: "dune" }, ""],
];
for (const [rule, q, data, snippet] of snippets)
  test(`the snippet of ${q || "an empty query"}: ${rule}`, () => assert.equal(show(q, data).snippet, snippet));

test("a snippet of a word without an end splits no character", () => {
  const { snippet } = show("𝒶".repeat(60), { text: `x${" x".repeat(200)} ${"𝒶".repeat(300)}` });
  assert.ok(snippet.isWellFormed() && snippet.length <= 160, snippet);
});

test("a snippet of any text is a part of it with a match, at most 160 long, from a word's beginning to a word's end", () => {
  const pick = random(seed);
  const signs = [" ", ". ", " **", "\n\n", " [x](/a/b) ", " — "];
  for (let round = 0; round < 500; round++) {
    const words = Array.from({ length: 1 + pick(120) }, () => (pick(15) === 0 ? "dune" : "filler".slice(pick(6))));
    words[pick(words.length)] = "dune";
    const text = words.map((word) => word + signs[pick(signs.length)]).join("");
    const { snippet } = show("dune", { text });
    assert.ok(text.includes(snippet) && snippet.length <= 160 && /\bdune\b/.test(snippet), snippet);
    const at = text.indexOf(snippet);
    const isCut = (place: number) => /\w/.test(text[place - 1] ?? "") && /\w/.test(text[place] ?? "");
    assert.ok(!isCut(at) && !isCut(at + snippet.length), snippet);
  }
});

test("of an entry that has a word over and over the first 1000 are highlighted, all count", () => {
  const { highlights, why } = show("dune book", { text: `${"dune ".repeat(3000)}book` });
  assert.equal(highlights.text?.length, 1000);
  assert.equal(why.nearness, 1);
});
