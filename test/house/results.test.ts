import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Cell, listTables } from "../../bench/list-table.ts";
import { listsChart, readmePage, resultsPage } from "../../scripts/results.ts";
import { type Code, catalogueCodes } from "../../src/core/problem.ts";
import "../../src/features.ts";
import { settingRows } from "../../src/settings.ts";

/**
 * Compares bench/results/README.md and README.md with the quoted results, and docs/operations.md with the code.
 * test/cli/operations.test.ts runs the commands of the last.
 */

const root = new URL("../../", import.meta.url).pathname;
const page = readFileSync(join(root, "docs/operations.md"), "utf8");

const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("the tables of bench/results/README.md and their goals are generated from the results", () => {
  assert.equal(read("bench/results/README.md"), resultsPage());
  assert.match(resultsPage(), /\*\*missed\*\*/, "a goal that is missed is said");
});

test("the figures in README.md are generated from bench/results", () => {
  assert.equal(read("README.md"), readmePage());
});

test("the front page has no goals and no table of measurements, and guides have none either", () => {
  for (const file of ["README.md", "docs/operations.md"]) {
    assert.doesNotMatch(read(file), /missed/, file);
    assert.doesNotMatch(read(file), /^\|.*(?:\d ms|× one|µs).*\|$/m, file);
  }
});

// A front page of other services has 330 to 820 words; who operates, or writes a client, looks things up.
const maxWords: Readonly<Record<string, number>> = {
  ...{ "README.md": 800, "docs/operations.md": 6000, "docs/contract.md": 24_000 },
};
/** Words with the bars of tables, without comments, which nobody sees. */
const wordsOf = (text: string): number =>
  text
    .replace(/<!--.*?-->/gs, "")
    .split(/\s+/)
    .filter(Boolean).length;

test("pages that are read whole stay short", () => {
  for (const [file, most] of Object.entries(maxWords)) {
    const words = wordsOf(read(file));
    assert.ok(words <= most, `${file} has ${words} words, at most ${most}`);
  }
});

test("a list that misses its goal, or is behind another service, says so in words", () => {
  const cell = (more: Partial<Cell>): Cell => ({
    ...{ list: "contains, 1 match", size: 10_000, matches: 1, store: "SQLite" },
    ...{ ms: 0.4, perSecond: 2000, refused: 0, ...more },
  });
  const tables = listTables([
    cell({}),
    cell({ store: "PostgreSQL", perSecond: 800 }),
    cell({ store: "Directus", perSecond: 400 }),
    cell({ store: "Payload, SQLite", perSecond: 1000 }),
    cell({ size: 1_000_000, ms: 0.6 }),
    cell({ size: 1_000_000, store: "PostgreSQL", ms: 2003, perSecond: 0, refused: 1 }),
    cell({ size: 1_000_000, store: "Directus", perSecond: 100 }),
  ]);
  const rows = [...tables.matchAll(/^\| contains.* \|$/gm)].map(([row]) => row.split(" | ").slice(2).join(" | "));
  assert.deepEqual(rows, [
    "SQLite | 0.40 | 2,000 | 2.00 × Payload, SQLite |  |  |  |",
    "PostgreSQL | 0.40 | 800 | behind: 0.80 × Payload, SQLite |  |  |  |",
    "Directus | 0.40 | 400 |  |  |  |  |",
    "Payload, SQLite | 0.40 | 1,000 |  |  |  |  |",
    "SQLite | 0.60 | 2,000 | 20.0 × Directus | 1.50 | ≤ 2 × at 10,000 | met |",
    "PostgreSQL | refused after 2,003 |  | behind: 0.00 × Directus |  | ≤ 2 × at 10,000 | missed: refused |",
    "Directus | 0.40 | 100 |  | 1.00 |  |  |",
  ]);
  assert.match(tables, /^Octavo is ahead of the best rival in 2 of 4 rows\.$/m);
  assert.match(tables, /^\* PostgreSQL at 10,000 is behind in: contains, 1 match\.$/m);
  assert.match(tables, /^1 of 2 goals are met\.$/m);
  assert.match(tables, /^\* PostgreSQL at 1,000,000 misses: contains, 1 match\.$/m);
});

test("the chart of lists is drawn from bench/results", () => {
  assert.equal(readFileSync(join(root, "docs/charts/lists.svg"), "utf8"), listsChart());
});

test("the settings and problems it speaks of exist", () => {
  for (const [, name = ""] of page.matchAll(/settings\.md#(\w+)/g)) assert.ok(Object.hasOwn(settingRows, name), name);
  const [, table = ""] = /## Troubleshooting\n\n(?:<!--.*-->\n\n)?([\s\S]+?)\n\n/.exec(page) ?? [];
  const seen = [...table.matchAll(/^\|([^|]+)\|/gm)].map(([, cell = ""]) => cell).join();
  const codes = [...seen.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, code = ""]) => code);
  assert.ok(codes.length > 8);
  for (const code of codes) assert.ok(catalogueCodes().includes(code as Code), code);
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
