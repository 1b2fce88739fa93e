import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import { orLong } from "../../test/long.ts";
import { formatJson, isSameJson, type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import { Problem } from "../core/problem.ts";
import { type Change, migratedPatch } from "./copy.ts";
import { doneSteps, Undoable } from "./data.ts";
import { migratedSchema } from "./schema.ts";
import { parseSteps, type Step } from "./step.ts";

/** Any plan that is accepted: the same again changes nothing, and a working copy shows what it showed, changed alike. */

const name = fc.constantFrom("a", "b", "c");
const scalar = fc.constantFrom<unknown>("1", "x", 1, 0, true, null, "true");
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const data = fc.dictionary(name, value, { maxKeys: 3 });
const pointer = fc
  .array(fc.oneof({ weight: 3, arbitrary: name }, fc.constant("*")), { minLength: 1, maxLength: 3 })
  .map((parts) => `/${parts.join("/")}`);
const step = fc.oneof(
  fc.record({ rename: pointer, to: pointer }),
  fc.record({ move: pointer, to: pointer }),
  fc.record({ convert: pointer, to: fc.constantFrom("number", "integer", "string", "boolean", "list") }),
  fc.record({ default: pointer, value: scalar }),
  fc.record({ drop: pointer }),
);
const plan = fc.array(step, { minLength: 1, maxLength: 3 });

const json = (plain: unknown): Json => parseJson(JSON.stringify(plain));

/** Undefined for what is no plan. */
function stepsOf(sent: readonly object[]): Step[] | undefined {
  try {
    return parseSteps(json(sent.map((one) => ({ type: "t", ...one }))));
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Undefined where the plan cannot be done. */
function changeOf(before: JsonObject, steps: readonly Step[]): Change | undefined {
  try {
    return { before, after: doneSteps(before, steps, true).data };
  } catch (error) {
    if (error instanceof Undoable) return undefined;
    throw error;
  }
}

const objectOf = (plain: unknown): JsonObject => new Map(json(plain) as JsonObject).set("content", "");
const laidOver = (live: JsonObject, data: JsonObject, removed: readonly string[]): JsonObject => {
  const over = new Map(live);
  for (const key of removed) over.delete(key);
  for (const [key, each] of data) over.set(key, each);
  return over;
};
const assertSame = (one: JsonObject, other: JsonObject) =>
  assert.ok(isSameJson(one, other), `${formatJson(one)} is not ${formatJson(other)}`);

test("a plan that was done changes nothing, in data and in schemas", () => {
  const subschema = fc.constantFrom({}, { type: "string" }, { type: "array", items: { properties: { a: {}, b: {} } } });
  const schema = fc.record({
    properties: fc.dictionary(name, subschema, { maxKeys: 3 }),
    required: fc.uniqueArray(name, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(data, schema, plan, (plain, described, sent) => {
      const steps = stepsOf(sent);
      const done = steps && changeOf(objectOf(plain), steps);
      if (!steps || !done) return;
      const again = changeOf(done.after, steps);
      assert.ok(again, "it can be done again");
      assertSame(again.after, done.after);
      const text = migratedSchema(JSON.stringify(described), steps, false);
      assert.equal(migratedSchema(text, steps, false), text);
    }),
    { numRuns: orLong(1000, 50_000) },
  );
});

test("a working copy shows afterwards what it showed before, changed as that would be", () => {
  fc.assert(
    fc.property(data, data, fc.uniqueArray(name, { maxLength: 2 }), plan, (plain, changed, gone, sent) => {
      const steps = stepsOf(sent);
      const patch = { data: json(changed) as JsonObject, removed: gone.filter((key) => !Object.hasOwn(changed, key)) };
      const live = steps && changeOf(objectOf(plain), steps);
      const laid = steps && changeOf(laidOver(objectOf(plain), patch.data, patch.removed), steps);
      if (!live || !laid) return;
      const next = migratedPatch(patch, live, laid, steps) ?? patch;
      assertSame(laidOver(live.after, next.data, next.removed), laid.after);
      assert.ok(next.removed.every((key) => !next.data.has(key)));
    }),
    { numRuns: orLong(1000, 50_000) },
  );
});
