import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanHtml } from "./clean.ts";
import { markdownToHtml } from "./parser.ts";

/** Ids of headings, as GitHub makes them. Contract §10, Rendering. */

const idsOf = (markdown: string): (string | undefined)[] =>
  [...cleanHtml(markdownToHtml(markdown)).matchAll(/<h[1-6](?: id="([^"]*)")?/g)].map(([, id]) => id);

const cases: [name: string, markdown: string, ids: (string | undefined)[]][] = [
  ["words", "# Hello World\n\n## Second *part* of `code()`", ["hello-world", "second-part-of-code"]],
  ["signs are left out, blanks beside them stay", "# A & B -- c_d, e!", ["a--b----c_d-e"]],
  ["letters of all scripts", "# Über Größe\n\n# 日本 語\n\n# Ёлка 7", ["über-größe", "日本-語", "ёлка-7"]],
  ["each once", "# a\n\n# a\n\n# a-1\n\n# a", ["a", "a-1", "a-1-1", "a-2"]],
  ["none without words", "# !\n\n# 😀\n\n#", [undefined, undefined, undefined]],
  ["HTML, whose own ids are left out", '<h2 id="x" title="t">A <b>b</b></h2>', ["a-b"]],
  ["names of JavaScript", "# constructor\n\n# __proto__", ["constructor", "proto"]],
  ["entities", "# a &lt; b &amp; c", ["a--b--c"]],
  ["no numbers of footnotes", "# a[^1]\n\n[^1]: b", ["a"]],
];
for (const [name, markdown, ids] of cases) {
  test(name, () => assert.deepEqual(idsOf(markdown), ids));
}
