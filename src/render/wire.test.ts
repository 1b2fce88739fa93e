// Slow: it draws pictures.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import sharp from "sharp";
import { useWorld, type World } from "../../test/harness.ts";

/** Addresses of files in HTML. Contract §10, Rendering. */

const presets = { "image-presets": "hero:w=60;square:w=40&h=40&fit=crop;secret:w=9", "image-public": "hero,square" };
const world = useWorld({ ...presets, "cache-groups": "xkey" });
const known = useWorld({ ...presets, "public-url": "https://cms.example" });
const shut = useWorld({ ...presets, "uploads-private": "on", "cache-groups": "xkey" });

type Query = Record<string, string>;
const html = { render: "html" };

const lying = await sharp({ create: { width: 120, height: 80, channels: 3, background: "red" } })
  .jpeg()
  .withMetadata({ orientation: 6 })
  .toBuffer();

async function fill(at: World): Promise<void> {
  await at.ready;
  const tokens = { token: at.token.management, access_token: at.token.access };
  const send = async (name: string, bytes: Buffer | string) => {
    const form = new FormData();
    for (const [key, value] of Object.entries({ ...tokens, folder: "p" })) form.set(key, value);
    form.set("file", new File([typeof bytes === "string" ? bytes : new Uint8Array(bytes)], name));
    assert.equal((await fetch(`${at.app.url}/api/files`, { method: "POST", body: form })).status, 200);
  };
  await send("lying.jpg", lying);
  await send("notes.txt", "text");
  const content = [
    "## Ein Café & more!\n",
    "![A](/project/uploads/p/lying.jpg) [B](/project/uploads/p/notes.txt) [C](/blog) ![D](https://else.example/x.png)",
    '<img src="/project/uploads/p/lying.jpg?v=1" width="7" title="a &amp; b">\n',
    "## Ein Café & more!",
  ].join("\n");
  const body = { ...tokens, id: "page", data: { content } };
  assert.equal((await at.send("POST", "/api/entries", { body })).status, 200);
}

before(() => Promise.all([world, known, shut].map(fill)));

const read = async (at: World, query: Query, token = at.token.delivery, headers = {}) =>
  at.send("GET", "/api/entries", { query: { id: "page", token, ...query }, headers });
const contentOf = async (at: World, query: Query, token?: string) =>
  ((await read(at, query, token)).json.data as { content: string }).content;

test("pictures and links to files have absolute addresses, of the request or the setting, and nothing else changes", async () => {
  const [own, set] = [await contentOf(world, html), await contentOf(known, html)];
  const { url } = world.app;
  assert.ok(own.includes(`<img src="${url}/project/uploads/p/lying.jpg" alt="A">`), own);
  assert.ok(own.includes(`<a href="${url}/project/uploads/p/notes.txt">B</a> <a href="/blog">C</a>`), own);
  assert.ok(own.includes(`<img src="${url}/project/uploads/p/lying.jpg?v=1" width="7" title="a &amp; b">`), own);
  assert.ok(own.includes('<img src="https://else.example/x.png" alt="D">'), own);
  assert.equal(set, own.replaceAll(url, "https://cms.example"));
  const raw = await contentOf(world, {});
  assert.match(raw, /!\[A\]\(\/project\/uploads\/p\/lying\.jpg\)/);
  const [first] = (await read(world, { ...html, filter: "", id: "" })).json.data as unknown as { content: string }[];
  assert.equal(first?.content, own);
});

test("such a reply is private, with an ETag for each host, unless the setting names it", async () => {
  const plain = await read(world, {});
  assert.match(String(plain.headers.get("cache-control")), /public/);
  for (let round = 0; round < 3; round++)
    assert.match(String((await read(world, html)).headers.get("cache-control")), /private/, "also where it is kept");
  const list = await read(world, { ...html, filter: "", id: "" });
  assert.match(String(list.headers.get("cache-control")), /private/);
  const none = await read(world, { ...html, filter: "" });
  assert.match(String(none.headers.get("cache-control")), /public/, "without addresses");
  assert.match(String((await read(known, html)).headers.get("cache-control")), /public/);
  const { get } = await import("node:http");
  const tagAt = (host: string) =>
    new Promise((resolve) => {
      const path = `/api/entries?id=page&render=html&token=${world.token.delivery}`;
      get(`${world.app.url}${path}`, { headers: { host } }, (reply) => resolve(reply.resume().headers.etag));
    });
  const tags = [await tagAt("a.example"), await tagAt("b.example"), await tagAt("a.example")];
  assert.notEqual(tags[0], tags[1]);
  assert.equal(tags[0], tags[2]);
});

