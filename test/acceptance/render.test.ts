/** `render=html`: HTML for the Markdown of entries. Contract, part two, §10. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused, tagOf } from "./world.ts";

const world = await enter("render");
const { management, delivery } = world.tokens;
const typeId = `${world.prefix.replace(/[^a-z0-9_-]/g, "-")}-post`;

const get = (name: string, more: Arguments = {}, token = delivery, path = "/api/entries", headers = {}) =>
  world.send({ path, query: { id: world.id(name), token, ...more }, headers });
const html = async (name: string, more: Arguments = {}): Promise<Any> =>
  dataOf(await get(name, { render: "html", ...more }));
const putType = async (schema: object) => {
  const type = { id: typeId, paths: [world.id("post/**")], schema };
  const reply = await world.send({ method: "PUT", path: "/api/types", json: { ...world.pair, ...type } });
  assert.equal(reply.status, 200, reply.text);
};

const markdown = { type: "string", contentMediaType: "text/markdown" };
const post = {
  $defs: { note: markdown },
  properties: {
    intro: markdown,
    legal: { type: "string", contentMediaType: "text/html" },
    parts: { type: "array", items: { properties: { text: { $ref: "#/$defs/note" } } } },
    notes: { type: "array", items: { $ref: "#/$defs/note" } },
  },
};

describe("without a type", () => {
  test("the content becomes HTML, all else stays as it was sent", async () => {
    const sent = {
      title: "*a*",
      content: "# Hi *you*",
      big: 12345678901234567890n.toString(),
      list: ["**b**"],
      number: 1.5,
    };
    const raw = await world.create("free", sent);
    assert.deepEqual(await html("free"), { ...raw, content: '<h1 id="hi-you">Hi <em>you</em></h1>\n' });
    assert.deepEqual(dataOf(await get("free", { render: "raw" })), raw);
    assert.deepEqual(dataOf(await get("free", { options: { render: "html" } })), await html("free"));
    const texts = [await get("free"), await get("free", { render: "html" })].map(({ text }) => text);
    assert.equal(texts[1], texts[0]?.replace('"# Hi *you*"', JSON.stringify('<h1 id="hi-you">Hi <em>you</em></h1>\n')));
  });

  test("numbers, keys and their order stay as they are stored", async () => {
    const data = '{"z":1.50,"a":12345678901234567890,"content":"a","10":[1e300,-0.0]}';
    const body = `{"token":"${management}","access_token":"${world.pair.access_token}","id":"${world.id("exact")}","data":${data}}`;
    const made = await world.send({ method: "POST", path: "/api/entries", json: body });
    assert.equal(made.status, 200, made.text);
    const { text } = await get("exact", { render: "html" });
    assert.equal(text, (await get("exact")).text.replace('"content":"a"', '"content":"<p>a</p>\\n"'));
  });

  test("what runs or loads is left out, and content that is no text stays", async () => {
    await world.create("unsafe", { content: "<b onclick=x>a</b> [c](javascript:d)\n\n<script>x</script>" });
    assert.match(
      (await html("unsafe")).content,
      /^<p><b>a<\/b> \[c\]\(javascript:d\)<\/p>\n&lt;script&gt;x&lt;\/script&gt;$/,
    );
    for (const [name, content] of Object.entries({ none: "", number: 1, list: ["*a*"], object: { content: "*a*" } })) {
      await world.create(name, { content });
      assert.deepEqual((await html(name)).content, content);
    }
  });

  test("a tag without an end takes nothing away, and struck text, addresses and footnotes are as on GitHub", async () => {
    const texts: [markdown: string, html: string][] = [
      ["Use the <title> tag.\n\n*b*", "<p>Use the &lt;title&gt; tag.</p>\n<p><em>b</em></p>\n"],
      ["<template> <svg> a *b*", "<p>&lt;template&gt; &lt;svg&gt; a <em>b</em></p>\n"],
      ["~a~ '@self.children'", "<p><del>a</del> '@self.children'</p>\n"],
      ["www.a.example/b?c&hl;", '<p><a href="http://www.a.example/b?c">www.a.example/b?c</a>&amp;hl;</p>\n'],
    ];
    for (const [i, [content]] of texts.entries()) await world.create(`gfm/${i}`, { content });
    const found = await html("gfm", { filter: { order_by: { field: "id" } } });
    assert.deepEqual(
      found.map(({ content }: Any) => content),
      texts.map(([, expected]) => expected),
    );
  });

  test("the footnotes of several texts can stand on one page", async () => {
    await world.plant({ "notes/a": { content: "a[^x]\n\n[^x]: *b*" }, "notes/b": { content: "c[^x]\n\n[^x]: d" } });
    const page = (await html("notes", { filter: "" })).map(({ content }: Any) => content).join("");
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    const links = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, 4);
    assert.deepEqual(links.toSorted(), ids.toSorted());
    assert.match(page, /<section class="footnotes" data-footnotes="">\n<ol>\n<li id="[^"]*">\n<p><em>b<\/em> <a href/);
  });

  test("only and except apply to HTML", async () => {
    await world.create("parts", { title: "t", content: "*a*" });
    assert.deepEqual(await html("parts", { options: { filter: { only: ["content"] } } }), {
      content: "<p><em>a</em></p>\n",
    });
    const less = await html("parts", { options: { filter: { except: ["content"] } } });
    assert.deepEqual([less.title, "content" in less], ["t", false]);
  });
});

describe("with a type", () => {
  test("the texts that it marks become HTML, nested, in lists and through references", async () => {
    await putType(post);
    const data = {
      intro: "*a*",
      legal: "<i onclick=x>b</i> *c*",
      parts: [{ text: "`d`", other: "`d`" }, { rest: "*" }],
      notes: ["~~e~~", "f"],
      other: "*g*",
    };
    const raw = await world.create("post/a", data);
    const expected = {
      ...raw,
      intro: "<p><em>a</em></p>\n",
      legal: "<i>b</i> *c*",
      parts: [{ text: "<p><code>d</code></p>\n", other: "`d`" }, { rest: "*" }],
      notes: ["<p><del>e</del></p>\n", "<p>f</p>\n"],
    };
    assert.deepEqual(await html("post/a"), expected);
    const [listed] = await html("post", { filter: { path: "a" } });
    assert.deepEqual(listed, expected);
    assert.deepEqual(await html("post", { filter: { return: "first", only: ["intro"] } }), { intro: expected.intro });
  });

  test("content is Markdown until the type speaks of it, and a change of the type changes the ETag", async () => {
    await putType(post);
    await world.create("post/b", { content: "*a*" });
    const read = () => get("post/b", { render: "html" });
    const only = { where: { key: "slug", expr: "eq", value: world.id("post/b") } };
    const list = () => get("post", { render: "html", filter: only });
    const before = [await read(), await list()];
    assert.equal((dataOf(before[0] as Any) as Any).content, "<p><em>a</em></p>\n");
    await putType({ ...post, properties: { ...post.properties, content: { type: "string" } } });
    const after = [await read(), await list()];
    assert.equal((dataOf(after[0] as Any) as Any).content, "*a*");
    assert.equal((dataOf(after[1] as Any) as Any)[0].content, "*a*");
    for (const i of [0, 1]) assert.notEqual(tagOf(after[i] as Any), tagOf(before[i] as Any));
    await putType({ ...post, properties: { ...post.properties, content: { contentMediaType: "text/html" } } });
    assert.equal((dataOf(await read()) as Any).content, "*a*");
  });
});

describe("collections", () => {
  const tree = {
    "list/a": { content: "*a*", kind: "x" },
    "list/b": { content: "# b", kind: "y" },
    "list/c": { content: "c", kind: "x" },
  };
  const a = "<p><em>a</em></p>\n";

  test("conditions and orders see the source, in every form of the answer", async () => {
    await world.plant(tree);
    const contents = async (filter: Arguments) => (await html("list", { filter })).map(({ content }: Any) => content);
    assert.deepEqual(await contents({ order_by: { field: "content" } }), ['<h1 id="b">b</h1>\n', a, "<p>c</p>\n"]);
    assert.deepEqual(await contents({ where: { key: "content", expr: "eq", value: "*a*" } }), [a]);
    assert.deepEqual(await contents({ where: { key: "content", expr: "contains", value: "<p>" } }), []);
    const grouped = await html("list", { filter: { group_by: "kind", only: ["content"] } });
    assert.deepEqual(grouped, {
      x: [{ content: a }, { content: "<p>c</p>\n" }],
      y: [{ content: '<h1 id="b">b</h1>\n' }],
    });
    assert.deepEqual((await html("list", { filter: { return: "last" } })).content, "<p>c</p>\n");
    assert.equal(await html("list", { filter: { return: "count" } }), 3);
    assert.equal(await html("list", { filter: { return: "exists" } }), true);
    assert.equal(await html("list", { filter: { return: "first", path: "zz" } }), null);
    assert.deepEqual(await html("list", { filter: { path: "zz" } }), []);
    assert.equal((await html("list", { filter: { return: "random", random_value: 2 } })).length, 2);
  });

  test("pages go on with their cursors", async () => {
    await world.plant({ "page/a": { content: "*a*" }, "page/b": { content: "*b*" } });
    const first = await get("page", { render: "html", filter: { limit: 1 } });
    const next = /<([^>]+)>/.exec(String(first.headers.link))?.[1] ?? "";
    assert.match(next, /render=html/);
    const second = await world.send({ path: next, headers: { Authorization: `Bearer ${delivery}` } });
    assert.equal((dataOf(second) as Any)[0].content, "<p><em>b</em></p>\n");
  });
});

test("what a read includes has HTML, too", async () => {
  await world.create("author", { content: "*b*" });
  await world.create("with/one", { content: "*a*", author: world.id("author") });
  const ask: Arguments = { render: "html", include: "author" };
  const b = "<p><em>b</em></p>\n";
  for (const [name, more] of [
    ["with/one", {}],
    ["with", { filter: "" }],
    ["with/one", { options: { filter: { only: ["content"] } } }],
  ] as [string, Arguments][]) {
    const reply = await get(name, { ...ask, ...more });
    const { data, included } = JSON.parse(reply.text) as Any;
    assert.equal([data].flat()[0].content, "<p><em>a</em></p>\n");
    assert.equal(included.entries[world.id("author")].content, b);
    assert.notEqual(tagOf(reply), tagOf(await get(name, { ...more, include: "author" })));
  }
});

describe("caching", () => {
  test("an ETag of its own, 304, HEAD, and the other headers as without render", async () => {
    await world.create("tag", { content: "*a*" });
    for (const more of [{}, { filter: "" }, { options: { filter: { only: ["content"] } } }] as Arguments[]) {
      const name = "filter" in more ? "" : "tag";
      const [raw, first] = [await get(name, more), await get(name, { ...more, render: "html" })];
      const again = await get(name, { ...more, render: "html" });
      assert.equal(tagOf(first), tagOf(again));
      assert.equal(first.text, again.text);
      assert.notEqual(tagOf(raw), tagOf(first));
      for (const header of ["cache-control", "last-modified", "vary", "content-type"])
        assert.equal(first.headers[header], raw.headers[header], header);
      const query = { id: world.id(name), token: delivery, ...more, render: "html" };
      const known = await world.send({ path: "/api/entries", query, headers: { "If-None-Match": tagOf(first) } });
      assert.deepEqual([known.status, known.text], [304, ""]);
      const head = await world.send({ method: "HEAD", path: "/api/entries", query });
      assert.deepEqual(
        [head.status, tagOf(head), head.headers["content-length"]],
        [200, tagOf(first), first.headers["content-length"]],
      );
    }
    const before = tagOf(await get("tag", { render: "html" }));
    await world.write("PATCH", { id: world.id("tag"), data: { content: "*b*" } });
    const after = await get("tag", { render: "html" });
    assert.equal((dataOf(after) as Any).content, "<p><em>b</em></p>\n");
    assert.notEqual(tagOf(after), before);
  });
});

describe("tokens", () => {
  test("a management token gets HTML from /api/delivery/entries alone", async () => {
    await world.create("who", { content: "*a*" });
    const ask: Arguments = { render: "html" };
    for (const path of ["/api/entries", "/api/management/entries", "/api/entries/staged"]) {
      for (const more of [ask, { options: ask }, { ...ask, filter: "" }]) {
        const problem = refused(await get("who", more, management, path), 400, "argument_invalid");
        assert.match(problem.detail, /\/api\/delivery\/entries/);
      }
      assert.equal((dataOf(await get("who", { render: "raw" }, management, path)) as Any).content, "*a*");
    }
    const delivered = await get("who", ask, management, "/api/delivery/entries");
    assert.equal((dataOf(delivered) as Any).content, "<p><em>a</em></p>\n");
  });

  test("a preview shows the working copy as HTML", async () => {
    const preview = await world.token({ kind: "preview", resources: ["entries"] });
    await world.create("staged", { content: "*a*" });
    const patch = { id: world.id("staged"), data: { content: "*b*" } };
    assert.equal((await world.write("PATCH", patch, "/api/entries/staged")).status, 200);
    const reply = await get("staged", { render: "html" }, preview.token);
    assert.equal((dataOf(reply) as Any).content, "<p><em>b</em></p>\n");
    assert.equal(reply.headers["cache-control"], "private, no-store");
    assert.equal((await html("staged")).content, "<p><em>a</em></p>\n");
  });

  test("other values are refused, and two that differ", async () => {
    for (const render of ["HTML", "markdown", "", "1", ["html", "raw"]]) {
      refused(await get("who", { render }), 400, "argument_invalid");
      refused(await get("who", { options: { render } }), 400, "argument_invalid");
    }
    refused(await get("who", { render: "html", options: { render: "raw" } }), 400, "argument_conflict");
    assert.equal((await get("who", { options: { render: "html" }, strict: 1 })).status, 200);
  });
});

test("a text that cannot be rendered is its source", async () => {
  const content = "<div>".repeat(5000);
  await world.create("deep", { content });
  const escaped = `<pre>\n${content.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</pre>`;
  assert.equal((await html("deep")).content, escaped);
  assert.equal((await html("", { filter: { path: "deep" } }))[0].content, escaped);
});

allRepliesKeptTheirPromises(world);
