import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUrlEncoded } from "../lib/brackets.ts";
import type { Path } from "../path.ts";
import { Candidate, type CollectionItem, compileMembership } from "./candidate.ts";
import { parseConditions } from "./filter.ts";
import { parseFind } from "./find.ts";
import { TimeBudget } from "./regexp.ts";

const itemOf = (json: string, facts: Partial<CollectionItem> = {}): CollectionItem => ({
  path: "blog/a" as Path,
  json,
  modifiedAt: 0,
  createdAt: 0,
  size: json.length,
  serviceKeys: new Set(["uuid"]),
  ...facts,
});

function isMember(query: string, candidate: Candidate): boolean {
  const args = parseUrlEncoded(query, { maxPairs: 100, maxDepth: 8, maxItems: 100 });
  const membership = { path: "blog" as Path, filter: parseConditions(args), find: parseFind(args) };
  return compileMembership(membership, { budget: new TimeBudget(1000), nowSeconds: 0 })(candidate);
}

test("an item is parsed once, on first access", () => {
  const item = itemOf('{"a":1}');
  const [first, second] = [new Candidate(item), new Candidate(item)];
  assert.equal(first.object(), first.object());
  assert.equal(second.object(), first.object());
});

const broken = "no JSON";
const unparsed: [query: string, facts: Partial<CollectionItem>, isIn: boolean][] = [
  ["", {}, true],
  ["depth=2&where[key]=a&where[expr]=eq&where[value]=1", {}, false],
  ["size=>100&contains=x", {}, false],
  ["exclude=a&search=x", {}, false],
  ["path=zzz&contains=x", {}, false],
];
for (const [query, facts, isIn] of unparsed) {
  test(`"${query}" is decided without parsing the item`, () => {
    assert.equal(isMember(query, new Candidate(itemOf(broken, facts))), isIn);
  });
}

const condition = "where[key]=a&where[expr]=eq&where[value]=1";
const looked: [query: string, isIn: boolean][] = [
  [condition, true],
  [`${condition}&contains=needle`, true],
  [`${condition}&contains=missing`, false],
  [condition.replace("=1", "=2"), false],
  [`${condition.replace("=1", "=2")}&contains=needle`, false],
  ["search=needle", true],
  ["search=secret", false],
  ["contains=secret", true],
];
for (const [query, isIn] of looked) {
  test(`"${query}" ${isIn ? "includes" : "excludes"} the item`, () => {
    assert.equal(isMember(query, new Candidate(itemOf('{"a":1,"t":"a needle","uuid":"secret"}'))), isIn);
  });
}
