/** Filters and order where an index can give wrong results: long texts, many fields, changed values, huge numbers. Contract §4. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ArgumentValue } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter } from "./world.ts";

const world = await enter("index");
const { token, access_token } = world.pair;
const find = (name: string, key: string, expr: string, value: ArgumentValue) =>
  world.list(name, { where: { key, expr, value } });
const order = (name: string, field: string, direction = "asc") => world.list(name, { order_by: { field, direction } });
const patch = async (name: string, data: Any) => dataOf(await world.write("PATCH", { id: world.id(name), data }));

/** Creates an entry whose field `n` has this source text. */
async function number(name: string, source: string): Promise<void> {
  const json = `{"id":"${world.id(name)}","token":"${token}","access_token":"${access_token}","data":{"n":${source}}}`;
  const reply = await world.send({ method: "POST", path: "/api/entries", json });
  assert.equal(reply.status, 200, reply.text.slice(0, 300));
}

for (const [what, start] of [
  ["256 bytes", "x".repeat(256)],
  ["255 bytes and a character of two", `${"x".repeat(255)}é`],
  ["254 bytes and a character of four", `${"x".repeat(254)}😀`],
  ["5,000 bytes", "long ".repeat(1000)],
] as const) {
  describe(`texts that share their first ${what}`, async () => {
    const at = `alike-${start.length}-${Buffer.byteLength(start)}`;
    await world.plant({
      [`${at}/p`]: { t: start },
      [`${at}/q`]: { t: `${start}b`, list: [`${start}b`] },
      [`${at}/r`]: { t: `${start}a`, list: [`${start}a`, "short"] },
      [`${at}/s`]: { t: `${start}ab` },
      [`${at}/short`]: { t: "x" },
    });

    const rows: [string, string, string[]][] = [
      ["eq", start, ["p"]],
      ["eq", `${start}a`, ["r"]],
      ["eq", `${start}c`, []],
      ["neq", `${start}a`, ["p", "q", "s", "short"]],
      ["gt", `${start}a`, ["q", "s"]],
      ["gte", `${start}a`, ["q", "r", "s"]],
      ["lt", `${start}ab`, ["p", "r", "short"]],
      ["lte", `${start}ab`, ["p", "r", "s", "short"]],
      ["starts_with", `${start}a`, ["r", "s"]],
      ["ends_with", "b", ["q", "s"]],
      ["contains", `${start.slice(-3)}a`, ["r", "s"]],
    ];
    for (const [expr, value, expected] of rows) {
      test(`${expr} …${JSON.stringify(value.slice(start.length))}`, async () => {
        // "long x" < "x": the first byte decides whether the short text is first.
        const shortFirst = start.startsWith("x");
        const wanted = expected.filter((name) => name !== "short" || shortFirst || expr === "neq");
        const extra = !shortFirst && (expr === "gt" || expr === "gte") ? ["short"] : [];
        assert.deepEqual(await find(at, "t", expr, value), [...wanted, ...extra]);
      });
    }

    test("in, between and elements of lists", async () => {
      assert.deepEqual(await find(at, "t", "in", [`${start}a`, `${start}b`]), ["q", "r"]);
      assert.deepEqual(await find(at, "t", "between", [`${start}a`, `${start}ab`]), ["r", "s"]);
      assert.deepEqual(await find(at, "list", "eq", `${start}a`), ["r"]);
      assert.deepEqual(await find(at, "list.0", "eq", `${start}b`), ["q"]);
    });

    test("sorting compares the whole text", async () => {
      const whole = start.startsWith("x") ? ["short", "p", "r", "s", "q"] : ["p", "r", "s", "q", "short"];
      assert.deepEqual(await order(at, "t"), whole);
      assert.deepEqual(await order(at, "t", "desc"), [...whole].reverse());
    });
  });
}

