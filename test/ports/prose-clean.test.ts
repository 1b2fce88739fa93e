import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cleanHtml } from "../../src/render/prose/clean.ts";
import { markdownToHtml } from "../../src/render/prose/parser.ts";
import { attacks } from "../fixtures/html-attacks.ts";

/** HTML keeps the elements and attributes of an allow list, and nothing that runs or loads. Decision 57. */

const cases: [name: string, html: string, clean: string][] = [
  ["an event handler", '<b onclick="x()" ONMOUSEOVER=x>a</b>', "<b>a</b>"],
  ["a script", "a<script>alert(1)</script>b", "ab"],
  ["a script in a script", "<scr<script>ipt>alert(1)</scr</script>ipt>", "ipt&gt;alert(1)ipt&gt;"],
  ["a style element and attribute", '<style>*{color:red}</style><p style="position:fixed">a</p>', "<p>a</p>"],
  [
    "a class",
    '<p class="btn">a</p><code class="x language-c++ y">b</code>',
    '<p>a</p><code class="language-c++">b</code>',
  ],
  [
    "an id and a name",
    '<a id=body name=forms href="#x">a</a><img name=cookie src=a>',
    '<a href="#x">a</a><img src="a">',
  ],
  ["a target and a rel", '<a href="/a" target=_top rel=opener>a</a>', '<a href="/a">a</a>'],
  ["a form", "<form action=//e><input name=p><button formaction=//e>b</button></form>", "b"],
  [
    "a checkbox that can be set",
    "<input type=checkbox><input type=checkbox disabled>",
    '<input type="checkbox" disabled="">',
  ],
  ["a frame", '<iframe srcdoc="<script>alert(1)</script>">a</iframe><object data=x>b</object><embed src=x>', ""],
  [
    "refresh and base",
    '<meta http-equiv=refresh content="0;url=//e"><base href=//e><link rel=stylesheet href=//e>a',
    "a",
  ],
  ["a comment and instructions", "<!-- a --><?php b ?><!DOCTYPE c><![CDATA[d]]>e", "e"],
  ["SVG and MathML", "<svg><a href=x>a</a><script>b</script></svg><math><mi>c</mi></math>d", "d"],
  ["a template", "<template><b>a</b></template>b", "b"],
  ["an unknown element", "<blink-x a=b>c</blink-x>", "c"],
  ["an unclosed tag and attribute", '<b>a<img src="b', "<b>a</b>"],
  ["sources", '<img src=x srcset="y 1x" loading=lazy onerror=z alt=\'a"b\'>', '<img src="x" alt="a&quot;b">'],
  ["sizes that are numbers", "<img src=a width=10 height=1e9>", '<img src="a" width="10">'],
  ["a line feed that pre begins with", "<pre>\n\na</pre>", "<pre>\n\na</pre>"],
  ["named and numeric references", "&lt;script&gt;&#60;b&#62;&amp;lt;", "&lt;script&gt;&lt;b&gt;&amp;lt;"],
  [
    "quotes in a value",
    "<a href='x\"y`z' title='&quot;><script>'>a</a>",
    '<a href="x&quot;y&#96;z" title="&quot;&gt;&lt;script&gt;">a</a>',
  ],
];

test("HTML is written anew with what is allowed", () => {
  for (const [name, html, clean] of cases) assert.equal(cleanHtml(html), clean, name);
});

const links: [href: string, isKept: boolean][] = [
  ...[
    "http://a",
    "HTTPS://a",
    "//a/b",
    "/a",
    "a/b",
    "?a=b:c",
    "#a:b",
    "mailto:a@b",
    "tel:+1",
    "a/b:c",
    "./a:b",
    "",
  ].map((href): [string, boolean] => [href, true]),
  ...[
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " \u0001javascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "java\r\nscript:alert(1)",
    "javascript\t:alert(1)",
    "&#106;avascript:alert(1)",
    "&#x6A&#x61&#x76&#x61&#x73;cript:alert(1)",
    "java&Tab;script&colon;alert(1)",
    "java&NewLine;script:alert(1)",
    "\u00A0javascript:alert(1)",
    "\u200Bjavascript:alert(1)",
    "vbscript:msgbox(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml,<svg onload=alert(1)>",
    "blob:x",
    "file:///etc/passwd",
    "view-source:x",
    "intent:x",
    "feed:javascript:alert(1)",
  ].map((href): [string, boolean] => [href, false]),
];

test("addresses of links are relative, of the web, of mail or of telephones", () => {
  for (const [href, isKept] of links) {
    const clean = cleanHtml(`<a href="${href.replaceAll('"', "&quot;")}">x</a>`);
    assert.equal(/ href=/.test(clean), isKept, href);
  }
  for (const src of ["mailto:a", "tel:1", "data:image/png;base64,AAAA", "cid:a"])
    assert.equal(cleanHtml(`<img src="${src}">`), "<img>", src);
});

describe("collections of attacks", () => {
  const tags = /<\/?([a-z0-9]+)((?: [a-z-]+="[^"<>`]*")*)>/g;
  for (const [how, of] of [
    ["in HTML", (text: string) => text],
    ["in Markdown", markdownToHtml],
  ] as const)
    test(`${how}: what is left has only tags of its own form, and cleaning it again changes nothing`, () => {
      for (const attack of attacks) {
        const clean = cleanHtml(of(attack));
        assert.ok(!/[<>]/.test(clean.replaceAll(tags, "")), clean);
        for (const [, name = "", attributes = ""] of clean.matchAll(tags)) {
          assert.ok(!/^(script|style|svg|math|iframe|object|form|template|noscript|base|meta|link)$/.test(name), clean);
          assert.ok(
            !/ (on\w+|style|srcdoc|srcset|id|name|action|formaction|target)=/.test(
              attributes.replace(/ id="user-content-fn(ref)?[0-9a-f-]*"/g, "").replace(/"[^"]*"/g, '""'),
            ),
            clean,
          );
          for (const [, url = ""] of attributes.matchAll(/(?:href|src)="([^"]*)"/g)) {
            const plain = url.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&#96;", "`");
            const { protocol } = new URL(plain.replaceAll("&quot;", '"').replaceAll("&amp;", "&"), "https://a.invalid");
            assert.ok(["http:", "https:", "mailto:", "tel:"].includes(protocol), clean);
          }
        }
        assert.equal(cleanHtml(clean), clean, attack);
      }
    });
});
