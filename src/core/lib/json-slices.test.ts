import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import { formatJson, type Json, JsonError, parseJson, toJson } from "./json.ts";
import { formatJsonLater, parseJsonLater } from "./json-slices.ts";

/** The turns of the event loop during the work. */
async function turnsDuring(work: () => unknown): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

const wide = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"key${i}":${i}.0`).join(",")}}`;
const shapes: [what: string, text: string][] = [
  ["60,000 keys", wide(60_000)],
  ["60,000 keys three objects down", `{"a":{"b":{"c":${wide(60_000)}}}}`],
  ["60,000 objects", `[${'{"a":[1]},'.repeat(60_000)}{}]`],
  ["300,000 numbers", `[${"1,".repeat(300_000)}1]`],
];
for (const [what, text] of shapes) {
  test(`${what} are parsed and formatted with many turns of the event loop in between`, async () => {
    let value: Json = null;
    assert.ok(
      (await turnsDuring(async () => {
        value = await parseJsonLater(text);
      })) >= 30,
    );
    assert.deepEqual(value, parseJson(text));
    let written = "";
    assert.ok(
      (await turnsDuring(async () => {
        written = await formatJsonLater(value);
      })) >= 30,
    );
    assert.equal(written, formatJson(value));
  });
}

test("small values are handled synchronously", () => {
  const value = parseJsonLater(wide(1000));
  assert.ok(!(value instanceof Promise));
  assert.equal(typeof formatJsonLater(value), "string");
});

test("a large text is refused for the same reason as a small one, wherever the fault is", async () => {
  const faults: [string, JsonError["rule"]][] = [
    [`${wide(10_000)}x`, "syntax"],
    [`[${wide(10_000)},${wide(10_000)}`, "syntax"],
    [`{"a":${wide(10_000)},"a":1}`, "duplicate_key"],
    [`[${wide(10_000)},1e999]`, "number_range"],
    [`[${wide(10_000)},{"constructor":1}]`, "forbidden_key"],
    [`[${wide(10_000)},${"[".repeat(70)}`, "too_deep"],
    [`[${wide(10_000)},"\\u0000"]`, "text"],
  ];
  for (const [text, rule] of faults) {
    await assert.rejects(
      async () => parseJsonLater(text),
      (error) => error instanceof JsonError && error.rule === rule,
      rule,
    );
  }
});

test("any value is formatted in slices as it is synchronously", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (plain) => {
      const text = JSON.stringify(plain);
      fc.pre(!/__proto__|constructor|prototype|\\u0000|\\ud[89a-f]/i.test(text));
      const value = toJson(plain);
      assert.equal(await formatJsonLater(value), formatJson(value));
    }),
  );
});
