import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatJson, type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import { Problem } from "../core/problem.ts";
import { converted, type Target } from "./convert.ts";
import { doneSteps, Undoable } from "./data.ts";
import { formatSteps, parseSteps } from "./step.ts";

const json = (value: unknown): Json => parseJson(JSON.stringify(value));
const steps = (...sent: object[]) => parseSteps(json(sent.map((step) => ({ type: "t", ...step }))));

/** The data afterwards as JSON text, or the sentence why it cannot be done. */
function done(data: object | string, sent: object[], namesContent = true): string {
  const before = parseJson(typeof data === "string" ? data : JSON.stringify(data)) as JsonObject;
  before.set("content", before.get("content") ?? "");
  try {
    const { data: after } = doneSteps(before, steps(...sent), namesContent);
    return formatJson(new Map([...after].filter(([key, value]) => key !== "content" || value !== "")));
  } catch (error) {
    if (error instanceof Undoable) return error.message;
    throw error;
  }
}

/** Data, steps, data afterwards. */
const cases: [name: string, before: object, sent: object[], after: object][] = [
  ["a rename keeps the position", { a: 1, b: 2, c: 3 }, [{ rename: "/b", to: "/x" }], { a: 1, x: 2, c: 3 }],
  ["a rename within an object", { a: { b: 1 } }, [{ rename: "/a/b", to: "/a/c" }], { a: { c: 1 } }],
  [
    "a rename in each item",
    { items: [{ x: 1 }, { y: 2 }, "text", { x: null }] },
    [{ rename: "/items/*/x", to: "/items/*/z" }],
    { items: [{ z: 1 }, { y: 2 }, "text", { z: null }] },
  ],
  [
    "items of items",
    { a: [{ b: [{ c: 1 }] }, { b: 5 }] },
    [{ rename: "/a/*/b/*/c", to: "/a/*/b/*/d" }],
    { a: [{ b: [{ d: 1 }] }, { b: 5 }] },
  ],
  [
    "a move makes objects",
    { seo_title: "T", a: 1 },
    [{ move: "/seo_title", to: "/seo/title" }],
    { a: 1, seo: { title: "T" } },
  ],
  ["a move into an object", { s: 1, seo: { d: 2 } }, [{ move: "/s", to: "/seo/t" }], { seo: { d: 2, t: 1 } }],
  ["a move out of an object", { seo: { t: 1 } }, [{ move: "/seo/t", to: "/t" }], { seo: {}, t: 1 }],
  ["a move in each item", { l: [{ a: 1 }, {}] }, [{ move: "/l/*/a", to: "/l/*/b/c" }], { l: [{ b: { c: 1 } }, {}] }],
  ["a move beside it keeps the position", { a: 1, b: 2 }, [{ move: "/a", to: "/c" }], { c: 1, b: 2 }],
  [
    "a chain",
    { a: 1 },
    [
      { rename: "/a", to: "/b" },
      { rename: "/b", to: "/c" },
    ],
    { c: 1 },
  ],
  [
    "what is not there",
    { a: 1 },
    [{ rename: "/x", to: "/y" }, { drop: "/z" }, { convert: "/q/r", to: "list" }],
    { a: 1 },
  ],
  ["a default", { a: 1 }, [{ default: "/b", value: [1] }], { a: 1, b: [1] }],
  ["a default of what is there", { b: null }, [{ default: "/b", value: 1 }], { b: null }],
  ["a default in an object that is not there", {}, [{ default: "/a/b", value: 1 }], { a: { b: 1 } }],
  ["a default in each item", { l: [{}, { a: 2 }] }, [{ default: "/l/*/a", value: 1 }], { l: [{ a: 1 }, { a: 2 }] }],
  ["a drop", { a: 1, b: 2 }, [{ drop: "/a" }], { b: 2 }],
  ["a drop in each item", { l: [{ a: 1, b: 2 }, 5] }, [{ drop: "/l/*/a" }], { l: [{ b: 2 }, 5] }],
  ["a convert of each item", { l: [1, "a", true] }, [{ convert: "/l/*", to: "string" }], { l: ["1", "a", "true"] }],
  ["keys with signs", { "a/b": 1, "c~d": 2 }, [{ rename: "/a~1b", to: "/x" }, { drop: "/c~0d" }], { x: 1 }],
  ["a key of a prototype's name", { toString: 1 }, [{ rename: "/toString", to: "/valueOf" }], { valueOf: 1 }],
];

