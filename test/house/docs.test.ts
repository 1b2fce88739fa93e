import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { configurationsOf } from "../../admin/src/model/clients.ts";
import { settingsPage } from "../../scripts/docs.ts";
import { statusOf } from "../../src/core/http/problem.ts";
import { type Code, catalogueCodes, rowOf } from "../../src/core/problem.ts";
import "../../src/features.ts";

const root = new URL("../../", import.meta.url).pathname;
const read = (file: string): string => readFileSync(root + file, "utf8");
const pages = globSync(
  ["*.md", "docs/**/*.md", "test/acceptance/*.md", "bench/**/*.md", "client/*.md", "examples/**/*.md"],
  { cwd: root },
);

test("every problem has a paragraph with its status, and every paragraph a problem", () => {
  const paragraphs = [...read("docs/problems.md").matchAll(/^### (\w+)\n\nStatus (\d+)\. (.+)$/gm)];
  assert.deepEqual(paragraphs.map(([, code]) => code).sort(), catalogueCodes().sort());
  for (const [, code, status] of paragraphs) {
    assert.equal(Number(status), statusOf[rowOf(code as Code).kind], code);
  }
});

test("every problem of the catalogue is thrown somewhere", () => {
  const sources = globSync("src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] })
    .map(read)
    .join("\n");
  for (const code of catalogueCodes()) assert.ok(sources.includes(`problem("${code}"`), code);
});

test("docs/settings.md is what npm run docs generates", () => {
  assert.equal(read("docs/settings.md").trim(), settingsPage().trim());
});

test("docs/agents.md has the configurations that the admin page shows", () => {
  const page = read("docs/agents.md");
  const said = { url: "https://cms.example.org", token: "TOKEN", accessToken: "ACCESS" };
  for (const { client, text } of configurationsOf(said)) assert.ok(page.includes(`\n${text}\n`), client);
});

test("every script that a page names exists", () => {
  const { scripts } = JSON.parse(read("package.json"));
  for (const page of pages) {
    for (const [, name] of read(page).matchAll(/npm run (?:-s )?([\w:]+)/g)) {
      assert.ok(name && name in scripts, `${page} names npm run ${name}`);
    }
  }
});

test("every link of a page resolves", () => {
  for (const page of pages) {
    // A link in code is an example.
    const text = read(page).replace(/`[^`\n]+`/g, "");
    for (const [, target = ""] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (/^https?:/.test(target)) continue;
      assert.ok(existsSync(join(root, dirname(page), target)), `${page} links to ${target}`);
    }
  }
});

test("the project speaks of itself alone", () => {
  const texts = globSync(
    [
      "*",
      "src/**/*",
      "test/**/*",
      "docs/**/*",
      "scripts/*",
      "bench/*.ts",
      ".ci/*",
      "client/*",
      "client/src/*",
      "examples/**/*",
    ],
    {
      cwd: root,
      exclude: (name) => name === "node_modules" || name === "data",
    },
  );
  // Split in two, so that this file does not match itself.
  const forbidden = [
    ["/wo", "rk/"],
    ["registry.np", "mjs"],
    ["local", "host:4873"],
    ["artifact", "ory"],
  ].map((halves) => halves.join(""));
  for (const file of texts) {
    if (!/\.(ts|md|json|sh|sql)$|run$/.test(file)) continue;
    for (const word of forbidden) assert.ok(!read(file).includes(word), `${file} holds ${word}`);
  }
});
