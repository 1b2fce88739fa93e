import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/schema";
import { compileSchema } from "../../src/type/schema.ts";
import { orLong } from "../long.ts";
import { type Random, random, seed } from "../random.ts";

/** Random schemas with variants, and values that nearly fit. Contract, part two, §9; decision 62. */

type Schema = Record<string, unknown>;
type Maker = { pick: Random; defs: Record<string, Schema>; isTagged: boolean };
const names = ["a", "b", "c"];
const chance = (pick: Random, percent: number): boolean => pick(100) < percent;
const some = <T>(pick: Random, from: readonly T[]): T => from[pick(from.length)] as T;

const scalars: Schema[] = [
  { type: "string", minLength: 2 },
  { type: "string" },
  { type: "integer", minimum: 3 },
  { enum: ["x", 4] },
  { const: "only" },
  { type: ["boolean", "null"] },
];

function schemaOf(on: Maker, depth: number): Schema {
  const { pick } = on;
  if (depth <= 0 || chance(pick, 30)) return some(pick, scalars);
  if (chance(pick, 25))
    return { type: "array", items: schemaOf(on, depth - 1), ...(chance(pick, 30) && { minItems: 2 }) };
  if (chance(pick, 50)) return variants(on, depth);
  return objectOf(on, depth, {});
}

function objectOf(on: Maker, depth: number, properties: Schema): Schema {
  const { pick } = on;
  for (const name of names) if (chance(pick, 60)) properties[name] = schemaOf(on, depth - 1);
  const required = Object.keys(properties).filter((name) => (name === "kind" ? on.isTagged : chance(pick, 40)));
  const closed = some(pick, [{}, {}, { additionalProperties: false }, { unevaluatedProperties: false }]);
  return { type: "object", properties, required, ...closed };
}

/** A subschema as it is, or behind references. */
function wrapped(on: Maker, schema: Schema): Schema {
  const { pick, defs } = on;
  if (chance(pick, 50)) return schema;
  const name = `d${Object.keys(defs).length}`;
  defs[name] = schema;
  return chance(pick, 50) ? { $ref: `#/$defs/${name}` } : { allOf: [{ $ref: `#/$defs/${name}` }] };
}

function variants(on: Maker, depth: number): Schema {
  const { pick, isTagged } = on;
  const hasTags = isTagged || chance(pick, 60);
  const oneOf = Array.from({ length: 2 + pick(3) }, (_, i) => {
    if (!hasTags && chance(pick, 60)) return wrapped(on, schemaOf(on, depth - 1));
    const constant = wrapped(
      on,
      chance(pick, 70) || isTagged ? { const: `k${i}` } : { enum: [`k${i}`, `l${pick(2)}`] },
    );
    return wrapped(on, objectOf(on, depth - 1, { kind: constant }));
  });
  // The other validator refuses lists, too, by unevaluatedProperties.
  return { oneOf, ...(!isTagged && hasTags && chance(pick, 30) && { unevaluatedProperties: false }) };
}

const resolve = (schema: Schema, defs: Maker["defs"]): Schema => {
  if (typeof schema.$ref === "string") return resolve(defs[schema.$ref.slice("#/$defs/".length)] as Schema, defs);
  return Array.isArray(schema.allOf) ? resolve(schema.allOf[0], defs) : schema;
};

/** A value that fits the schema, or nearly: `wrong` in a hundred places do not. */
function sampleOf(on: Maker, sent: Schema, wrong: number): unknown {
  const { pick, defs } = on;
  const schema = resolve(sent, defs);
  if (chance(pick, wrong)) return some(pick, ["x", "only", 4, 1, null, true, [], {}, { kind: "k0" }]);
  if (Array.isArray(schema.oneOf)) return sampleOf(on, some(pick, schema.oneOf as Schema[]), wrong);
  if (schema.type === "array")
    return Array.from({ length: pick(4) }, () => sampleOf(on, schema.items as Schema, wrong));
  if (schema.type === "object") {
    const required = new Set(schema.required as string[]);
    const members = Object.entries(schema.properties as Record<string, Schema>)
      .filter(([name]) => chance(pick, required.has(name) ? 100 - wrong : 60))
      .map(([name, member]) => [name, sampleOf(on, member, wrong)]);
    if (chance(pick, wrong)) members.push(["z", 1]);
    return Object.fromEntries(members);
  }
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return some(pick, schema.enum);
  if (Array.isArray(schema.type)) return some(pick, [true, null]);
  return schema.type === "integer" ? 3 + pick(2) : "xy".repeat(1 + pick(2));
}

