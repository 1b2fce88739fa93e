import assert from "node:assert/strict";
import { before, test } from "node:test";
import { isProblem } from "../core/problem.ts";
import { type QueryOptions, readLists, readQuery, type SearchQuery } from "./query.ts";
import { loadStemmers } from "./stem.ts";

/** How the words that a person types become a query. Contract §25, Words, Bounds. */

before(() => loadStemmers(["en", "de", "fr"]));

const options: QueryOptions = { locales: ["en"], prefix: true };

/** Terms by `|`: a phrase in quotes, a beginning with `*`, other wholes after `=`; then what is taken away, with `-`. */
function shown({ terms, without, isAll }: SearchQuery): string {
  const found = terms.map(({ word, wholes, isBeginning }) => {
    const [own = "", ...others] = wholes.map((words) => words.join(" "));
    return [(word === undefined ? `"${own}"` : own) + (isBeginning ? "*" : ""), ...others].join("=");
  });
  return [...found, ...without.map((words) => `-${words.join(" ")}`), ...(isAll ? ["all"] : [])].join("|");
}

const lists = readLists([
  {
    locale: "en",
    stopWords: ["the", "of"],
    synonyms: [
      ["tv", "television", "tele vision"],
      ["lotr", "Lord of the Rings"],
    ],
  },
]);
const queries: [q: string, query: string, options?: Partial<QueryOptions>][] = [
  ["Star Wars", "star|wars*"],
  ["Star Wars", "star|wars", { prefix: false }],
  ['"Star Wars" jedi', '"star wars"|jedi*'],
  ['jedi "Star Wars"', 'jedi|"star wars"'],
  ['jedi "Star', "jedi|star*"],
  ['a "" b', "a|b*"],
  ['7" vinyl 12"', "7|vinyl|12*"],
  ['("a b")', '"a b"'],
  ["dune -herbert", "dune*|-herbert"],
  ['dune -"frank herbert" -film', "dune*|-frank herbert|-film"],
  ["-e-mail", "-e mail|all"],
  ["dune -", "dune*"],
  ["e-mail", "e|mail*"],
  ["star wars Star", "star*|wars"],
  ["", "all"],
  ['  "', "all"],
  ["-dune", "-dune|all"],
  ["!?", ""],
  ["the lord", "lord*", { lists }],
  ["lord of", "lord", { lists }],
  ["of the of", "of*|the", { lists }],
  ['"the lord"', '"the lord"', { lists }],
  ["tv", "tv*=television=tele vision", { lists }],
  ["tele vision", "tele=tv=television|vision*=tv=television", { lists }],
  ["the lord of the rings", "lord=lotr|rings*=lotr", { lists }],
  ['lord "of the rings"', 'lord|"of the rings"', { lists }],
  ["report_2024.pdf", "report=report_2024|2024=report_2024|pdf*", { isName: true }],
  ['"my_file"', '"my file"=my_file', { isName: true }],
  ["-my_file", "-my file|-my_file|all", { isName: true }],
  ["Straße", "strasse*", { locales: ["de"] }],
  ["東京の天気", "東京|の|天気*", { locales: ["ja", "en"] }],
];
for (const [q, query, more] of queries) {
  test(`${q} is the query ${query || "of nothing"}${more ? ` with ${Object.keys(more)}` : ""}`, () =>
    assert.equal(shown(readQuery(q, { ...options, ...more })), query));
}

test("a term has its text as typed, its typos and its stem in each language of the chain", () => {
  const { terms } = readQuery("Häuser Houses1", { locales: ["de-CH", "de", "en"], prefix: false });
  const [first, second] = terms;
  assert.equal(first?.text, "Häuser");
  assert.deepEqual(
    [...(first?.stems ?? [])],
    [
      ["de", "haus"],
      ["en", "hauser"],
    ],
  );
  assert.deepEqual([first?.mostTypos, second?.mostTypos], [1, 0]);
});

test("a query has at most 512 bytes and 16 words, those of phrases and those that it takes away, too", () => {
  const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(" ");
  const isRefused = (q: string) =>
    assert.throws(
      () => readQuery(q, options),
      (error) => isProblem(error, "argument_invalid") && error.argument === "q",
    );
  assert.equal(readQuery(words(16), options).terms.length, 16);
  assert.equal(readQuery("é".repeat(256), options).terms.length, 1);
  isRefused(words(17));
  isRefused(`"${words(15)}" a -b`);
  isRefused("é".repeat(257));
});

test("lists of words are read in their locale; what has another form is passed over", () => {
  const read = readLists([
    { locale: "de", stopWords: ["Der", 1, "!", ["das"]], synonyms: [["Größe", "Groesse", "größe"], "x", [true, "a"]] },
    { locale: "fr", stopWords: "le", synonyms: [["groesse", "Taille"]] },
    { locale: "en" },
  ]);
  assert.deepEqual([...read.stopWords], ["der"]);
  const equalTo = (q: string) => shown(readQuery(q, { ...options, prefix: false, lists: read }));
  assert.deepEqual(["a", "Größe", "groesse", "taille", "x"].map(equalTo), [
    "a",
    "grosse=groesse",
    "groesse=grosse=taille",
    "taille=groesse",
    "x",
  ]);
});

test("of a list of equal words the first 100 are used", () => {
  const equal = Array.from({ length: 200 }, (_, i) => `word${i}`);
  const many = readLists([{ locale: "", synonyms: [equal] }]);
  const wholesOf = (q: string) => readQuery(q, { ...options, lists: many }).terms[0]?.wholes.length;
  assert.deepEqual([wholesOf("word0"), wholesOf("word100")], [100, 1]);
});
