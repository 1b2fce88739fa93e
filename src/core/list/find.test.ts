import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUrlEncoded } from "../lib/brackets.ts";
import { type JsonObject, parseJson } from "../lib/json.ts";
import type { Path } from "../path.ts";
import type { Code } from "../problem.ts";
import { compileFacts, compileTexts, depthBounds, type Facts, hasFindPattern, isDepthOnly, parseFind } from "./find.ts";
import { TimeBudget } from "./regexp.ts";

const parse = (query: string) => parseFind(parseUrlEncoded(query, { maxPairs: 100, maxDepth: 8, maxItems: 100 }));
const nowSeconds = Date.UTC(2024, 4, 10, 12) / 1000;
const asked = () => ({ budget: new TimeBudget(1000), nowSeconds });

const root = "blog" as Path;
const post: Facts = { path: "blog/2024/post" as Path, modifiedAt: Date.UTC(2024, 4, 9, 23, 59, 59) / 1000, size: 1024 };
const hasFacts = (query: string, facts: Partial<Facts> = {}, below = root) =>
  compileFacts(parse(query), below, asked())({ ...post, ...facts });

/** Whether a query matches blog/2024/post: 1,024 bytes, modified in the last second of yesterday. */
const facts: [query: string, isFound: boolean][] = [
  ["", false],
  ["recursive=1", true],
  ["depth=2", true],
  ["depth===2", true],
  ["depth===1", false],
  ["depth=>2", false],
  ["depth=<=2", true],
  ["depth= * ", true],
  ["depth=1", false],
  ["depth=>1", true],
  ["depth= >= 2 ", true],
  ["depth=!=2", false],
  ["depth=<2", false],
  ["depth=*", true],
  // A depth overrides `recursive`.
  ["depth=1&recursive=1", false],
  ["depth[]=>1&depth[]=<3", true],
  ["depth[]=>1&depth[]=<2", false],
  ["depth=*&size=1024", true],
  ["depth=*&size===1024", true],
  ["depth=*&size===1025", false],
  ["depth=*&size=1Ki", true],
  ["depth=*&size=1K", false],
  ["depth=*&size=>1k", true],
  ["depth=*&size=<= 1.0 KiB", true],
  ["depth=*&size=<0.001m", false],
  ["depth=*&size=!=1024", false],
  ["depth=*&size[]=>=1k&size[]=<1ki", false],
  ["depth=*&date=yesterday", true],
  ["depth=*&date=2024-05-09", true],
  ["depth=*&date===2024-05-09", true],
  ["depth=*&date=!=2024-05-09", false],
  ["depth=*&date=2024-05-08", false],
  ["depth=*&date=2024-05-10", false],
  ["depth=*&date=!=2024-05-10", true],
  ["depth=*&date=2024-05-09T23:59:59Z", true],
  ["depth=*&date=2024-05-09T23:59:58Z", false],
  // For the other comparisons a day begins at midnight.
  ["depth=*&date=>2024-05-09", true],
  ["depth=*&date=<=2024-05-09", false],
  ["depth=*&date=SINCE yesterday", true],
  ["depth=*&date=until today", true],
  ["depth=*&date=before 2024-05-09", false],
  ["depth=*&date=after 13 hours ago", true],
  ["depth=*&date=after 12 hours ago", false],
  // None of the words takes the very second.
  ...["since", "after", "until", "before"].map((word): [string, boolean] => [
    `depth=*&date=${word} 2024-05-09T23:59:59Z`,
    false,
  ]),
  ["depth=*&date=>=2024-05-09T23:59:59Z", true],
  ["depth=*&date=<=2024-05-09T23:59:59Z", true],
  ["depth=*&exclude=2024", false],
  ["depth=*&exclude=post", false],
  ["depth=*&exclude=pos", true],
  ["depth=*&exclude=blog", true],
  ["depth=*&exclude[]=x&exclude[]=2024", false],
  ["depth=*&exclude=2024/post", true],
  ["depth=*&path=24/p", true],
  // Both the whole path and the path below the root are matched.
  ["depth=*&path=blog/", true],
  ["depth=*&path=/^2024/", true],
  ["depth=*&path=/^blog/", true],
  ["depth=*&path=POST", false],
  ["depth=*&path=/POST$/i", true],
  ["depth=*&path[]=x&path[]=post", true],
  ["depth=*&path=/x/", false],
];
for (const [query, isFound] of facts) {
  test(`"${query}" ${isFound ? "finds" : "excludes"} the post`, () => {
    assert.equal(hasFacts(query.replaceAll("+", "%2B")), isFound);
  });
}

const sizes: [text: string, bytes: number][] = [
  ["1K", 1e3],
  ["1ki", 1024],
  ["2M", 2e6],
  ["1MiB", 1024 ** 2],
  ["1gb", 1e9],
  ["1Gi", 1024 ** 3],
  ["999999999999999", 999_999_999_999_999],
  ["0.000001K", 0.001],
];
test("units of a size are powers of 1,000, or of 1,024 with an i", () => {
  for (const [text, value] of sizes) assert.deepEqual(parse(`size=${text}`).size, [{ comparator: "==", value }], text);
});

test("a day is from its first second to its last", () => {
  const day = Date.UTC(2024, 4, 9) / 1000;
  const isOn = (modifiedAt: number) => hasFacts("depth=*&date=2024-05-09", { modifiedAt });
  assert.deepEqual([day - 1, day, day + 86_399, day + 86_400].map(isOn), [false, true, true, false]);
});

