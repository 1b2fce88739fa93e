import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

/** No test reads or writes ./data, or the settings of whoever runs the tests. */

const root = new URL("../../", import.meta.url).pathname;
const guard = "test/env.ts";

const files = globSync(["test/**/*.ts", "src/**/*.test.ts"], { cwd: root });

const importsOf = (file: string): string[] =>
  [...readFileSync(root + file, "utf8").matchAll(/(?:from|import|import\()\s*"(\.[^"]+\.ts)"/g)]
    .map(([, name = ""]) => join(dirname(file), name))
    .filter((path) => path.startsWith("test/") && existsSync(root + path));

function isGuarded(file: string, seen = new Set<string>()): boolean {
  if (file === guard) return true;
  seen.add(file);
  return importsOf(file).some((path) => !seen.has(path) && isGuarded(path, seen));
}

test("files that start programs or pass the environment on have none of its settings", () => {
  const starts = /\bprocess\.env\b(?!\.)|\b(spawn|spawnSync|execFile|execFileSync|fork)\(/;
  for (const file of files) {
    const isPart = file.startsWith("test/fixtures/") || file.startsWith("test/house/") || file === guard;
    if (isPart || !starts.test(readFileSync(root + file, "utf8"))) continue;
    assert.ok(isGuarded(file), `${file} does not import ${guard}`);
  }
});

test("a file that is guarded keeps only the variables of tests", () => {
  const env = { PATH: process.env.PATH, OCTAVO_DATA: "/mine", octavo_port: "1", OCTAVO_TEST_SEED: "7", OCTAVO_X: "" };
  const code = `await import(${JSON.stringify(root + guard)}); console.log(JSON.stringify(process.env))`;
  const words = ["--input-type=module", "-e", code];
  const left = JSON.parse(execFileSync(process.execPath, words, { env, encoding: "utf8" }));
  const names = Object.keys(left).filter((name) => /^octavo/i.test(name));
  assert.deepEqual(names.sort(), ["OCTAVO_CONFIG", "OCTAVO_TEST_SEED"]);
  assert.deepEqual(JSON.parse(readFileSync(left.OCTAVO_CONFIG, "utf8")), {});
});

test("every service in the process of a test has a folder of its own", () => {
  for (const file of files) {
    const source = readFileSync(root + file, "utf8");
    for (const [call, flags = ""] of source.matchAll(/\bbuild\(\s*readSettings\(\{\s*flags: (\{[^}]*\}|\w+)/g)) {
      const given = flags.startsWith("{") ? flags : (new RegExp(`\\b${flags} = \\{[^}]*\\}`).exec(source)?.[0] ?? "");
      assert.match(given, /\bdata\b/, `${file}: ${call} has no data`);
    }
  }
});
