import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Cell, listTables } from "../../bench/list-table.ts";
import { listsChart, operationsPage, readmePage } from "../../scripts/results.ts";
import { catalogue } from "../../src/domain/problem.ts";
import { settingRows } from "../../src/settings.ts";

/**
 * Compares docs/operations.md and README.md with the code and the quoted results. test/cli/operations.test.ts runs the
 * commands of the former.
 */

const root = new URL("../../", import.meta.url).pathname;
const page = readFileSync(join(root, "docs/operations.md"), "utf8");

test("the costs in docs/operations.md are generated from bench/results", () => {
  assert.equal(page, operationsPage());
});

test("the comparison in README.md is generated from bench/results", () => {
  assert.equal(readFileSync(join(root, "README.md"), "utf8"), readmePage());
});

test("a list that misses its goal says so in words", () => {
  const cell = (more: Partial<Cell>): Cell => ({
    ...{ list: "contains, 1 match", size: 10_000, matches: 1, store: "SQLite" },
    ...{ ms: 0.4, perSecond: 2000, timesOne: 8, refused: 0, ...more },
  });
  const tables = listTables([
    cell({}),
    cell({ store: "PostgreSQL", timesOne: 20 }),
    cell({ store: "Directus", timesOne: 20 }),
    cell({ size: 1_000_000, ms: 0.6 }),
    cell({ size: 1_000_000, store: "PostgreSQL", ms: 2003, perSecond: 0, timesOne: Number.NaN, refused: 1 }),
  ]);
  const rows = [...tables.matchAll(/^\| contains.* \|$/gm)].map(([row]) => row.split(" | ").slice(2).join(" | "));
  assert.deepEqual(rows, [
    "SQLite | 0.40 | 2,000 | 8.00 |  | ≤ 12 × one | met |",
    "PostgreSQL | 0.40 | 2,000 | 20.0 |  | ≤ 12 × one | missed: 1.67 times the goal |",
    "Directus | 0.40 | 2,000 | 20.0 |  |  |  |",
    "SQLite | 0.60 | 2,000 | 8.00 | 1.50 | ≤ 2 × at 10,000 | met |",
    "PostgreSQL | refused after 2,003 |  |  |  | ≤ 2 × at 10,000 | missed: refused |",
  ]);
  assert.match(tables, /^2 of 4 goals are met\.$/m);
});

test("the chart of lists is drawn from bench/results", () => {
  assert.equal(readFileSync(join(root, "docs/charts/lists.svg"), "utf8"), listsChart());
});

test("the settings and problems it speaks of exist", () => {
  for (const [, name = ""] of page.matchAll(/settings\.md#(\w+)/g)) assert.ok(Object.hasOwn(settingRows, name), name);
  const [, table = ""] = /## Troubleshooting\n\n([\s\S]+?)\n\n/.exec(page) ?? [];
  const seen = [...table.matchAll(/^\|([^|]+)\|/gm)].map(([, cell = ""]) => cell).join();
  const codes = [...seen.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, code = ""]) => code);
  assert.ok(codes.length > 8);
  for (const code of codes) assert.ok(Object.hasOwn(catalogue, code), code);
});

test("the tests and sections that operations.md names exist", () => {
  for (const [, file = ""] of page.matchAll(/`(test\/[\w/.-]+)`/g)) assert.ok(existsSync(join(root, file)), file);
  const sections = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  for (const [, section = ""] of page.matchAll(/\]\(#([\w-]+)\)/g)) assert.ok(sections.includes(section), section);
});
