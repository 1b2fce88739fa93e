import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** CHANGELOG.md can be read: each version in few lines, in the same groups, with a link to all of its changes. */

const root = new URL("../../", import.meta.url).pathname;
const mostLines = 40;
const groups = ["Breaking", "Added", "Changed", "Fixed"];

type Version = { title: string; lines: string[]; groups: string[] };

const versionsOf = (text: string): Version[] =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const lines = section.trimEnd().split("\n");
      const headings = lines.filter((line) => line.startsWith("### ")).map((line) => line.slice(4));
      return { title: lines[0] ?? "", lines, groups: headings };
    });

const versions = versionsOf(readFileSync(`${root}CHANGELOG.md`, "utf8"));

for (const { title, lines, groups: found } of versions) {
  const version = /\d+\.\d+\.\d+/.exec(title)?.[0];

  test(`${title} has at most ${mostLines} lines, in the groups of all versions`, () => {
    assert.ok(lines.length <= mostLines, `${lines.length} lines: the details belong into docs/changes/${version}.md`);
    assert.deepEqual(
      found,
      groups.filter((group) => found.includes(group)),
    );
  });

  test(`${title} links to all of its changes, in the same groups`, () => {
    const file = `docs/changes/${version}.md`;
    assert.ok(lines.join("\n").includes(`](${file})`), `CHANGELOG.md has no link to ${file}`);
    assert.ok(existsSync(root + file), `${file} is missing`);
    const headings = [...readFileSync(root + file, "utf8").matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
    assert.deepEqual(
      headings,
      groups.filter((group) => headings.includes(group)),
    );
  });
}