describe("steps of a plan", () => {
  for (const [name, before, sent, after] of cases)
    test(name, () => {
      const text = JSON.stringify(after);
      assert.equal(done(before, sent), text);
      assert.equal(done(text, sent), text, "a second time nothing changes");
    });

  test("what is taken, and what cannot be converted, says where", () => {
    const rename = [{ rename: "/a", to: "/b" }];
    assert.equal(done({ a: 1, b: null }, rename), '"/b" is taken; expected nothing where "/a" goes');
    const within = [{ rename: "/l/*/a", to: "/l/*/b" }];
    assert.equal(
      done({ l: [{ a: 1 }, { a: 1, b: 1 }] }, within),
      '"/l/1/b" is taken; expected nothing where "/l/1/a" goes',
    );
    const move = [{ move: "/a", to: "/b/c" }];
    for (const b of ["text", null, [], { c: 1 }])
      assert.equal(done({ a: 1, b }, move), '"/b/c" is taken; expected nothing where "/a" goes');
    assert.equal(
      done({ price: "dear" }, [{ convert: "/price", to: "number" }]),
      '"/price" was "dear"; expected a number, or a text that is exactly one',
    );
    assert.match(done({ seo: "x" }, [{ default: "/seo/title", value: 1 }]), /"\/seo\/title" cannot be there/);
  });

  test("an empty content is the service's unless the schema names it", () => {
    assert.equal(done({ content: "", a: 1 }, [{ rename: "/content", to: "/body" }], false), '{"a":1}');
    assert.equal(done({ content: "", a: 1 }, [{ rename: "/content", to: "/body" }]), '{"body":"","a":1}');
    assert.equal(done({ body: "x" }, [{ rename: "/body", to: "/content" }], false), '{"content":"x"}');
    assert.equal(done({ body: "x", content: "" }, [{ rename: "/content", to: "/body" }], false), '{"body":"x"}');
  });

  test("numbers keep how they are written", () => {
    assert.equal(
      done('{"a":9007199254740993,"b":1.0}', [{ rename: "/a", to: "/x" }]),
      '{"x":9007199254740993,"b":1.0}',
    );
    const toText = [
      { convert: "/a", to: "string" },
      { convert: "/b", to: "string" },
    ];
    assert.equal(done('{"a":9007199254740993,"b":1.0}', toText), '{"a":"9007199254740993","b":"1.0"}');
  });

  test("data may not become deeper than any may be", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 62; i++) deep = { a: deep };
    assert.match(done({ x: deep }, [{ move: "/x", to: "/y/z/w" }]), /deeper than 64/);
  });
});

test("values are converted where nothing is lost", () => {
  const fails = undefined;
  const table: [Target, [value: unknown, expected: unknown][]][] = [
    [
      "number",
      [
        ...([
          ["12.50", 12.5],
          ["12", 12],
          ["-0.1", -0.1],
          ["1e3", 1000],
          [3, 3],
          ["0", 0],
          [null, null],
        ] as [unknown, unknown][]),
        ...["abc", "", " 1", "1 ", "1e400", "9007199254740993", "007", "+1", "0x10", "1,5", "NaN", true, [1], {}].map(
          (value): [unknown, unknown] => [value, fails],
        ),
      ],
    ],
    [
      "integer",
      [
        ["12", 12],
        ["12.0", 12],
        [5, 5],
        ["12.5", fails],
        [12.5, fails],
        ["1e2", 100],
        [true, fails],
        [null, null],
      ],
    ],
    [
      "string",
      [
        [1, "1"],
        [1.5, "1.5"],
        [true, "true"],
        ["x", "x"],
        [null, null],
        [[], fails],
        [{}, fails],
      ],
    ],
    [
      "boolean",
      [
        ...([
          [true, true],
          ["true", true],
          ["false", false],
          [1, true],
          [0, false],
          [null, null],
        ] as [unknown, unknown][]),
        ...["True", "yes", "", "1", 2, 0.5, []].map((value): [unknown, unknown] => [value, fails]),
      ],
    ],
    [
      "list",
      [
        [1, [1]],
        ["a", ["a"]],
        [[1], [1]],
        [{ a: 1 }, [{ a: 1 }]],
        [null, null],
        [[], []],
      ],
    ],
  ];
  for (const [to, rows] of table)
    for (const [value, expected] of rows) {
      const found = converted(json(value), to);
      const shown = found === undefined ? undefined : formatJson(found);
      assert.equal(
        shown,
        expected === undefined ? undefined : JSON.stringify(expected),
        `${JSON.stringify(value)} to ${to}`,
      );
    }
});

