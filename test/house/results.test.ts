import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listsChart, operationsPage, readmePage } from "../../scripts/results.ts";
import { catalogue } from "../../src/domain/problem.ts";
import { settingRows } from "../../src/settings.ts";

/**
 * docs/operations.md and README.md against the code and the results they quote. The commands of the first are run by
 * test/cli/operations.test.ts.
 */

const root = new URL("../../", import.meta.url).pathname;
const page = readFileSync(join(root, "docs/operations.md"), "utf8");

test("the costs in docs/operations.md are generated from bench/results", () => {
  assert.equal(page, operationsPage());
});

test("the comparison in README.md is generated from bench/results", () => {
  assert.equal(readFileSync(join(root, "README.md"), "utf8"), readmePage());
});

test("the chart of lists is drawn from bench/results", () => {
  assert.equal(readFileSync(join(root, "docs/charts/lists.svg"), "utf8"), listsChart());
});

test("the settings and problems it speaks of exist", () => {
  for (const [, name = ""] of page.matchAll(/settings\.md#(\w+)/g)) assert.ok(Object.hasOwn(settingRows, name), name);
  const [, table = ""] = /## When something is wrong\n\n([\s\S]+?)\n\n/.exec(page) ?? [];
  const seen = [...table.matchAll(/^\|([^|]+)\|/gm)].map(([, cell = ""]) => cell).join();
  const codes = [...seen.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, code = ""]) => code);
  assert.ok(codes.length > 8);
  for (const code of codes) assert.ok(Object.hasOwn(catalogue, code), code);
});

test("the tests and sections it speaks of exist", () => {
  for (const [, file = ""] of page.matchAll(/`(test\/[\w/.-]+)`/g)) assert.ok(existsSync(join(root, file)), file);
  const sections = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  for (const [, section = ""] of page.matchAll(/\]\(#([\w-]+)\)/g)) assert.ok(sections.includes(section), section);
});
