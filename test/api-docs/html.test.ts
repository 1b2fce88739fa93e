import assert from "node:assert/strict";
import { test } from "node:test";
import { Html, html } from "../../api-docs/html.ts";

test("template values are escaped in text and attributes, unless they are HTML", () => {
  const hostile = `"><script>&`;
  assert.equal(
    html`<a title="${hostile}">${hostile}</a>`.text,
    '<a title="&#34;&#62;&#60;script&#62;&#38;">&#34;&#62;&#60;script&#62;&#38;</a>',
  );
  assert.equal(html`<p>${html`<b>${"a<b"}</b>`}${new Html("<hr>")}</p>`.text, "<p><b>a&#60;b</b><hr></p>");
});

test("lists are joined, undefined is empty, numbers are texts, template escapes are kept", () => {
  assert.equal(
    html`<ul>${["a", "b"].map((item) => html`<li>${item}</li>`)}</ul>${undefined}${0}`.text,
    "<ul><li>a</li>\n<li>b</li></ul>0",
  );
  assert.equal(html`a\n${"\\n"}`.text, "a\n\\n");
});
