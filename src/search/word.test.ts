import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import { cutWords, foldWord } from "./word.ts";

const wordsOf = (text: string, locale = ""): string[] => cutWords(text, locale).map(({ word }) => word);
const writtenOf = (text: string): string[] => cutWords(text, "").map(({ from, to }) => text.slice(from, to));

test("a text is cut into words, each with its range", () => {
  assert.deepEqual(cutWords("Hello, big World!", ""), [
    { word: "hello", from: 0, to: 5 },
    { word: "big", from: 7, to: 10 },
    { word: "world", from: 11, to: 16 },
  ]);
  assert.deepEqual(cutWords("", ""), []);
  assert.deepEqual(cutWords(" – … * 👩‍👩‍👧 !", ""), []);
});

test("words of languages without spaces, and of any script, are found", () => {
  const cases: [string, string, string[]][] = [
    ["東京都に住んでいます", "ja", ["東京", "都", "に", "住", "んで", "い", "ます"]],
    ["我们喜欢中文", "zh", ["我们", "喜欢", "中文"]],
    ["ภาษาไทยสวยงาม", "th", ["ภาษา", "ไทย", "สวยงาม"]],
    ["Съешь ещё этих булок", "ru", ["съешь", "еще", "этих", "булок"]],
    ["Straßen, Œuvre & Łódź", "de", ["strassen", "oeuvre", "lodz"]],
    ["l’homme d'aujourd’hui", "fr", ["l'homme", "d'aujourd'hui"]],
    ["10\u202f000 € – « Bonjour\u202f! »", "fr", ["10000", "bonjour"]],
    ["v1.5, 1,234.50 and 3:45", "en", ["v1.5", "1,234.50", "and", "3", "45"]],
    ["math.Floor site:Math Война.Мир", "ru", ["math", "floor", "site", "math", "воина", "мир"]],
    ["C++ a.b.c e-mail don't it's", "en", ["c", "a", "b", "c", "e", "mail", "don't", "it's"]],
  ];
  for (const [text, locale, words] of cases) assert.deepEqual(wordsOf(text, locale), words, text);
});

test("marks of Markdown are no words and stick to none", () => {
  const cases: [string, string[]][] = [
    ["_word_ __strong__ snake_case_ _a_b_", ["word", "strong", "snake_case", "a_b"]],
    ["MAX\\_UPLOAD\\_BYTES \\_so\\_ \\*so\\* C:\\temp", ["max_upload_bytes", "so", "so", "c", "temp"]],
    ["**wo**rd ~~gone~~ `code` # Title", ["wo", "rd", "gone", "code", "title"]],
    ["see [the docs](https://example.org/a_(b)?c=d).", ["see", "the", "docs"]],
    ['![A cat](cat.png "Our cat") and ![](<my file.png>)', ["a", "cat", "our", "cat", "and"]],
    ["[a](b)[c](d\\)e)f", ["a", "c", "f"]],
    ["[a]( b c ) array[1](no destination", ["a", "b", "c", "array", "1", "no", "destination"]],
    ['<p class="big" id=x>Text</p><br/>more', ["text", "more"]],
    ["<a title=\"a > b\" href='c'>link</a >", ["link"]],
    ["a <!-- a <b> hidden --> b <!-- open", ["a", "b", "open"]],
    ["1 < 2, x <y, <https://example.org>", ["1", "2", "x", "y", "https", "example", "org"]],
    ["* item\n+ [ ] task\n> quote | cell", ["item", "task", "quote", "cell"]],
  ];
  for (const [text, words] of cases) assert.deepEqual(wordsOf(text), words, text);
});

test("ranges are those of the stored text behind marks and pairs of units", () => {
  const text = "😀 [Grüße](x) <b>ﬁn</b> co\u00adop";
  assert.deepEqual(writtenOf(text), ["Grüße", "ﬁn", "co\u00adop"]);
  assert.deepEqual(wordsOf(text), ["grusse", "fin", "coop"]);
});

test("names of files are cut at their points, underlines and hyphens as well", () => {
  assert.deepEqual(
    cutWords("My_report-2024.v2.final.PDF", "", true).map(({ word }) => word),
    ["my", "report", "2024", "v2", "final", "pdf"],
  );
  assert.deepEqual(cutWords("été_a.é", "", true), [
    { word: "ete", from: 0, to: 3 },
    { word: "a", from: 4, to: 5 },
    { word: "e", from: 6, to: 7 },
  ]);
});

