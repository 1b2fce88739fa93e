import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { type CompiledSchema, compileSchema } from "./schema.ts";

/**
 * The official suite of JSON Schema 2020-12, its required cases, as Debian's libtest-json-schema-acceptance-perl has it:
 * `apt-get install libtest-json-schema-acceptance-perl`, which `.ci/run` does. Contract, part two, §9; decision 55.
 */

const folder = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12";

type Group = { description: string; schema: unknown; tests: { description: string; data: unknown; valid: boolean }[] };

/** Groups whose schema is refused as a whole, by what a schema of a store may not have. */
const refusedGroups: readonly (readonly [why: RegExp, groups: readonly string[]])[] = [
  // Nothing is fetched, so a schema refers to itself and to other types.
  [
    /refers to nothing in the schema/,
    [
      "dynamicRef: strict-tree schema, guards against misspelled properties",
      "dynamicRef: tests for implementation dynamic anchor and reference link",
      "dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first",
      "dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first",
      "refRemote: remote ref",
      "refRemote: fragment within remote ref",
      "refRemote: anchor within remote ref",
      "refRemote: ref within remote ref",
      "refRemote: base URI change",
      "refRemote: base URI change - change folder",
      "refRemote: base URI change - change folder in subschema",
      "refRemote: root ref in remote ref",
      "refRemote: remote ref with ref to defs",
      "refRemote: Location-independent identifier in remote ref",
      "refRemote: retrieved nested refs resolve relative to their URI not $id",
      "refRemote: remote HTTP ref with different $id",
      "refRemote: remote HTTP ref with different URN $id",
      "refRemote: remote HTTP ref with nested absolute ref",
    ],
  ],
  [
    /the dialect is/,
    [
      "vocabulary: schema that uses custom metaschema with with no validation vocabulary",
      "vocabulary: ignore unrecognized optional vocabulary",
    ],
  ],
  // No data of an entry has them. Contract §4.
  [/U\+0000/, ["const: nul characters in strings", "enum: nul characters in strings"]],
  [/__proto__/, ["properties: properties whose names are Javascript object property names"]],
];

const compile = (schema: unknown): Promise<CompiledSchema> =>
  compileSchema("t", { schemaOf: (id) => (id === "t" ? JSON.stringify(schema) : undefined) });

const isMissing = !existsSync(folder) && "libtest-json-schema-acceptance-perl is not installed";

test("each required case of the official suite passes whose schema is accepted", { skip: isMissing }, async () => {
  const whys = new Map(refusedGroups.flatMap(([why, groups]) => groups.map((group) => [group, why] as const)));
  const failed: string[] = [];
  let checked = 0;
  for (const file of globSync(`${folder}/*.json`)) {
    for (const { description, schema, tests } of JSON.parse(readFileSync(file, "utf8")) as Group[]) {
      const group = `${basename(file, ".json")}: ${description}`;
      const why = whys.get(group);
      if (why) {
        await assert.rejects(compile(schema), why, group);
        continue;
      }
      const { check } = await compile(schema);
      checked += tests.length;
      const wrong = tests.filter(({ data, valid }) => (check(data, false).length === 0) !== valid);
      failed.push(...wrong.map((one) => `${group}: ${one.description}`));
    }
  }
  assert.deepEqual(failed, []);
  assert.ok(checked > 1000, `${checked}`);
});
