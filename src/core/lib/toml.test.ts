import assert from "node:assert/strict";
import { test } from "node:test";
import { formatJson } from "./json.ts";
import { parseToml, TomlError } from "./toml.ts";

const read = (text: string): string => formatJson(parseToml(text).value);

const documents: [toml: string, json: string][] = [
  ["", "{}"],
  ["n = 1.50\nbig = 9007199254740993\ne = 5e+22\nneg = -0.0", '{"n":1.50,"big":9007199254740993,"e":5e+22,"neg":-0.0}'],
  ["n = 1_000\nplus = +7\nhex = 0xff\noct = 0o17\nbin = 0b1_1", '{"n":1000,"plus":7,"hex":255,"oct":15,"bin":3}'],
  ["a = inf\nb = -nan\nc = true", '{"a":"inf","b":"-nan","c":true}'],
  ["d = 2024-05-01", '{"d":"2024-05-01"}'],
  ["d = 2024-05-01T10:00:00.50+02:00 # c", '{"d":"2024-05-01T10:00:00.50+02:00"}'],
  ["d = 2024-05-01 10:00:00Z\nt = 07:32:00", '{"d":"2024-05-01 10:00:00Z","t":"07:32:00"}'],
  ["9 = 2\n2.5 = 3\n'1' = 4\n[2024-05-01]\na = 1", '{"9":2,"2":{"5":3},"1":4,"2024-05-01":{"a":1}}'],
  ['a = [1.0, [2, "3"], {b = 4.0, 5 = 6}, # 7\n 8,\n]\nc = 9.0', '{"a":[1.0,[2,"3"],{"b":4.0,"5":6},8],"c":9.0}'],
  [`s = "1.0 # no \\" = 2"\nl = '2.0\\'\nq = ""`, '{"s":"1.0 # no \\" = 2","l":"2.0\\\\","q":""}'],
  ['m = """\n1.0 = "2.0"\n""""\nn = 1.0', '{"m":"1.0 = \\"2.0\\"\\n\\"","n":1.0}'],
  ["m = '''\n1.0\n'''\nn = 1.0", '{"m":"1.0\\n","n":1.0}'],
  ["[[a]]\nb = 1.0\n[[a]]\nb = 2.0\n[c.d]\ne = 1", '{"a":[{"b":1.0},{"b":2.0}],"c":{"d":{"e":1}}}'],
  ['"a = 1.0" = 1\r\nb = 2\r\n', '{"a = 1.0":1,"b":2}'],
];

test("TOML becomes JSON with the digits of its numbers and the text of its dates", () => {
  for (const [toml, json] of documents) {
    assert.equal(read(toml), json, toml);
  }
});

test("comments are noticed outside texts", () => {
  for (const [toml, has] of [
    ["a = '#'", false],
    ['a = """\n#"""', false],
    ["# c\na = 1", true],
    ["a = [1, # c\n]", true],
  ] as const)
    assert.equal(parseToml(toml).hasComments, has, toml);
});

test("what is no TOML is refused with its line, in words of our own", () => {
  for (const [toml, message] of [
    ["a = 1\nb = ", /^line 2 cannot be read$/],
    ["a = 01", /^line 1 /],
    ["a = soon", /^line 1 /],
    ['a = "open', /^line 1 /],
    ["a = 1\na = 2", /^line 2 /],
    ["5 = 1\n'5' = 2", /^line 2 /],
    ["a = '\0'", /^line 1 /],
    ['a = "\\u0000"', /U\+0000/],
    ["__proto__ = 1", /__proto__/],
    [`a = ${"[".repeat(100_000)}`, /./],
    [`${"a.".repeat(100_000)}a = 1`, /deeper than 100/],
  ] as const) {
    assert.throws(
      () => parseToml(toml),
      (error: Error) => error instanceof TomlError && message.test(error.message),
      toml.slice(0, 50),
    );
  }
});
