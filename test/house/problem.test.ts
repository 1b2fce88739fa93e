import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { coreProblems } from "../../src/core/problems.ts";
import { features } from "../../src/features.ts";

/** The catalogue of problems: each row in the folder of its feature, and loaded where it is thrown. */

const root = new URL("../../", import.meta.url).pathname;
const textOf = (file: string): string => readFileSync(root + file, "utf8");

const ownerOf = new Map(
  features.flatMap(({ name, problems = {} }) => Object.keys(problems).map((code) => [code, name] as const)),
);

test("a code has one row", () => {
  const codes = [...Object.keys(coreProblems), ...features.flatMap(({ problems = {} }) => Object.keys(problems))];
  assert.deepEqual(codes, [...new Set(codes)]);
});

/** The features whose rows are loaded with this file of problems. */
const loadedBy = (feature: string): string[] => [
  feature,
  ...[...textOf(`src/${feature}/problems.ts`).matchAll(/^import "\.\.\/(\w+)\/problems\.ts";$/gm)].map(
    ([, name = ""]) => name,
  ),
];

test("who throws a code has its row: the file imports the problems of the feature", () => {
  let count = 0;
  for (const file of globSync("src/**/*.ts", { cwd: root })) {
    const text = textOf(file);
    const owners = [...text.matchAll(/\bproblem\(\s*"(\w+)"/g)].map(([, code = ""]) => ownerOf.get(code));
    const wanted = [...new Set(owners.filter((owner) => owner !== undefined))];
    const [, path] = /^import \{ problem \} from "((?:\.{1,2}\/)+(?:\w+\/)?problems\.ts)";$/m.exec(text) ?? [];
    const from = path && join(file, "..", path).split("/")[1];
    const loaded = from === undefined ? [] : loadedBy(from);
    for (const owner of wanted) assert.ok(loaded.includes(owner), `${file} throws what is in src/${owner}/problems.ts`);
    count += wanted.length;
  }
  assert.ok(count > 60);
});

test("a code that is compared with is in the catalogue", () => {
  const known = new Set([...Object.keys(coreProblems), ...ownerOf.keys()]);
  for (const file of globSync("src/**/*.ts", { cwd: root })) {
    for (const [, code = ""] of textOf(file).matchAll(/\bisProblem\(\w+, "(\w+)"\)/g))
      assert.ok(known.has(code), `${file}: ${code}`);
  }
});
