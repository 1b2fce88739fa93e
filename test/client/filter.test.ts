import assert from "node:assert/strict";
import { before, test } from "node:test";
import { etagOf, type Filter, where, whereOf } from "../../client/src/client.ts";
import { operators } from "../../client/src/filter.ts";
import { operators as known } from "../../src/core/list/filter.ts";
import { useClients } from "./service.ts";

const clients = useClients();
const things: Record<string, object> = {
  one: { n: 1, name: "one", tags: ["odd", "first"], flag: true, made: "2024-05-01", deep: { list: [{ x: 7 }] } },
  two: { n: 2, name: "two", tags: ["even"], flag: false, made: "2024-06-01", nothing: null },
  "a & b=c": { n: 3, name: "ä+& []=", tags: [], flag: true, made: "2025-01-01" },
};

before(async () => {
  await clients.world.ready;
  for (const [name, data] of Object.entries(things)) await clients.manager.entries.create(`things/${name}`, data);
});

test("the operators are the service's", () => {
  assert.deepEqual([...operators].sort(), [...known].sort());
});

const cases: [name: string, filter: Filter, found: number[]][] = [
  ["eq", where("n").eq(2), [2]],
  ["eq null", where("nothing").eq(null), [2]],
  ["eq with every special character", where("name").eq("ä+& []="), [3]],
  ["neq", where("flag").neq(true), [2]],
  ["in", where("n").in([1, 3]), [1, 3]],
  ["in with one value", where("n").in([1]), [1]],
  ["nin", where("n").nin([1, 3]), [2]],
  ["in no value", where("n").in([]), []],
  ["nin no value", where("n").nin([]), [1, 2, 3]],
  ["in no value, or another condition", where("n").in([]).or(where("name").eq("ä+& []=")), [3]],
  [
    "nin no value, and others",
    where("n")
      .nin([])
      .and(where("made").newer(new Date("2024-05-15"))),
    [2, 3],
  ],
  ["lt", where("n").lt(2), [1]],
  ["lte", where("n").lte(2), [1, 2]],
  ["gt", where("n").gt(2), [3]],
  ["gte", where("n").gte(2), [2, 3]],
  ["between", where("n").between(2, 3), [2, 3]],
  ["nbetween", where("n").nbetween(2, 3), [1]],
  ["newer than a date", where("made").newer(new Date("2024-05-15")), [2, 3]],
  ["older than a text", where("made").older("2024-05-15"), [1]],
  ["contains", where("name").contains("o"), [1, 2]],
  ["contains in a list", where("tags").contains("dd"), [1]],
  ["ncontains", where("name").ncontains("o"), [3]],
  ["startsWith", where("name").startsWith("t"), [2]],
  ["endsWith", where("name").endsWith("e"), [1]],
  ["regexp", where("name").regexp("(?i)^T?[OW]"), [1, 2]],
  ["nregexp", where("name").nregexp("^t"), [1, 3]],
  ["memberOf", where("tags").memberOf("even"), [2]],
  ["exists", where("nothing").exists(), [2]],
  ["exists(false)", where("nothing").exists(false), [1, 3]],
  ["a dotted name", where("deep.list.0.x").eq(7), [1]],
  ["and", where("flag").eq(true).and(where("n").gt(1)), [3]],
  ["and of several conditions", where("flag").eq(true).and(where("n").gt(0), where("n").lt(3)), [1]],
  ["or", where("n").eq(1).or(where("n").eq(2)), [1, 2]],
  [
    "(a and b) or c or d",
    where("flag").eq(true).and(where("n").gt(1)).or(where("n").eq(1), where("n").eq(2)),
    [1, 2, 3],
  ],
];

test("every operator has a case", () => {
  const used = new Set(cases.flatMap(([, { all, any }]) => [...all, ...any].map(({ operator }) => operator)));
  assert.deepEqual([...used].sort(), [...known].sort());
});

for (const [name, filter, found] of cases) {
  test(`${name} matches the expected entries`, async () => {
    const { items } = await clients.visitor.entries.list("things", { filter, sort: "n" });
    assert.deepEqual(
      items.map(({ n }) => n),
      found,
    );
  });
}

test("a filter is a function with typed fields, or a condition of whereOf", async () => {
  type Thing = { n: number };
  const { entries } = clients.visitor;
  assert.equal(await entries.count<Thing>("things", { filter: (where) => where("n").gt(1) }), 2);
  assert.equal(await entries.count<Thing>("things", { filter: whereOf<Thing>()("n").gt(1) }), 2);
});

test("a condition that the service does not support throws before it is sent", () => {
  const [a, b] = [where("a").eq(1), where("b").eq(1)];
  assert.throws(() => (a.or(b) as typeof a).and(b), RangeError);
  assert.throws(() => a.or(a.and(b) as typeof a), RangeError);
  assert.throws(() => a.and(a.or(b) as typeof a), RangeError);
});

test("conditions are immutable", () => {
  const a = where("a").eq(1);
  a.and(where("b").eq(1));
  a.or(where("b").eq(1));
  assert.deepEqual([a.all.length, a.any.length], [1, 0]);
  assert.equal(etagOf(a), undefined);
});