test("headings have ids of their words, each once", async () => {
  const ids = [...(await contentOf(world, html)).matchAll(/<h2 id="([^"]*)">/g)].map(([, id]) => id);
  assert.deepEqual(ids, ["ein-café--more", "ein-café--more-1"]);
});

test("with image_preset pictures are in that preset, with the size that is delivered", async () => {
  for (const [preset, width, height] of [
    ["hero", 60, 90],
    ["square", 40, 40],
  ] as const) {
    for (const query of [{ image_preset: preset }, { "options[image_preset]": preset }] as Query[]) {
      const shown = await contentOf(known, { ...html, ...query });
      const [, src = "", srcset = "", rest] = /<img src="([^"]*)" srcset="([^"]*)"([^>]*)>/.exec(shown) ?? [];
      const address = src.replaceAll("&amp;", "&");
      assert.match(address, new RegExp(`^https://cms.example/api/images/p/lying.jpg\\?p=${preset}&v=[0-9a-f]{16}$`));
      assert.equal(rest, ` alt="A" width="${width}" height="${height}" loading="lazy"`);
      const [once, twice] = srcset.replaceAll("&amp;", "&").split(", ");
      assert.equal(once, `${address} 1x`);
      assert.match(twice as string, /\?p=\w+&dpr=2&v=\w+ 2x$/);
      for (const [part, times] of [
        [address, 1],
        [(twice as string).replace(/ 2x$/, ""), 2],
      ] as const) {
        const picture = await fetch(part.replace("https://cms.example", known.app.url));
        const drawn = await sharp(Buffer.from(await picture.arrayBuffer())).metadata();
        assert.deepEqual([drawn.width, drawn.height], [width * times, height * times]);
      }
      assert.ok(!shown.includes('width="7"'), "the picture's own size is another");
      assert.ok(shown.includes('<img src="https://else.example/x.png" alt="D">'));
    }
  }
});

test("a preset that is not public is refused, and the public ones are named", async () => {
  for (const name of ["secret", "", "none"]) {
    for (const query of [{ image_preset: name }, { ...html, "options[image_preset]": name }] as Query[]) {
      const { status, json } = await read(world, query);
      assert.deepEqual([status, json.code], [400, "argument_invalid"]);
      assert.match(String(json.detail), /one of hero, square/);
    }
  }
  const both = await read(world, { ...html, image_preset: "hero", "options[image_preset]": "square" });
  assert.equal(both.json.code, "argument_conflict");
  assert.equal(
    (await read(world, { image_preset: "hero" })).text,
    (await read(world, {})).text,
    "without HTML nothing",
  );
});

test("sizes, versions and cache groups are for those who may read the file", async () => {
  const { fileGroup } = await import("../core/list/cache-group.ts");
  const group = fileGroup("p/lying.jpg" as Parameters<typeof fileGroup>[0]);
  const asked = { ...html, image_preset: "hero" };
  const only = (await shut.issue("delivery", ["entries"])).secret;
  const blind = await read(shut, asked, only);
  assert.match(
    (blind.json.data as { content: string }).content,
    /lying\.jpg\?p=hero" srcset="[^"]*" alt="A" loading="lazy">/,
  );
  assert.ok(!String(blind.headers.get("xkey")).includes(group));
  for (const [at, token] of [
    [shut, shut.token.delivery],
    [world, (await world.issue("delivery", ["entries"])).secret],
  ] as const) {
    const seen = await read(at, asked, token);
    assert.match((seen.json.data as { content: string }).content, /width="60" height="90"/);
    assert.ok(String(seen.headers.get("xkey")).includes(group));
    const list = await read(at, { ...asked, filter: "", id: "" }, token);
    assert.ok(String(list.headers.get("xkey")).includes(group));
  }
});