describe("an entry with many fields", async () => {
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`k${n}`, n]));
  await world.plant({
    "wide/a": { ...many, tags: Array.from({ length: 300 }, (_, n) => `t${n}`), last: "z" },
    "wide/b": { k399: 1, last: "y", tags: ["t299"] },
  });

  test("is found by its last fields, too", async () => {
    assert.deepEqual(await find("wide", "k399", "eq", "399"), ["a"]);
    assert.deepEqual(await find("wide", "k399", "gt", "0"), ["a", "b"]);
    assert.deepEqual(await find("wide", "tags", "eq", "t299"), ["a", "b"]);
    assert.deepEqual(await find("wide", "tags", "in", ["t298", "nothing"]), ["a"]);
    assert.deepEqual(await find("wide", "tags.299", "eq", "t299"), ["a"]);
    assert.deepEqual(await find("wide", "last", "eq", "z"), ["a"]);
    assert.deepEqual(await find("wide", "last", "starts_with", "z"), ["a"]);
    assert.deepEqual(await order("wide", "last"), ["b", "a"]);
    assert.deepEqual(await order("wide", "k399"), ["b", "a"]);
  });

  test("is not found by them after they change", async () => {
    await patch("wide/a", { k399: -1, last: "x", tags: [] });
    assert.deepEqual(await find("wide", "k399", "eq", "399"), []);
    assert.deepEqual(await find("wide", "k399", "eq", "-1"), ["a"]);
    assert.deepEqual(await find("wide", "tags", "eq", "t299"), ["b"]);
    assert.deepEqual(await order("wide", "last"), ["a", "b"]);
  });
});

describe("a value whose type changes", async () => {
  await world.plant({ "type/a": { v: 1 }, "type/b": { v: 2 } });
  const states: [unknown, [string, ArgumentValue, string[]][]][] = [
    [
      "text",
      [
        ["eq", "text", ["a"]],
        ["eq", "1", []],
      ],
    ],
    [
      true,
      [
        ["eq", "true", ["a"]],
        ["eq", "text", []],
      ],
    ],
    [
      null,
      [
        ["eq", "null", ["a"]],
        ["eq", "true", []],
        ["exists", "true", ["a", "b"]],
      ],
    ],
    [
      ["x", 2],
      [
        ["eq", "x", ["a"]],
        ["eq", "2", ["a", "b"]],
        ["eq", "null", []],
      ],
    ],
    [
      { w: 5 },
      [
        ["eq", "x", []],
        ["eq", "2", ["b"]],
        ["eq", "5", []],
      ],
    ],
    [
      "2",
      [
        ["eq", "2", ["a", "b"]],
        ["gt", "1", ["a", "b"]],
      ],
    ],
    [
      2.5,
      [
        ["gt", "2", ["a"]],
        ["eq", "2", ["b"]],
      ],
    ],
  ];

  test("is found by its new type only", async () => {
    for (const [value, rows] of states) {
      await patch("type/a", { v: value });
      for (const [expr, sought, expected] of rows) {
        assert.deepEqual(await find("type", "v", expr, sought), expected, `${JSON.stringify(value)} ${expr} ${sought}`);
      }
    }
  });

  test("also inside another key", async () => {
    await patch("type/a", { v: { w: { x: 1 } } });
    assert.deepEqual(await find("type", "v.w.x", "eq", "1"), ["a"]);
    await patch("type/a", { v: { w: 1 } });
    assert.deepEqual(await find("type", "v.w.x", "eq", "1"), []);
    assert.deepEqual(await find("type", "v.w", "eq", "1"), ["a"]);
  });

  test("is not found after its key is removed", async () => {
    const json = { ...world.pair, id: world.id("type/a"), data: { v: null } };
    await world.send({ method: "PATCH", path: "/api/entries", json, type: "application/merge-patch+json" });
    assert.deepEqual(await find("type", "v", "exists", "true"), ["b"]);
    assert.deepEqual(await find("type", "v.w", "eq", "1"), []);
  });
});

