import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUrlEncoded } from "../lib/brackets.ts";
import { wholeText } from "../lib/long-text.ts";
import type { Path } from "../path.ts";
import { Candidate } from "./candidate.ts";
import { type AnswerOptions, parseCollection } from "./list.ts";
import { collectorFor } from "./shape.ts";

const options = { pageBytes: 1e6, regexpBudgetMs: 0, random: () => 0, nowSeconds: 0 };
const fields: Record<string, string> = { a: '"n":2', b: '"n":1', c: '"n":2.0', d: '"n":null' };

/** The reply of a query on a, b, c and d, and the number of items it read. */
function shape(query: string, isKeyed = false, more: Partial<AnswerOptions> = {}) {
  const args = parseUrlEncoded(query, { maxPairs: 100, maxDepth: 8, maxItems: 100 });
  const parsed = parseCollection("blog" as Path, args, { maxLimit: 100, defaultLimit: 10, isKeyed });
  const arrival = parsed.order.length === 0 ? "ordered" : "any";
  const collector = collectorFor(parsed, { ...options, arrival, after: undefined, binding: () => "binding", ...more });
  let seen = 0;
  const names = Object.entries(fields);
  for (const [name, json] of more.arrival === "reversed" ? names.reverse() : names) {
    if (collector.isDone()) break;
    seen++;
    const path = `blog/${name}` as Path;
    const item = {
      path,
      json: `{"id":"${name}",${json}}`,
      modifiedAt: 0,
      createdAt: 0,
      size: 1,
      serviceKeys: new Set<string>(),
    };
    collector.add(new Candidate(item));
  }
  const { json, next } = collector.answer();
  return { json: wholeText(json), seen, hasNext: next !== undefined };
}

const item = (name: string): string => `{"id":"${name}",${fields[name]}}`;
const list = (names: string): string => `[${names.split("").map(item).join(",")}]`;
const byN = "order_by[field]=n";

const shapes: [query: string, json: string, seen: number, hasNext: boolean][] = [
  ["", list("abcd"), 4, false],
  ["limit=2", list("ab"), 3, true],
  ["limit=4", list("abcd"), 4, false],
  ["limit=0", "[]", 0, false],
  ["offset=1&limit=2", list("bc"), 4, true],
  ["offset=9", "[]", 4, false],
  [`${byN}&limit=2`, list("ba"), 4, true],
  [`${byN}&order_by[direction]=desc`, list("acbd"), 4, false],
  [`${byN}&offset=1&limit=2`, list("ac"), 4, true],
  ["return=first", item("a"), 2, false],
  ["return=first&offset=4", "null", 4, false],
  ["return=first&limit=0", "null", 0, false],
  ["return=next", item("b"), 3, false],
  ["return=next&limit=1", "null", 2, false],
  ["return=last", item("d"), 4, false],
  ["return=last&limit=2", item("b"), 3, false],
  ["return=last&offset=4", "null", 4, false],
  [`return=last&${byN}`, item("d"), 4, false],
  ["return=exists", "true", 1, false],
  ["return=count", "4", 4, false],
  ["return=count&limit=1", "4", 4, false],
  ["return=shuffle&limit=1", list("a"), 2, false],
  ["return=random&limit=1", item("a"), 2, false],
  ["return=random&random_value=0", "[]", 0, false],
  ["group_by=n&limit=4", `{"2":${list("a")},"1":${list("b")},"2.0":${list("c")},"":${list("d")}}`, 4, false],
  ["group_by=n", `{"2":${list("a")},"1":${list("b")},"2.0":${list("c")},"":${list("d")}}`, 4, false],
  ["only=n&limit=2", '[{"n":2},{"n":1}]', 3, true],
];
for (const [query, json, seen, hasNext] of shapes) {
  test(`"${query}" answers ${json.slice(0, 50)}`, () => assert.deepEqual(shape(query), { json, seen, hasNext }));
}

test("an answer by keys has paths relative to the collection", () => {
  assert.equal(shape("limit=2", true).json, `{"a":${item("a")},"b":${item("b")}}`);
  assert.equal(shape(`${byN}&limit=1`, true).json, `{"b":${item("b")}}`);
  assert.equal(shape("limit=0", true).json, "{}");
});
test("a page ends at its byte limit with a cursor, but has at least one item", () => {
  const one = item("a").length + 1;
  for (const query of ["", byN]) {
    const ofTwo = JSON.parse(shape(`${query}&limit=2`).json);
    const at = (pageBytes: number) => JSON.parse(shape(query, false, { pageBytes }).json);
    assert.deepEqual([at(2 * one), at(2 * one - 1)], [ofTwo, ofTwo.slice(0, 1)]);
    assert.ok(shape(query, false, { pageBytes: 2 * one }).hasNext);
    assert.equal(JSON.parse(shape(query, false, { pageBytes: 1 }).json).length, 1);
  }
});
test("groups that do not fit on one page are refused: a part would look complete", () => {
  for (const limit of [1, 3])
    assert.throws(() => shape(`group_by=n&limit=${limit}`), { code: "filter_too_complex", message: /group_by/ });
  assert.equal(shape("group_by=n&limit=0").json, "{}");
});
test("in reverse the last is the first that is read, after which the offset is only counted", () => {
  const last = (offset: number) => shape(`return=last&offset=${offset}`, false, { arrival: "reversed" });
  assert.deepEqual(last(0), { json: item("d"), seen: 1, hasNext: false });
  assert.deepEqual(last(3), { json: item("d"), seen: 4, hasNext: false });
  assert.deepEqual(last(4), { json: "null", seen: 4, hasNext: false });
});
test("unsorted items are sorted by path", () => {
  assert.equal(shape("limit=2", false, { arrival: "any" }).json, list("ab"));
});
