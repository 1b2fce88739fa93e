import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { statusOf } from "../../src/core/http/problem.ts";
import { type Code, catalogueCodes, rowOf } from "../../src/core/problem.ts";
import "../../src/features.ts";
import { modifierRows } from "../../src/image/modifier.ts";
import { settingRows } from "../../src/settings.ts";

/** The refusals, settings and URLs of docs/contract.md exist in the code, or are marked as not built. */

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const contract = read("docs/contract.md");
const mark = "**Not built yet.**";

/** The lines of a page without a mark in the line or in a heading above it. */
function builtLines(page: string): string[] {
  let markedDepth = Number.POSITIVE_INFINITY;
  let depth = 0;
  return page.split("\n").filter((line) => {
    const heading = /^(#+) /.exec(line);
    if (heading) {
      depth = (heading[1] as string).length;
      if (depth <= markedDepth) markedDepth = Number.POSITIVE_INFINITY;
    }
    if (line === mark) markedDepth = Math.min(markedDepth, depth);
    return markedDepth === Number.POSITIVE_INFINITY && !line.includes(mark);
  });
}

/** The words in code marks after the first word, as in "settings `a` and `b`". */
const codesBehind = (line: string, first: RegExp): RegExpMatchArray[] => [
  ...line.matchAll(new RegExp(`${first.source} ((?:\`\\w+\`(?:, | and )?)+)`, "g")),
];
const namesIn = (list: string): string[] => [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);

test("the table of contents has every heading, in its order", () => {
  const [, contents = "", page = ""] = /^## Contents\n(.*?)^(## .*)/ms.exec(contract) ?? [];
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-");
  let end = 0;
  for (const [, marks = "", heading = ""] of page.matchAll(/^(#+) (.+)$/gm)) {
    const name = marks.length > 2 ? heading : `[${heading}](#${anchorOf(heading)})`;
    const start = contents.indexOf(name, end);
    assert.ok(start >= end, `${name} is not in the table of contents, or stands elsewhere`);
    end = start + name.length;
  }
  assert.equal(contents.slice(end).trim(), "");
});

test("unbuilt parts are marked in one way", () => {
  const mentions = contract.match(/\bnot (?:yet )?(?:built|implemented|done|there yet)|\bbuilt yet/gi)?.length;
  assert.equal(mentions, contract.split(mark).length - 1);
});

test("a refusal has the status of the catalogue, or is marked as not built", () => {
  const lines = [...builtLines(contract), ...read("docs/compatibility.md").split("\n")];
  for (const line of lines) {
    for (const [, status, codes = ""] of codesBehind(line, /\b([45]\d\d)/)) {
      for (const code of namesIn(codes)) {
        assert.ok(catalogueCodes().includes(code as Code), `${code} is not a problem: ${line}`);
        assert.equal(Number(status), statusOf[rowOf(code as Code).kind], line);
      }
    }
  }
});

test("a setting that is named exists, or is marked as not built", () => {
  for (const line of builtLines(contract)) {
    for (const [, names = ""] of codesBehind(line, /\bsettings?/)) {
      for (const name of namesIn(names)) assert.ok(name in settingRows, `${name} is not a setting: ${line}`);
    }
  }
});

test("every call of the API and every image argument is named", () => {
  // The media dialect has the same calls; the page lists its URLs once.
  const calls = Object.keys(JSON.parse(read("docs/examples.json"))).map((call) => call.replace(/^\w+ /, ""));
  const built = builtLines(contract).join("\n");
  for (const url of calls) {
    const path = url.replace("/api/media/", "/api/").replace(/\*$/, "<path>");
    assert.ok(built.includes(path), `${url} is not in the contract`);
  }
  const table = built.split("### Arguments\n")[1]?.split("\n### ")[0];
  for (const { name } of modifierRows) assert.ok(table?.includes(`\`${name}\``), `${name} is not in §7, Arguments`);
});