test("a plan that is no plan is refused, with the place", () => {
  const refused = (sent: unknown): string => {
    try {
      parseSteps(sent === undefined ? undefined : json(sent));
    } catch (error) {
      if (error instanceof Problem) return `${error.code} ${error.argument}`;
      throw error;
    }
    return "accepted";
  };
  const one = (step: object) => refused([{ type: "t", ...step }]);
  assert.equal(refused(undefined), "argument_missing steps");
  for (const sent of [[], {}, "x", null, Array.from({ length: 101 }, () => ({ type: "t", drop: "/a" }))])
    assert.equal(refused(sent), "argument_invalid steps");
  assert.equal(refused([5]), "argument_invalid steps[0]");
  assert.equal(one({}), "argument_invalid steps[0]");
  assert.equal(one({ drop: "/a", rename: "/b", to: "/c" }), "argument_invalid steps[0]");
  assert.equal(refused([{ drop: "/a" }]), "argument_missing steps[0][type]");
  assert.equal(one({ type: "T!", drop: "/a" }), "argument_invalid steps[0][type]");
  assert.equal(one({ drop: "/a", too: 1 }), "argument_unknown steps[0][too]");
  assert.equal(one({ drop: 5 }), "argument_invalid steps[0][drop]");
  for (const drop of [
    "",
    "/",
    "a",
    "/a//b",
    "/a/",
    "/~2",
    "/__proto__",
    "/slug",
    "/fieldset",
    "/uuid/x",
    "/*",
    "/a/*",
    `/${"a/".repeat(33)}a`,
  ])
    assert.equal(one({ drop }), "argument_invalid steps[0][drop]", drop);
  assert.equal(one({ rename: "/a" }), "argument_missing steps[0][to]");
  for (const to of ["/b/c", "/a", "/a/b", "/slug", "b", "/a/*"])
    assert.equal(one({ rename: "/a", to }), "argument_invalid steps[0][to]", to);
  for (const to of ["/a", "/a/b", "/l/*/a"]) assert.equal(one({ move: "/a", to }), "argument_invalid steps[0][to]", to);
  assert.equal(one({ move: "/l/*/a", to: "/a" }), "argument_invalid steps[0][to]");
  assert.equal(one({ move: "/l/*/a", to: "/k/*/a" }), "argument_invalid steps[0][to]");
  assert.equal(one({ convert: "/a", to: "date" }), "argument_invalid steps[0][to]");
  assert.equal(one({ default: "/a" }), "argument_missing steps[0][value]");
  assert.equal(one({ default: "/a/*", value: 1 }), "argument_invalid steps[0][default]");
});

test("a plan that would not be the same a second time is refused", () => {
  const clashes = (...sent: object[]): boolean => {
    try {
      steps(...sent);
      return false;
    } catch {
      return true;
    }
  };
  const [ab, ba, bc] = [
    { rename: "/a", to: "/b" },
    { rename: "/b", to: "/a" },
    { rename: "/b", to: "/c" },
  ];
  assert.ok(clashes(ab, ba));
  assert.ok(!clashes(ab, bc));
  assert.ok(clashes({ drop: "/b" }, ab));
  assert.ok(clashes(ab, { default: "/a", value: 1 }));
  assert.ok(clashes({ default: "/a", value: 1 }, ab));
  assert.ok(clashes({ convert: "/a", to: "integer" }, { convert: "/a", to: "boolean" }));
  assert.ok(!clashes(ab, { convert: "/b", to: "list" }));
  assert.ok(clashes({ drop: "/a" }, { default: "/a/b", value: 1 }));
  const other = { ...ba, type: "u" };
  assert.ok(!clashes(ab, other));
});

test("steps come back from their text", () => {
  const sent = [
    { type: "t", rename: "/a~1b", to: "/c" },
    { type: "t", move: "/l/*/x", to: "/l/*/y/z" },
    { type: "u", convert: "/p", to: "number" },
    { type: "u", default: "/q", value: { a: [1, null] } },
    { type: "u", drop: "/r" },
  ];
  assert.equal(formatSteps(parseSteps(json(sent))), JSON.stringify(sent));
});
