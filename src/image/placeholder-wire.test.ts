// Slow: it draws pictures.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import sharp from "sharp";
import { rgbaToThumbHash, thumbHashToRGBA } from "thumbhash";
import { useWorld } from "../../test/harness.ts";

/** Previews of pictures in file objects. Contract, part three, §17. */

const world = useWorld();
const writing = () => ({ Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access });

type Preview = { thumbhash: string; color: string } | null;
type Item = Record<string, unknown> & { preview?: Preview };

async function upload(folder: string, name: string, bytes: Buffer | string): Promise<void> {
  const form = new FormData();
  form.set("folder", folder);
  form.set("file", new File([typeof bytes === "string" ? bytes : new Uint8Array(bytes)], name));
  const reply = await fetch(`${world.app.url}/api/files`, { method: "POST", headers: writing(), body: form });
  assert.equal(reply.status, 200, await reply.text());
}

const read = (path: string, query: Record<string, string> = {}, url = "/api/files", headers = {}) =>
  world.send("GET", url, { query: { path, token: world.token.delivery, ...query }, headers });
const asked = { "options[preview]": "true" };
const list = { collection: "true" };

const flat = (background: string | object, width = 240, height = 120) =>
  sharp({ create: { width, height, channels: 4, background: background as string } });
/** A picture of its own for each number. */
const numbered = (n: number) =>
  flat({ r: n * 7, g: 200 - n * 5, b: 90, alpha: 1 }, 24, 16)
    .png()
    .toBuffer();

const wide = Buffer.from(Array.from({ length: 300 * 100 * 3 }, (_, i) => 128 + 100 * Math.sin(i / 500)));
const lying = await sharp(wide, { raw: { width: 300, height: 100, channels: 3 } })
  .withMetadata({ orientation: 6 })
  .png()
  .toBuffer();

before(async () => {
  await world.ready;
  await upload("one", "red.png", await flat("#d01030").png().toBuffer());
  await upload("one", "same.png", await flat("#d01030").png().toBuffer());
  await upload("one", "glass.png", await flat({ r: 0, g: 200, b: 0, alpha: 0.6 }).png().toBuffer());
  await upload("one", "air.png", await flat({ r: 0, g: 0, b: 0, alpha: 0 }).png().toBuffer());
  await upload("one", "lying.png", lying);
  await upload(
    "one",
    "drawing.svg",
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#00f"/></svg>',
  );
  await upload("one", "notes.txt", '"preview":@0000 text');
  await upload("one", "broken.gif", "GIF89a");
});

test("a picture has a ThumbHash of it upright and its mean colour, anything else null", async () => {
  const reply = await read("one", { ...list, ...asked });
  assert.equal(reply.status, 200);
  const items = reply.json.data as Record<string, Item>;
  const of = (name: string) => items[name]?.preview as NonNullable<Preview>;
  assert.deepEqual([of("notes.txt"), of("broken.gif")], [null, null]);
  assert.equal(of("red.png").color, "#d01030");
  assert.deepEqual(of("same.png"), of("red.png"));
  assert.deepEqual(
    [of("glass.png").color, of("air.png").color, of("drawing.svg").color],
    ["#00c800", "#ffffff", "#0000ff"],
  );
  const upright = await sharp(lying)
    .autoOrient()
    .resize(100, 100, { fit: "inside" })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = upright.info;
  assert.deepEqual([width, height], [33, 100]);
  // Which of turning and scaling comes first moves a colour by a little.
  const [shown, expected] = [
    Buffer.from(of("lying.png").thumbhash, "base64"),
    rgbaToThumbHash(width, height, upright.data),
  ].map(thumbHashToRGBA);
  assert.deepEqual([shown?.w, shown?.h], [expected?.w, expected?.h]);
  for (const [at, value] of shown?.rgba.entries() ?? []) assert.ok(Math.abs(value - (expected?.rgba[at] ?? 999)) < 16);
  assert.equal(reply.headers.get("octavo-previews-pending"), null);
  assert.equal(reply.headers.get("octavo-ignored"), null);
});

test("it is the last member of one file and of items in each form, where the projection names it", async () => {
  const whole = (await read("one/red.png")).json.data as Item;
  assert.ok(!("preview" in whole));
  for (const url of ["/api/files", "/api/media/files"]) {
    const at: Record<string, string> = url === "/api/files" ? {} : { id: "one/red.png" };
    const one = await read("one/red.png", { ...asked, ...at }, url);
    const { preview, ...rest } = one.json.data as Item;
    assert.equal(preview?.color, "#d01030");
    assert.deepEqual(rest, whole);
    assert.match(one.text, /,"preview":\{"thumbhash":"[\w+/=]+","color":"#[0-9a-f]{6}"\}\}\}$/);
  }
  const items = async (query: object) => (await read("one", { ...list, ...asked, ...query })).json.data;
  const red = { "filter[path]": "red" };
  assert.deepEqual(Object.keys(((await items({ ...red, "filter[only][]": "preview" })) as never)["red.png"]), [
    "preview",
  ]);
  assert.deepEqual(
    Object.keys(
      ((await items({ ...red, "filter[only][0]": "preview", "filter[only][1]": "title" })) as never)["red.png"],
    ),
    ["title", "preview"],
  );
  for (const named of [{ "filter[only]": "title" }, { "filter[except]": "preview" }])
    assert.ok(!("preview" in ((await items({ ...red, ...named })) as never)["red.png"]));
  assert.equal(((await items({ ...red, "filter[return]": "first" })) as Item).preview?.color, "#d01030");
  assert.equal(await items({ ...red, "filter[return]": "count" }), 1);
  assert.deepEqual(await items({ "filter[contains]": "thumbhash" }), {}, "no condition reads it");
});

