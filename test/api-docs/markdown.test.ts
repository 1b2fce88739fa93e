import assert from "node:assert/strict";
import { test } from "node:test";
import { toHtml } from "../../api-docs/markdown.ts";

const html = (markdown: string) => toHtml(markdown, (target) => (target.endsWith(".md") ? undefined : target));

test("blocks: headings with anchors, lists, tables, code, no comments", () => {
  assert.equal(html("## What is in it\n\nText."), '<h2 id="what-is-in-it">What is in it</h2>\n<p>Text.</p>');
  assert.equal(html("### entry_exists"), '<h3 id="entry_exists">entry_exists</h3>');
  assert.equal(html("- One\n- Two"), "<ul>\n<li>One</li>\n<li>Two</li>\n</ul>");
  assert.equal(html("1. One\n2. Two"), "<ol>\n<li>One</li>\n<li>Two</li>\n</ol>");
  const inList = '<ol>\n<li><p>One</p>\n<pre tabindex="0"><code>a</code></pre>\n</li>\n<li><p>Two</p>\n</li>\n</ol>';
  assert.equal(html("1. One\n\n   ```\n   a\n   ```\n\n2. Two"), inList);
  assert.equal(html("```sh\na\n\nb < c\n```"), '<pre tabindex="0"><code>a\n\nb &#60; c</code></pre>');
  const table = (head: string) =>
    `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody><tr><td>1</td></tr></tbody></table></div>`;
  assert.equal(html("| A |\n| - |\n| 1 |"), table("<th>A</th>"));
  assert.equal(html("|  |\n| - |\n| 1 |"), table("<td></td>"));
  assert.equal(html("<!-- made -->\n\nText."), "<p>Text.</p>");
});

test("inline: code is literal, broken links become text, markup is shown", () => {
  assert.equal(html("**Bold** `**code**`"), "<p><strong>Bold</strong> <code>**code**</code></p>");
  assert.equal(html("[`a`](/b) ![c](/d.png)"), '<p><a href="/b"><code>a</code></a> <img src="/d.png" alt="c"></p>');
  const pictures = '<picture>\n  <source srcset="/dark.png">\n  <img src="/a.png" alt="A page">\n</picture>';
  assert.equal(html(pictures), '<p><img src="/a.png" alt="A page"></p>');
  assert.equal(html("[here](other.md)"), "<p>here</p>");
  assert.equal(html("At http://127.0.0.1:8080 `a|b`"), "<p>At http://127.0.0.1:8080 <code>a|b</code></p>");
  assert.equal(html('<script> "&"'), "&#60;script&#62; &#34;&#38;&#34;");
});
