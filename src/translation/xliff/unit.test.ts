import assert from "node:assert/strict";
import { test } from "node:test";
import { entryOf } from "../../../test/xliff-entry.ts";
import { unitsOf } from "./unit.ts";

const cases: [what: string, source: object, names: string[]][] = [
  ["texts of any depth", { a: "x", b: { c: ["y", { d: "z" }] } }, ["/a", "/b/c/0", "/b/c/1/d"]],
  ["no white space, numbers, nulls", { a: " \n", b: "", c: 1, d: null, e: true, f: [] }, []],
  ["signs in keys", { "a/b": "x", "c~d": "y", "": "z" }, ["/a~1b", "/c~0d", "/"]],
  ["signs that attributes lose", { 'a<b&"\n%': "x", "grün é": "y" }, ["/a%3Cb%26%22%0A%25", "/grün é"]],
  [
    "items by key, which is no unit",
    {
      l: [
        { key: "x", t: "1" },
        { key: "y", t: "2" },
      ],
    },
    ["/l/x/t", "/l/y/t"],
  ],
  [
    "items by id, a number too",
    {
      l: [
        { id: 7, t: "1" },
        { id: "a/b", t: "2" },
      ],
    },
    ["/l/7/t", "/l/a~1b/t"],
  ],
  ["key goes before id, which is a unit then", { l: [{ key: "k", id: "i" }] }, ["/l/k/id"]],
  ["the same key twice: by index", { l: [{ key: "x" }, { key: "x", t: "2" }] }, ["/l/0/key", "/l/1/key", "/l/1/t"]],
  [
    "1 and '1' are the same",
    {
      l: [
        { id: 1, t: "a" },
        { id: "1", t: "b" },
      ],
    },
    ["/l/0/t", "/l/1/id", "/l/1/t"],
  ],
  ["one without: by index", { l: [{ key: "x" }, { t: "2" }, "text"] }, ["/l/0/key", "/l/1/t", "/l/2"]],
  ["key of an object is a text", { key: "x", o: { key: "y", id: "z" } }, ["/key", "/o/key", "/o/id"]],
];
for (const [what, source, pointers] of cases)
  test(`units: ${what}`, () => {
    const names = unitsOf(entryOf(source)).map(({ name }) => name);
    assert.deepEqual(
      names,
      pointers.map((pointer) => `uuid#${pointer}`),
    );
  });

test("a unit has the translation at its place, of an item by its name, and its state", () => {
  const source = {
    a: "A",
    b: "B",
    l: [
      { key: "x", t: "X" },
      { key: "y", t: "Y" },
    ],
    m: ["1", "2"],
    o: { p: "P" },
  };
  const target = {
    a: "a",
    l: [
      { key: "y", t: "y" },
      { key: "z", t: "z" },
    ],
    m: ["eins"],
    o: "other",
  };
  const units = unitsOf(entryOf(source, target, ["l", "b"]));
  assert.deepEqual(
    units.map(({ pointer, target, state }) => [pointer, target, state]),
    [
      ["/a", "a", "done"],
      ["/b", undefined, "missing"],
      ["/l/x/t", undefined, "missing"],
      ["/l/y/t", "y", "outdated"],
      ["/m/0", "eins", "done"],
      ["/m/1", undefined, "missing"],
      ["/o/p", undefined, "missing"],
    ],
  );
});

test("what is an object here and a list there is not the same, nor is an item without a name any item", () => {
  const source = { o: { "0": "x" }, l: ["y"], n: [{ key: "undefined", t: "z" }] };
  const units = unitsOf(entryOf(source, { o: ["a"], l: { "0": "b" }, n: [{ t: "c" }] }));
  assert.deepEqual(
    units.map(({ target }) => target),
    [undefined, undefined, undefined],
  );
});

test("ids are NMTOKENs that differ by name and by source, and are the same each time", () => {
  const ids = (source: object) => unitsOf(entryOf(source)).map(({ id }) => id);
  const all = ids({ a: "x", b: "x", c: "y" });
  assert.equal(new Set(all).size, 3);
  for (const id of all) assert.match(id, /^u[0-9a-f]{24}$/);
  assert.deepEqual(ids({ a: "x", b: "x", c: "y" }), all);
  assert.notDeepEqual(ids({ a: "z" }), all.slice(0, 1));
});