test("a client's own field of the name is answered where none is asked for", async () => {
  const body = { path: "one/glass.png", field: "preview", value: "mine" };
  assert.equal((await world.send("POST", "/api/files/meta", { headers: writing(), body })).status, 200);
  const own = (await read("one/glass.png")).json.data as Item;
  assert.equal(own.preview, "mine");
  for (const query of [asked, { ...asked, ...list }]) {
    const { data } = (await read("collection" in query ? "one" : "one/glass.png", query)).json;
    const item = ("collection" in query ? (data as Record<string, Item>)["glass.png"] : data) as Item;
    assert.equal(item.preview?.color, "#00c800");
  }
});

test("a reply draws two dozen, says how many are left, and is not kept; the next one has the rest", async () => {
  await Promise.all(Array.from({ length: 30 }, async (_, n) => upload("many", `p${n}.png`, await numbered(n))));
  const reply = await read("many", { ...list, ...asked });
  const items = Object.values(reply.json.data as Record<string, Item>);
  assert.deepEqual([items.length, items.filter(({ preview }) => preview).length], [30, 24]);
  assert.equal(items.filter((item) => "preview" in item).length, 24, "no null for what is to come");
  assert.equal(reply.headers.get("octavo-previews-pending"), "6");
  assert.equal(reply.headers.get("cache-control"), "no-store");
  const next = await read("many", { ...list, ...asked });
  assert.equal(Object.values(next.json.data as Record<string, Item>).filter(({ preview }) => preview).length, 30);
  assert.equal(next.headers.get("octavo-previews-pending"), null);
  assert.doesNotMatch(next.headers.get("cache-control") ?? "", /no-store/);
  assert.notEqual(next.headers.get("etag"), reply.headers.get("etag"));
  const known = await read("many", { ...list, ...asked }, "/api/files", {
    "If-None-Match": next.headers.get("etag") ?? "",
  });
  assert.equal(known.status, 304);
  const one = await read("one/red.png", asked);
  assert.notEqual(one.headers.get("etag"), (await read("one/red.png")).headers.get("etag"));
});

test("each picture is drawn once, whatever is refused is not tried again, and nothing is drawn unasked", async () => {
  const count = async () => {
    const { text } = await world.send("GET", "/metrics", {
      headers: { Authorization: `Bearer ${world.token.management}` },
    });
    return text.split("\n").filter((line) => line.startsWith("octavo_renders_total"));
  };
  const before = await count();
  assert.equal(before.length > 0, true);
  await read("one", { ...list, ...asked });
  await upload("two", "copy.png", await flat("#d01030").png().toBuffer());
  assert.equal(((await read("two/copy.png", asked)).json.data as Item).preview?.color, "#d01030");
  await upload("two", "new.png", await numbered(99));
  await read("two", list);
  assert.deepEqual(await count(), before);
  await upload("two", "fresh.png", await numbered(55));
  const total = (lines: string[]) => lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  const replies = await Promise.all([1, 2, 3].map(() => read("two/fresh.png", asked)));
  for (const { json } of replies) assert.match((json.data as Item).preview?.color ?? "", /^#/);
  assert.equal(total(await count()), total(before) + 1, "for all that ask at once");
});

test("files that entries include have it, too, in each form, and with HTML beside it", async () => {
  const entry = { id: "tale", data: { picture: "one/red.png", other: "one/notes.txt", content: "*Red*" } };
  assert.equal((await world.send("POST", "/api/entries", { headers: writing(), body: entry })).status, 200);
  const fresh = { id: "tale/new", data: { picture: "three/new.png", other: null } };
  await upload("three", "new.png", await numbered(77));
  assert.equal((await world.send("POST", "/api/entries", { headers: writing(), body: fresh })).status, 200);
  const of = async (query: Record<string, string>, url = "/api/entries") => {
    const all = { include: "picture,other", token: world.token.delivery, ...query };
    const reply = await world.send("GET", url, { query: all });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get("octavo-ignored"), null);
    return { reply, files: (reply.json as { included: { files: Record<string, Item> } }).included.files };
  };
  assert.ok(!("preview" in ((await of({ id: "tale" })).files["one/red.png"] as Item)));
  const reads: Record<string, string>[] = [
    { id: "tale" },
    { id: "tale", render: "html" },
    { id: "", "filter[limit]": "5" },
  ];
  for (const query of reads) {
    const { files } = await of({ ...query, ...asked });
    assert.equal(files["one/red.png"]?.preview?.color, "#d01030", JSON.stringify(query));
    assert.equal(files["one/notes.txt"]?.preview, null);
  }
  const { files, reply } = await of({ id: "tale/new", ...asked });
  assert.match(files["three/new.png"]?.preview?.color ?? "", /^#/);
  assert.notEqual(reply.headers.get("etag"), (await of({ id: "tale/new" })).reply.headers.get("etag"));
});

test("reads of folders do not take the option", async () => {
  const of = async (url: string, query: object) =>
    (
      await world.send("GET", url, { query: { token: world.token.management, path: "one", ...asked, ...query } })
    ).headers.get("octavo-ignored");
  assert.equal(await of("/api/folders", {}), "options[preview]");
  assert.equal(await of("/api/files", { collection: "true" }), null);
  const no = await read("one/red.png", { "options[preview]": "false" });
  assert.ok(!("preview" in (no.json.data as Item)));
});