test("the depth decides alone where nothing else is asked, and its bounds say all of it", () => {
  for (const query of ["", "depth=*", "depth[]=>1&depth[]=<=3"]) assert.ok(isDepthOnly(parse(query)), query);
  const others = ["depth=!=1", "depth[]=1&depth[]=!=2", "exclude=a", "size=1", "date=today", "search=a", "path=a"];
  for (const query of [...others, "contains=a", "not_contains=a"]) assert.ok(!isDepthOnly(parse(query)), query);
});

test("below the root the first segment is matched, too", () => {
  assert.ok(!hasFacts("depth=*&exclude=blog", {}, "" as Path));
  assert.ok(hasFacts("depth=3", {}, "" as Path));
  assert.ok(!hasFacts("depth=*&path=/^2024/", {}, "" as Path));
});

const bounds: [query: string, min: number, max: number][] = [
  ["", 1, 1],
  ["recursive=yes", 1, Number.POSITIVE_INFINITY],
  ["depth[]=>1&depth[]=>=4&depth[]=<9&depth[]=<=6", 4, 6],
  ["depth=!=3", 0, Number.POSITIVE_INFINITY],
  ["depth[]=1&depth[]=2", 2, 1],
  ["depth=<0", 0, -1],
  ["depth=999999999", 999_999_999, 999_999_999],
];
for (const [query, min, max] of bounds) {
  test(`"${query}" matches from depth ${min} to ${max}`, () =>
    assert.deepEqual(depthBounds(parse(query)), { min, max }));
}

const object = parseJson(
  '{"title":"The STRASSE","body":{"deep":["caf\u00e9",5]},"uuid":"deadbeef","key":true,"s":"\u0130x"}',
) as JsonObject;
const texts: [query: string, isFound: boolean][] = [
  ["contains=STRASSE", true],
  ["contains=strasse", false],
  ["contains=/strasse/i", true],
  ["contains=deep", false],
  ["contains=5", false],
  ["contains[]=x1&contains[]=caf", true],
  // The whole object with the service's fields; a search reads the client's fields only.
  ["contains=deadbeef", true],
  ["search=deadbeef", false],
  ["not_contains=deadbeef", false],
  ["not_contains[]=x1&not_contains[]=x2", true],
  ["search=strasse", true],
  ["search=the+caf%C3%A9", true],
  ["search=cafe%CC%81", true],
  ["search=cafe", false],
  ["search=the+nothing", false],
  ["search=the+sent+as.png", true],
  ["contains=Sent", false],
  ["search=++", true],
  ["search=true", false],
];
for (const [query, isFound] of texts) {
  test(`the text ${isFound ? "passes" : "fails"} "${query}"`, () => {
    const hasTexts = compileTexts(parse(query), new TimeBudget(1000));
    assert.equal(
      hasTexts ? hasTexts(object, { serviceKeys: new Set(["uuid"]), texts: ["Sent AS.png"] }) : true,
      isFound,
    );
  });
}
test("without a text condition the text is not read", () => {
  assert.equal(compileTexts(parse("depth=*&search="), new TimeBudget(0)), undefined);
});

const searchOf = (count: number) => `search=${Array.from({ length: count }, (_, n) => `w${n}`).join("+")}`;
const refused: [query: string, code: Code, message: RegExp][] = [
  ["depth=two", "filter_invalid", /filter\[depth\]/],
  ["depth=-1", "filter_invalid", /filter\[depth\]/],
  ["depth=1.5", "filter_invalid", /filter\[depth\]/],
  ["depth=1234567890", "filter_invalid", /filter\[depth\]/],
  ["depth==>1", "filter_invalid", /filter\[depth\]/],
  ["recursive=maybe", "filter_invalid", /filter\[recursive\]/],
  ["size=big", "filter_invalid", /filter\[size\]/],
  ["size=-1", "filter_invalid", /filter\[size\]/],
  ["size=1T", "filter_invalid", /filter\[size\]/],
  ["size=1000000000000000", "filter_invalid", /filter\[size\]/],
  ["size=0.0000001K", "filter_invalid", /filter\[size\]/],
  ["size=constructor", "filter_invalid", /filter\[size\]/],
  ["date=someday", "filter_invalid", /filter\[date\]/],
  ["date=%3E", "filter_invalid", /filter\[date\]/],
  ["date=2024-02-30", "filter_invalid", /filter\[date\]/],
  ["contains[a]=x", "filter_invalid", /filter\[contains\]/],
  ["contains=/(/", "filter_invalid", /filter\[contains\]/],
  ["path=/a/x", "filter_invalid", /filter\[path\].*"x"/],
  [`not_contains=/${"a".repeat(1000)}/`, "filter_too_complex", /filter\[not_contains\]/],
  ["search[]=a", "filter_invalid", /filter\[search\]/],
  [searchOf(51), "filter_too_complex", /50 words/],
];
for (const [query, code, message] of refused) {
  test(`"${query.slice(0, 40)}" is refused`, () => assert.throws(() => parse(query), { code, message }));
}
test("a search has at most 50 words, and repeated ones count once", () => {
  assert.equal(parse(searchOf(50)).words.length, 50);
  assert.deepEqual(parse(`search=${"Alien+alien+".repeat(40)}`).words, ["alien"]);
});
test("a pattern is distinguished from a text", () => {
  for (const query of ["contains=/a/", "not_contains=/a/i", "path[]=a&path[]=/b/"])
    assert.ok(hasFindPattern(parse(query)));
  for (const query of ["", "contains=/a", "path=/a/b", "exclude=/a/"]) assert.ok(!hasFindPattern(parse(query)));
});
