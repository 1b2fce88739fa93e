import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import { orLong } from "../../../test/long.ts";
import { formatJson, type Json, type JsonObject, NumberText, parseJson } from "./json.ts";
import { parseYaml, YamlError } from "./yaml.ts";
import { formatYaml } from "./yaml-text.ts";

const read = (text: string): string => formatJson(parseYaml(text).value);

const values: [yaml: string, json: string][] = [
  ["a: 1.10\nb: 9007199254740993\nc: 1e5\nd: -0", '{"a":1.10,"b":9007199254740993,"c":1e5,"d":-0}'],
  ["date: 2020-05-01\ntime: 2020-05-01 10:30:00", '{"date":"2020-05-01","time":"2020-05-01 10:30:00"}'],
  [
    "zip: 01234\nhex: 0x1F\nplus: +49\nhalf: .5\nbig: 1e999\ninf: .inf",
    '{"zip":"01234","hex":"0x1F","plus":"+49","half":".5","big":"1e999","inf":".inf"}',
  ],
  ["a: true\nb: False\nc: yes\nd: ~\ne:\nf: null", '{"a":true,"b":false,"c":"yes","d":null,"e":null,"f":null}'],
  ["a: '1'\nb: \"2020-01-01\"\nc: 'it''s'", '{"a":"1","b":"2020-01-01","c":"it\'s"}'],
  ["tags:\n- a\n- 1\nother:\n  - b\nlast:", '{"tags":["a",1],"other":["b"],"last":null}'],
  ["a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n1: one", '{"a":{"b":1,"c":2},"d":{"c":3,"b":1},"1":"one"}'],
  [
    "a: text # comment\nb: |\n  one\n  two\nc: >\n  folded\n  text\n",
    '{"a":"text","b":"one\\ntwo\\n","c":"folded text\\n"}',
  ],
  ["a: !!str 5\nb: ! 6\nc: !!int 0x1F\nd: !!float 1.50\ne: !!str", '{"a":"5","b":"6","c":"0x1F","d":1.50,"e":""}'],
  ["&k a: 1\nb: *k", '{"a":1,"b":"a"}'],
  ["a: one\n  more", '{"a":"one more"}'],
  ['{"a": [1, {"b": null}]}', '{"a":[1,{"b":null}]}'],
  ["", "null"],
];

test("scalars keep their text; words, numbers and lists are read", () => {
  for (const [yaml, json] of values) assert.equal(read(yaml), json, yaml);
  const tagged = "a: !php/object 'O:8'\nb: !!php/object 'O:8'\nc: !!binary aGk=\nd: !!str x";
  assert.deepEqual(parseYaml(tagged).tags, ["!php/object", "!!php/object", "!!binary"]);
});