describe("moves, copies and deletes", () => {
  test("keep the index up to date", async () => {
    await world.plant({ "go/a": { v: "x" }, "go/a/b": { v: "x", n: 1 }, "go/a/b/c": { v: "x" }, "go/z": { v: "x" } });
    const everywhere = { depth: ">0", where: { key: "v", expr: "eq", value: "x" } };
    assert.deepEqual(await world.list("go", everywhere), ["a", "a/b", "a/b/c", "z"]);
    await world.write("PUT", { id: world.id("go/a"), new_id: world.id("gone/q") });
    assert.deepEqual(await world.list("go", everywhere), ["z"]);
    assert.deepEqual(await world.list("gone", everywhere), ["q", "q/b", "q/b/c"]);
    assert.deepEqual(await find("gone/q", "n", "eq", "1"), ["b"]);
    await world.write("PUT", { id: world.id("gone/q"), new_id: world.id("go/y") }, "/api/entries/copy");
    assert.deepEqual(await world.list("go", everywhere), ["y", "y/b", "y/b/c", "z"]);
    await patch("go/y/b", { v: "changed" });
    assert.deepEqual(await world.list("go", everywhere), ["y", "y/b/c", "z"]);
    assert.deepEqual(await find("gone/q", "v", "eq", "x"), ["b"]);
    await world.write("DELETE", { id: world.id("gone/q/b") });
    assert.deepEqual(await world.list("gone", everywhere), ["q"]);
    await world.create("gone/q/b", { v: "x" });
    assert.deepEqual(await world.list("gone", everywhere), ["q", "q/b"]);
  });
});

describe("numbers of any size", async () => {
  const ascending = [
    "-1e308",
    "-1e5",
    "-100000",
    "-0.1",
    "-1e-400",
    "0",
    "1e-999",
    "1e-400",
    "1e-300",
    "0.1",
    "0.1000000000000000000000001",
    "1e5",
    "100000.0000000000000000001",
    "1e308",
  ];
  await Promise.all(ascending.map((source, n) => number(`size/${String(n).padStart(2, "0")}`, source)));
  // -1e5 and -100000 are the same number, so their ids decide.
  const names = ascending.map((_, n) => String(n).padStart(2, "0"));

  test("are sorted as decimals", async () => {
    assert.deepEqual(await order("size", "n"), names);
  });

  test("are compared as decimals", async () => {
    assert.deepEqual(await find("size", "n", "eq", "-100000.0"), ["01", "02"]);
    assert.deepEqual(await find("size", "n", "eq", "0"), ["05"]);
    assert.deepEqual(await find("size", "n", "gt", "0"), names.slice(6));
    assert.deepEqual(await find("size", "n", "lt", "1e-350"), names.slice(0, 8));
    assert.deepEqual(await find("size", "n", "between", ["0.1", "0.10000000000000000000000005"]), ["09"]);
  });

  const monsters = [
    "1e999999999",
    "-1e999999999",
    "1e-999999999",
    "1e99999999999999999999",
    `1${"0".repeat(5000)}`,
    `0.${"0".repeat(5000)}1`,
  ];
  for (const monster of monsters) {
    test(`filtering by a number like ${monster.slice(0, 24)} is fast`, async () => {
      // Expanding it to its last digit would take forever.
      for (const expr of ["eq", "lt", "gt", "neq", "in"]) {
        const reply = await world.read({ id: world.id("size"), filter: { where: { key: "n", expr, value: monster } } });
        assert.ok(Array.isArray(dataOf(reply)), expr);
      }
    });
  }

  test("a stored number with many digits does not slow a filter", async () => {
    await number("digits/a", `0.${"3".repeat(500_000)}`);
    await number("digits/b", `0.${"3".repeat(500_000)}4`);
    await number("digits/c", `0.${"3".repeat(499_999)}`);
    assert.deepEqual(await order("digits", "n"), ["c", "a", "b"]);
    assert.deepEqual(await find("digits", "n", "gt", "0.3"), ["a", "b", "c"]);
  });

  test("a stored text that looks like a huge number does not slow a filter", async () => {
    await world.plant({
      "text/a": { n: "1e999999999" },
      "text/b": { n: "-1e-99999999999" },
      "text/c": { n: "5" },
      "text/d": { n: 6 },
    });
    assert.equal((await order("text", "n")).length, 4);
    assert.ok((await find("text", "n", "lt", "7")).includes("d"));
  });
});

allRepliesKeptTheirPromises(world);