test("a fold drops case, accents, points and what is never shown, and keeps other marks and digits", () => {
  const cases: [string, string][] = [
    ["ÉCOLE", "ecole"],
    ["e\u0301cole", "ecole"],
    ["Straße STRAẞE", "strassestrasse"],
    ["ΣΊΣΥΦΟΣ", "σισυφοσ"],
    ["Ærø Œuvre Łódź Đorđe Iğdır İzmir", "aeroœuvrelodzdordeigdirizmir".replace("œ", "oe")],
    ["מִלָּה", "מלה"],
    ["כתב־יד", "כתב־יד"],
    ["كِتَابٌ أإآ", "كتابااا"],
    ["がぎ", "がぎ"],
    ["ｶﾞﾊﾞ", "ガバ"],
    ["한국어", "한국어"],
    ["हिन्दी क़", "हिन्दीक़".normalize("NFC")],
    ["ﬁ ² Ⅷ ½ Å", "fi2viii1⁄2a"],
    ["٣４5", "٣45"],
    ["co\u00adop می\u200cخواهم", "coopمیخواهم"],
    ["don’t", "don't"],
  ];
  for (const [text, word] of cases) assert.equal(foldWord(text), word, text);
});

test("the fold of a fold is itself, and the same for each form of Unicode", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 12 }), (text) => {
      const word = foldWord(text);
      assert.equal(foldWord(word), word);
      assert.equal(foldWord(text.normalize("NFD")), word);
      assert.equal(foldWord(text.normalize("NFKC")), word);
    }),
    { numRuns: 20_000 },
  );
  for (let code = 0; code < 0x30000; code++) {
    const word = foldWord(String.fromCodePoint(code));
    if (foldWord(word) !== word) assert.fail(`${code.toString(16)}: ${word}`);
  }
});

/** What a segmenter gives, and no more: connectors at the edges fall off, and a point between letters parts them. */
function segmented(text: string, locale: string): string[] {
  const parted = text.replace(/(?<=[\p{L}\p{M}¸])[.:](?=[\p{L}¸])/gu, " ");
  const segments = [...new Intl.Segmenter(locale, { granularity: "word" }).segment(parted)];
  const words = segments.filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  return words
    .map((word) => word.replace(/^[_\u202f\u203f\u2040\uff3f\u2060]+|[_\u202f\u203f\u2040\uff3f\u2060]+$/g, ""))
    .filter((word) => foldWord(word) !== "");
}

/** Neither tags nor destinations nor escapes: what a segmenter does not know of. */
const isBare = (text: string): boolean => !/<|\]\(|\\_/.test(text);
const telling = fc.constantFrom(..."aZé19_.,:;'’‘·․-–“ \t\r\n(]*`@#$%ªºµ×ß\u0085\u00a0…");
const units: [string, fc.Arbitrary<string>][] = [
  ["ASCII", fc.string({ unit: "binary-ascii", maxLength: 60 })],
  ["signs that join words", fc.array(telling, { maxLength: 40 }).map((list) => list.join(""))],
  [
    "Latin",
    fc
      .array(
        fc.nat({ max: 0x24f }).map((code) => String.fromCharCode(code)),
        { maxLength: 40 },
      )
      .map((list) => list.join("")),
  ],
  ["mixed texts", fc.string({ unit: "grapheme", maxLength: 40 })],
  ["all of Unicode", fc.string({ unit: "binary", maxLength: 30 })],
];

for (const [name, unit] of units)
  test(`a text is cut as a segmenter cuts it in every locale: ${name}`, () => {
    const locale = fc.constantFrom("en", "de", "fi", "sv", "el", "he", "ja", "th", "zh-Hant", "tr");
    fc.assert(
      fc.property(unit.filter(isBare), locale, (text, where) => {
        const words = cutWords(text, where);
        assert.deepEqual(
          words.map(({ from, to }) => text.slice(from, to)),
          segmented(text, where),
        );
        for (const { word, from, to } of words) assert.equal(word, foldWord(text.slice(from, to)));
      }),
      { numRuns: 4_000 },
    );
  });

test("each character of the Latin table joins and parts words as a segmenter says", () => {
  const codes = [...Array(0x250).keys(), ...Array.from({ length: 0x17 }, (_, i) => 0x2010 + i)];
  for (const code of codes) {
    const sign = String.fromCharCode(code);
    for (const text of [
      sign,
      `a${sign}b`,
      `1${sign}2`,
      `a${sign}${sign}b`,
      `a${sign}1`,
      `_${sign}_`,
      `a'${sign}`,
    ].filter(isBare))
      assert.deepEqual(writtenOf(text), segmented(text, "en"), `${code.toString(16)}: ${text}`);
  }
});

test("a megabyte of one sign, or of beginnings of marks, is cut", () => {
  const size = 1_000_000;
  for (const [sign, count] of [
    ["a", 1],
    ["_", 0],
    ["](", 0],
    ["<", 0],
    ["<a ", undefined],
    ['<a "', undefined],
    ["<!--", 0],
    ["](a", undefined],
    ["](<", 0],
    ["<a ''", undefined],
    ["あ", undefined],
    ["ก", undefined],
    ["a\u0301", 1],
    ["( ](", 0],
  ] as const) {
    const words = cutWords(sign.repeat(size / sign.length), "");
    if (count !== undefined) assert.equal(words.length, count, sign);
  }
});
