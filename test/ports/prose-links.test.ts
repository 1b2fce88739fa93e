import assert from "node:assert/strict";
import { test } from "node:test";
import { linksOf } from "../../src/render/prose/links.ts";
import { fc } from "../fast-check.ts";

/** The text with `A` in place of each link's address. */
function replaced(text: string): string {
  let out = "";
  let at = 0;
  for (const { start, end, write } of [...linksOf(text)].sort((a, b) => a.start - b.start)) {
    out += text.slice(at, start) + write("A");
    at = end;
  }
  return out + text.slice(at);
}

const targets = (text: string): string[] => linksOf(text).map(({ target }) => target);

const rows: [name: string, text: string, expected: string][] = [
  ["a link and a picture", '[a](x.png) ![b](<y z.png> "t") [c]( z.png )', '[a](A) ![b](<A> "t") [c]( A )'],
  ["a picture in a link", "[![a](x.png)](y.png)", "[![a](A)](A)"],
  ["brackets in a text", "[a [b] \\] c](x.png) a](x.png) \\[a](x.png)", "[a [b] \\] c](A) a](x.png) \\[a](x.png)"],
  ["brackets in an address", "![a](x(1).png) ![b](x(.png)", "![a](A) ![b](x(.png)"],
  ["no link: a space in the address", "![a](x y.png)", "![a](x y.png)"],
  ["code of any length", "`![a](x)` ``a ` ![a](x)`` ` ![b](x)", "`![a](x)` ``a ` ![a](x)`` ` ![b](A)"],
  [
    "code over lines ends with its paragraph",
    "a ` b\n![a](x)` ![b](x)\n\n![c](x) `",
    "a ` b\n![a](x)` ![b](A)\n\n![c](A) `",
  ],
  [
    "fences",
    "```\n![a](x)\n```\n~~~~md\n![a](x)\n~~~\n~~~~\n![b](x)",
    "```\n![a](x)\n```\n~~~~md\n![a](x)\n~~~\n~~~~\n![b](A)",
  ],
  ["an open fence", "![b](x)\n```\n![a](x)", "![b](A)\n```\n![a](x)"],
  [
    "indented code, also in a list",
    "- a\n\n  ![b](x)\n\n      ![a](x)\n\n    ![c](x)",
    "- a\n\n  ![b](A)\n\n      ![a](x)\n\n    ![c](A)",
  ],
  ["a quote", "> ![b](x) `![a\n> ](x)`\n>\n>     ![a](x)", "> ![b](A) `![a\n> ](x)`\n>\n>     ![a](x)"],
  [
    "headings and tables",
    "# ![b](x)\n\n| a | b |\n|---|---|\n| ![b](x) | `![a](x)` |",
    "# ![b](A)\n\n| a | b |\n|---|---|\n| ![b](A) | `![a](x)` |",
  ],
  [
    "definitions",
    "[a]: x.png 'T'\n[b]: <x y.png>\n[c]:\n  x.png\n\n> [d]: x.png",
    "[a]: A 'T'\n[b]: <A>\n[c]:\n  A\n\n> [d]: A",
  ],
  ["a footnote", "a[^1]\n\n[^1]: ![b](x.png)", "a[^1]\n\n[^1]: ![b](A)"],
  [
    "no definition in a paragraph, nor in code",
    "text\n[a]: x.png\n\n    [b]: x.png",
    "text\n[a]: x.png\n\n    [b]: x.png",
  ],
  [
    "HTML",
    `<p><img alt="a" src="x.png"> <IMG SRC='x.png'/> <img src=x.png></p>`,
    `<p><img alt="a" src="A"> <IMG SRC='A'/> <img src=A></p>`,
  ],
  ["HTML inside a line", 'a <img src="x.png"> <a href="x">b</a>', 'a <img src="A"> <a href="A">b</a>'],
  ["no Markdown in a block of HTML", '<div>\n![a](x)\n<img src="x">\n</div>', '<div>\n![a](x)\n<img src="A">\n</div>'],
  [
    "code and comments of HTML",
    '<pre>\n<img src="x">\n</pre>\n\na <code><img src="x"></code> <!-- ![a](x) --> ![b](x)',
    '<pre>\n<img src="x">\n</pre>\n\na <code><img src="x"></code> <!-- ![a](x) --> ![b](A)',
  ],
  ["sets of sources", '<img srcset="x.png 1x, y.png 2x" src={x}>', '<img srcset="A 1x, A 2x" src={x}>'],
  [
    "double brackets",
    "![[x.png]] ![[x.png|a]] ![[x.png|10x20]] [[x.pdf]] ![[x.pdf|b]] `![[x.png]]`",
    '![x.png](A) ![a](A) <img src="A" alt="x.png" width="10" height="20"> [x.pdf](A) [b](A) `![[x.png]]`',
  ],
  ["lines that end with CR LF", "a\r\n\r\n![b](x)\r\n\r\n    ![a](x)\r\n", "a\r\n\r\n![b](A)\r\n\r\n    ![a](x)\r\n"],
  ["addresses in angle brackets are no files", "<https://x.y/![a](x)> <a@b.c>", "<https://x.y/![a](x)> <a@b.c>"],
];

for (const [name, text, expected] of rows) test(`links: ${name}`, () => assert.equal(replaced(text), expected));

test("what a link means is read as Markdown and HTML read it", () => {
  assert.deepEqual(targets("![a](a\\_b.png) ![b](a&amp;b.png) ![c](<a\\>b.png>) ![d](a%20b.png)"), [
    "a_b.png",
    "a&b.png",
    "a>b.png",
    "a%20b.png",
  ]);
  assert.deepEqual(targets('<img src="a b&#x26;c.png">'), ["a b&c.png"]);
});

test("links of any text are in order inside it, and hostile texts end", () => {
  const part = fc.constantFrom(
    "![a](x)",
    "`",
    "``",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "!--",
    "-->",
    "<code>",
    "[[",
    "]]",
    "\n",
    "\n\n",
    "    ",
    "> ",
    "- ",
    "\\",
    "\r\n",
    "|",
    "```",
    "\0",
    "<img src='x'>",
    "[a]: x",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      let end = 0;
      for (const link of [...linksOf(text)].sort((a, b) => a.start - b.start)) {
        assert.ok(link.start >= end && link.end >= link.start && link.end <= text.length, JSON.stringify(text));
        end = link.end;
      }
    }),
  );
  for (const part of ["<!--", "<code>", "[a](", "![[", '`<a b="', '](a "', "<a ", "<x:", "[", "((", "`".repeat(50)])
    linksOf(part.repeat(20_000));
});
