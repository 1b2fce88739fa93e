import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUrlEncoded } from "../lib/brackets.ts";
import { parseProjection, project } from "./projection.ts";

const parse = (query: string) => parseProjection(parseUrlEncoded(query, { maxPairs: 100, maxDepth: 8, maxItems: 100 }));
const json = '{"b":1.0,"a":{"x":1,"y":{"z":2},"z":3},"tags":["p","q",{"r":1,"s":2}],"a.x":"dotted","e":{}}';

const projections: [query: string, expected: string][] = [
  ["only=b", '{"b":1.0}'],
  ["only[]=e&only[]=b", '{"b":1.0,"e":{}}'],
  ["only=missing", "{}"],
  ["only=a.y", '{"a":{"y":{"z":2}}}'],
  ["only=a.y.z", '{"a":{"y":{"z":2}}}'],
  ["only[]=a.z&only[]=a.y.z", '{"a":{"y":{"z":2},"z":3}}'],
  ["only=a.x", '{"a.x":"dotted"}'],
  ["only=a.missing", "{}"],
  ["only=b.missing", "{}"],
  ["only=tags.1", '{"tags":["q"]}'],
  ["only=tags.2.s", '{"tags":[{"s":2}]}'],
  ["only=a,b", "{}"],
  ["except=a", '{"b":1.0,"tags":["p","q",{"r":1,"s":2}],"a.x":"dotted","e":{}}'],
  ["except[]=a&except[]=tags&except[]=a.x", '{"b":1.0,"e":{}}'],
  ["except[]=a.y&except[]=tags&except[]=a.x", '{"b":1.0,"a":{"x":1,"z":3},"e":{}}'],
  ["only[]=a&only[]=b&except[]=a.z&except[]=a.y.z", '{"b":1.0,"a":{"x":1,"y":{}}}'],
  ["except=missing", json],
];
for (const [query, expected] of projections) {
  test(`${query} leaves ${expected}`, () => {
    const projection = parse(query);
    assert.ok(projection);
    assert.equal(project(json, projection), expected);
  });
}

test("a list keeps its other elements", () => {
  assert.equal(project(json, { only: ["tags"], except: ["tags.0", "tags.2.r"] }), '{"tags":["q",{"s":2}]}');
});

for (const query of ["", "only=", "only[]=", "except=&only[]="]) {
  test(`"${query}" is no projection`, () => assert.equal(parse(query), undefined));
}

test("a projection that is not a list of texts is refused", () => {
  assert.throws(() => parse("only[a][b]=c"), { code: "filter_invalid" });
});