const bomb = `a0: &a0 [${"x,".repeat(9)}x]\n${Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}*a${i}]`).join("\n")}`;
test("comments are noticed where they are", () => {
  for (const [yaml, has] of [
    ["a: 1", false],
    ["a: '# no'\nb: x#y\nc: |\n  # text", false],
    ["# octavo: content is field 2\na: 'x'\nb: \"#\"", false],
    ["# one\na: 1", true],
    ["a: 1 # one", true],
    ["a: [1, # one\n 2]", true],
    ["a:\n  # one\n  - b: 1", true],
    ["a: 1\n# one", true],
  ] as const) {
    assert.equal(parseYaml(yaml).hasComments, has, yaml);
  }
});

const refused: [name: string, yaml: string, message: RegExp][] = [
  ["a bomb of aliases", bomb, /with its aliases/],
  ["a value that holds itself", "a: &a [*a]", /alias/],
  ["a deep text", "[".repeat(50_000), /deeper/],
  ["a deep valid text", `a: ${"[".repeat(200)}${"]".repeat(200)}`, /deeper/],
  ["a key twice", "a: 1\na: 2", /twice/],
  ["a key of JavaScript", "__proto__: 1", /not accepted/],
  ["a lone surrogate", 'a: "\\ud800"', /./],
  ["U+0000", 'a: "\\0"', /U\+0000/],
  ["a list as a key", "? [a]\n: 1", /key/],
  ["an open quote", 'a: "b', /^line 1: a quote, bracket, comma or colon is missing$/],
  ["two documents", "a: 1\n---\nb: 2", /^line 2: it has more than one document$/],
  ["a second colon", "b: 1\na: b: c", /^line 2: there is a second colon: put the text in quotes$/],
];

test("what is hostile or ambiguous is refused", () => {
  for (const [name, yaml, message] of refused) {
    assert.throws(
      () => parseYaml(yaml),
      (error) => error instanceof YamlError && message.test(error.message),
      name,
    );
  }
});

const text = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom(
        "a",
        "B",
        "1",
        "-",
        ":",
        " ",
        "#",
        "\n",
        "'",
        '"',
        "|",
        "\t",
        "é",
        "{",
        "~",
        ".",
        "\\",
        "\r",
        "😀",
        "\u2028",
        "\u0085",
      ),
    }),
    fc.constantFrom(
      "null",
      "yes",
      "0x1F",
      "2020-01-01",
      "---",
      "a: b",
      "x\ny",
      "x\n\ny\n",
      " x\ny",
      "<<",
      "x".repeat(2000),
      "é\n# no\n---\n",
    ),
  )
  .map((value) => value.toWellFormed().replaceAll("\0", ""));
const number = fc.oneof(
  fc.integer(),
  fc.constantFrom("1.0", "1e5", "-0", "9007199254740993", "0.10", "1E-7").map((one) => parseJson(one)),
);
const { value: json } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc
    .uniqueArray(fc.tuple(text, tie("value")), { maxLength: 5, selector: ([key]) => key })
    .map((pairs) => new Map(pairs.filter(([key]) => !/^(__proto__|constructor|prototype)$/.test(key)))),
}));

test("what is written is read back as the same value, key by key", () => {
  fc.assert(
    fc.property(json, (value) => {
      const object: JsonObject = new Map([["value", value]]);
      assert.equal(read(formatYaml(object)), formatJson(object));
    }),
    { numRuns: 400 },
  );
});

const simpleScalar = fc.oneof(
  fc.string({
    unit: fc.constantFrom(
      "a",
      "1",
      "-",
      ".",
      " ",
      "'",
      '"',
      "é",
      ",",
      "[",
      "]",
      "{",
      "&",
      "*",
      "!",
      "%",
      "@",
      "`",
      "~",
      "#",
      ":",
    ),
    maxLength: 6,
  }),
  fc.constantFrom("true", "01", "1.0", "1e3", "-3", "'a b'", '"c"', "~", "null", "2020-01-01", "{}", "[]", '"a"b'),
  fc
    .array(
      fc.constantFrom(
        "a",
        "\\n",
        '\\"',
        "\\",
        "\\u0041",
        "\\u0000",
        "\\ud83d\\ude00",
        "\\/",
        "\\x41",
        "é",
        " #",
        ": ",
        '"',
      ),
    )
    .map((parts) => `"${parts.join("")}"`),
);

test("the short way for simple documents reads what the library reads", () => {
  const row = fc.oneof(
    fc
      .tuple(
        fc.constantFrom("", "", "", "  ", "  ", "    ", "- ", "  - ", " "),
        fc.constantFrom("a", "b", "c-d", "_e"),
        simpleScalar,
      )
      .map(([indent, key, value]) => `${indent}${key}: ${value}`),
    fc.tuple(fc.constantFrom("", "  ", "    "), simpleScalar).map(([indent, value]) => `${indent}- ${value}`),
    fc.constantFrom(
      "a:",
      "b:",
      "tags:",
      "  a:",
      "  b:",
      "    c:",
      "- a:",
      "  - b:",
      "    - c:",
      "",
      "# x",
      "  more",
      "- - a",
      "-",
    ),
    fc.constantFrom("# octavo: content is field 2"),
  );
  const outcome = (yaml: string): string => {
    try {
      return read(yaml);
    } catch (error) {
      return `refused${error instanceof YamlError ? "" : error}`;
    }
  };
  // A comment leads to the library.
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 7 }), (rows) => {
      const yaml = rows.join("\n");
      assert.equal(outcome(yaml), outcome(`# start\n${yaml}`), yaml);
    }),
    { numRuns: orLong(2000, 20_000) },
  );
  fc.assert(
    fc.property(json, (value) => {
      const yaml = formatYaml(new Map([["value", value]]));
      assert.equal(outcome(yaml), outcome(`# start\n${yaml}`), yaml);
    }),
    { numRuns: 400 },
  );
});

test("a number is read as it was written", () =>
  assert.ok((parseYaml("a: 1.0").value as JsonObject).get("a") instanceof NumberText));
