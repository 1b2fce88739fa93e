import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, parseJson } from "../../admin/src/api/json.ts";
import { compare, compareFields, compareTexts, type Elements, type Piece } from "../../admin/src/model/difference.ts";
import { fc } from "../fast-check.ts";

/** "-old+new same" for the pieces of a text. */
const written = (pieces: readonly Piece[]): string =>
  pieces.map(({ kind, text }) => (kind === "same" ? text : `[${kind === "old" ? "-" : "+"}${text}]`)).join("");

const texts: [before: string, after: string, expected: string][] = [
  ["The sea is calm.", "The sea was calm.", "The sea [-is][+was] calm."],
  ["one two three four", "one six seven four", "one [-two three][+six seven] four"],
  ["a\nb\nc\n", "a\nc\n", "a\n[-b\n]c\n"],
  ["", "new", "[+new]"],
  ["gone", "", "[-gone]"],
  ["same", "same", "same"],
  ["私は海が好きです", "私は山が好きです", "私は[-海][+山]が好きです"],
];
for (const [before, after, expected] of texts) {
  test(`${JSON.stringify(before)} to ${JSON.stringify(after)} is ${JSON.stringify(expected)}`, () => {
    assert.equal(written(compareTexts(before, after)), expected);
  });
}

const without = (pieces: readonly Piece[], kind: Piece["kind"]): string =>
  pieces.map((piece) => (piece.kind === kind ? "" : piece.text)).join("");

test("the pieces of any two texts give both back", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", " ", "  ", "\n", "é", "👩‍🚀", ".", "long words"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = compareTexts(before, after);
      assert.equal(without(pieces, "new"), before);
      assert.equal(without(pieces, "old"), after);
    }),
  );
});

test("a text with too many edits is replaced as a whole", () => {
  const lines = (letter: string): string => Array.from({ length: 30_000 }, (_, i) => `${letter}${i}\n`).join("");
  const pieces = compareTexts(lines("a"), lines("b"));
  assert.deepEqual(
    pieces.map(({ kind }) => kind),
    ["old", "new"],
  );
});

const apply = (elements: readonly Elements[], without: "old" | "new"): Json[] =>
  elements.flatMap((part) => {
    if (part.kind === "changed") return ["changed"];
    return part.kind === without ? [] : part.values;
  });

test("the elements of any two lists give both back", () => {
  const list = fc.array(fc.constantFrom<Json>("a", "b", 1, null, true));
  fc.assert(
    fc.property(list, list, (before, after) => {
      const difference = compare(before, after);
      assert.ok(difference.type === "list");
      assert.deepEqual(apply(difference.elements, "new"), before);
      assert.deepEqual(apply(difference.elements, "old"), after);
    }),
  );
});

test("objects are compared by keys, in lists and in each other; numbers keep their digits", () => {
  const before = parseJson(
    '{"id":1,"price":1.10,"author":{"name":"Ann","born":1950},"parts":[{"n":1,"t":"a"},"x"],"old":1}',
  );
  const after = parseJson(
    '{"id":1,"price":1.1,"author":{"name":"Anna","born":1950},"parts":[{"n":1,"t":"b"},"x"],"new":2}',
  );
  const fields = compareFields(before as Record<string, Json>, after as Record<string, Json>);
  assert.deepEqual(
    fields.map(({ key, difference }) => [key, difference.type]),
    [
      ["price", "value"],
      ["author", "fields"],
      ["parts", "list"],
      ["new", "value"],
      ["old", "value"],
    ],
  );
  const [, author, parts] = fields.map(({ difference }) => difference);
  assert.ok(author?.type === "fields" && parts?.type === "list");
  assert.deepEqual(
    author.fields.map(({ key }) => key),
    ["name"],
  );
  assert.deepEqual(
    parts.elements.map(({ kind }) => kind),
    ["changed", "same"],
  );
});

test("another order of keys is a difference", () => {
  assert.equal(compare({ a: 1, b: 2 }, { b: 2, a: 1 }).type, "value");
});
