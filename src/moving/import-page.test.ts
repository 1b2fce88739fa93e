import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../../test/harness.ts";
import { parseFrontMatter } from "./front-matter.ts";
import { publicationOf, Site } from "./import-page.ts";
import { diskProject } from "./project-store.ts";

const site = new Site(diskProject(temporaryFolder()));
const now = Date.UTC(2026, 0, 1) / 1000;

function read(front: string, path = "a.md", stated = {}) {
  const notes: string[] = [];
  const { data, unclosed } = parseFrontMatter(front, "page");
  return {
    ...publicationOf({ data, path, stated, site, isUnclosed: unclosed !== undefined }, now, notes),
    notes: notes.length,
  };
}

const ahead = Date.UTC(2030, 1, 3, 4, 5, 6) / 1000;

test("a time ahead of the clock is read in the forms that generators accept", () => {
  for (const [written, seconds] of [
    ["2030-02-03T04:05:06Z", ahead],
    ["2030-02-03 04:05:06 UTC", ahead],
    ["2030-02-03 05:05:06 +0100", ahead],
    ["2030-02-03 05:05:06.25 +01:00", ahead],
    ["2030-2-3T3:05:06-1", ahead],
    ["Sun, 03 Feb 2030 04:05:06 GMT", ahead],
    ["3 February 2030", ahead - 4 * 3600 - 306],
    ["2030/02/03", ahead - 4 * 3600 - 306],
    ["2026-01-01", undefined],
    ["in 2030", undefined],
    ["", undefined],
  ] as const) {
    for (const key of ["date", "pubDate", "publishdate"]) {
      if (key !== "date" && written === "in 2030") continue;
      const { publishedAt, notes } = read(`---\n${key}: "${written}"\n---\n`);
      assert.deepEqual([publishedAt, notes], [seconds, seconds === undefined ? 0 : 1], `${key}: ${written}`);
    }
  }
});

test("what a page says of its publication, in every spelling", () => {
  for (const [front, expected] of [
    ['{"draft": "true"}', { visibility: "draft", notes: 1 }],
    ["---\nDRAFT: on\n---\n", { visibility: "draft", notes: 1 }],
    ["---\npublished: no\n---\n", { visibility: "draft", notes: 1 }],
    ["---\npublished: 2030-02-03T04:05:06Z\n---\n", { publishedAt: ahead, notes: 1 }],
    ["---\ndraft: true\ndate: 2030-02-03T04:05:06Z\n---\n", { visibility: "draft", publishedAt: ahead, notes: 2 }],
    ["---\nunpublishdate: 2025-12-31\n---\n", { visibility: "draft", notes: 1 }],
    ["---\nexpiryDate:\npublishDate: null\ndraft: ''\n---\n", { notes: 0 }],
    ["---\nexpiryDate: [1]\n---\n", { visibility: "draft", notes: 1 }],
    ["---\ndraft: [true]\ndate: {a: 1}\n---\n", { notes: 0 }],
    ["---\ntitle: One\ndraft: true\n\nText", { visibility: "draft", notes: 1 }],
    ["+++\ntitle = 1\nText", { visibility: "draft", notes: 1 }],
    ['{"draft": true,\nText', { visibility: "draft", notes: 1 }],
    ["---\nA text under a rule", { notes: 0 }],
    ["+++\npublishDate = 2030-02-03T04:05:06Z\n+++\n", { publishedAt: ahead, notes: 1 }],
  ] as const) {
    assert.deepEqual(read(front), expected, front);
  }
  assert.deepEqual(read("", "x/_posts/y/2030-02-03-a.md"), { publishedAt: ahead - 4 * 3600 - 306, notes: 1 });
  assert.deepEqual(read("", "x/2030-02-03-a.md"), { notes: 0 }, "only posts of Jekyll");
  assert.deepEqual(read("---\ndate: 2020-01-01\n---\n", "_posts/2030-02-03-a.md"), { notes: 0 });
  assert.deepEqual(
    read("---\ndate: 2030-01-01\n---\n", "a.md", { publishedAt: 5 }),
    { notes: 0 },
    "our own name is first",
  );
});