/** The value with some of its members and last items taken away. */
function pruned(pick: Random, value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, pick(value.length + 1)).map((each) => pruned(pick, each));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(() => chance(pick, 70));
  return Object.fromEntries(kept.map(([name, member]) => [name, pruned(pick, member)]));
}

const mayStillCome = ["required", "minLength", "minItems"];

const rounds = orLong(80, 1500);

/** The first schema of each claim: nearly every value of it is of use, and so the claim says something. */
const simplest: Schema = {
  oneOf: [{ type: "object", properties: { kind: { const: "k0" }, a: { type: "string" } }, required: ["kind", "a"] }],
  $defs: {},
};

/** Runs a claim on values of random schemas; it returns how many of them were of use. */
async function forAll(
  isTagged: boolean,
  claim: (check: (value: unknown, isLenient: boolean) => string[], schema: Schema, on: Maker) => number,
): Promise<void> {
  for (let round = -1; round < rounds; round++) {
    const on: Maker = { pick: random(seed + round), defs: {}, isTagged };
    const schema: Schema = round < 0 ? simplest : { ...variants(on, 3), $defs: on.defs };
    const text = JSON.stringify(schema);
    // How long a check may take is tested elsewhere: a busy machine must not decide about a claim.
    const { check } = await compileSchema("t", { schemaOf: () => text }, 60_000);
    const faultsOf = (value: unknown, isLenient: boolean) =>
      check(value, isLenient).map(({ pointer, rule }) => `${pointer} ${rule}`);
    try {
      const held = claim(faultsOf, schema, on);
      if (round < 0) assert.ok(held > 0, "no value was of use");
    } catch (error) {
      throw new Error(`seed ${seed + round}, schema ${text}`, { cause: error });
    }
  }
}

const repeat = (times: number, work: () => boolean): number => {
  let held = 0;
  for (let i = 0; i < times; i++) held += Number(work());
  return held;
};

test("a value is valid where another validator says so; then a draft of it is, too", () =>
  forAll(false, (faultsOf, schema, on) =>
    repeat(12, () => {
      const value = sampleOf(on, schema, 6);
      const isValid = Check(schema as never, value as never);
      assert.deepEqual([faultsOf(value, false).length === 0, value], [isValid, value]);
      if (isValid) assert.deepEqual([faultsOf(value, true), value], [[], value]);
      return isValid;
    }),
  ));

test("what is left of a valid value is a valid draft", () =>
  forAll(false, (faultsOf, schema, on) =>
    repeat(20, () => {
      const value = sampleOf(on, schema, 0);
      if (faultsOf(value, false).length > 0) return false;
      const rest = pruned(on.pick, value);
      assert.deepEqual([faultsOf(rest, true), rest, value], [[], rest, value]);
      return true;
    }),
  ));

test("no fault of a draft is that something is missing", () =>
  forAll(false, (faultsOf, schema, on) =>
    repeat(12, () => {
      const value = sampleOf(on, schema, 10);
      const faults = faultsOf(value, true);
      const missing = faults.filter((fault) => mayStillCome.includes(fault.split(" ").at(-1) as string));
      assert.deepEqual([missing, value], [[], value]);
      return faults.length > 0;
    }),
  ));

/** The pointers of what a value holds that is no list, no object and no `kind`. */
function leaves(value: unknown, at = ""): string[] {
  if (typeof value !== "object" || value === null) return at.endsWith("/kind") ? [] : [at];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, `${at}/${name}`));
}

function replaced(value: unknown, pointer: string, by: unknown): unknown {
  const names = pointer.split("/").slice(1);
  const copy = structuredClone(value);
  const holder = names.slice(0, -1).reduce((at, name) => (at as Schema)[name], copy) as Schema;
  holder[names.at(-1) as string] = by;
  return copy;
}

test("where each variant has its constant, faults name the field that is wrong, never oneOf", () =>
  forAll(true, (faultsOf, schema, on) =>
    repeat(10, () => {
      const value = sampleOf(on, schema, 0);
      const [leaf] = leaves(value).sort(() => on.pick(3) - 1);
      if (leaf === undefined || faultsOf(value, false).length > 0) return false;
      const bad = replaced(value, leaf, [[{}]]);
      const rest = replaced(pruned(on.pick, value), "/z", 1);
      for (const isLenient of [true, false]) {
        const faults = faultsOf(bad, isLenient);
        assert.ok(faults.length > 0 && faults.every((fault) => fault.startsWith(`${leaf} `)), `${leaf}: ${faults}`);
        assert.ok(!faultsOf(rest, isLenient).some((fault) => fault.endsWith(" oneOf")));
      }
      return true;
    }),
  ));
