// Slow: it draws pictures.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import sharp from "sharp";
import { useWorld } from "../../test/harness.ts";

/** Pictures for everybody, by the presets of `image_public`. Contract, part three, §17. */

const world = useWorld({
  "image-presets": "card:w=60&h=40&fit=crop; best:w=30&fm=auto; point:w=20&h=20&fit=crop-focal; inner:w=33",
  "image-public": "card, best,point",
  "image-max-age-seconds": "77",
  "cache-groups": "xkey",
  "limit-address": "1000,1000",
  "uploads-private": "on",
});

const writing = () => ({ Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access });

async function upload(folder: string, name: string, bytes: Buffer | string): Promise<Record<string, unknown>> {
  const form = new FormData();
  form.set("folder", folder);
  form.set("file", new File([typeof bytes === "string" ? bytes : new Uint8Array(bytes)], name));
  const reply = await fetch(`${world.app.url}/api/files`, { method: "POST", headers: writing(), body: form });
  const { data } = (await reply.json()) as { data: Record<string, unknown> };
  assert.equal(reply.status, 200);
  return data;
}

const picture = sharp({ create: { width: 300, height: 200, channels: 3, background: "#c02060" } });
let version = "";

before(async () => {
  await world.ready;
  version = String((await upload("in", "a.jpg", await picture.clone().jpeg().toBuffer())).version);
  await upload("in", "notes.txt", "Not a picture.");
  await upload("in", "phone.heic", Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1").toString("latin1"));
  await upload("in", "broken.gif", "GIF89a");
  await upload("in", "gone.png", await picture.clone().png().toBuffer());
  const gone = await world.send("DELETE", "/api/files", { headers: writing(), body: { path: "in/gone.png" } });
  assert.equal(gone.status, 204);
  await upload("entries/old", "b.png", await picture.clone().png().toBuffer());
});

type Got = { status: number; bytes: Buffer; headers: Headers; code: string | undefined; detail: string | undefined };

async function get(path: string, query: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
  const reply = await fetch(`${world.app.url}/api/images/${path}?${query}`, { headers, method });
  const bytes = Buffer.from(await reply.arrayBuffer());
  const isProblem = method === "GET" && (reply.headers.get("content-type")?.includes("problem") ?? false);
  const { code, detail } = isProblem ? JSON.parse(bytes.toString()) : {};
  return { status: reply.status, bytes, headers: reply.headers, code, detail };
}

test("of densities between those that are drawn, everybody gets the next one up", async () => {
  const drawn = new Map<string, Set<string>>();
  for (const dpr of ["1", "1.01", "1.25", "1.5", "1.51", "1.99", "2", "2.01", "2.7", "3"]) {
    const { status, headers, bytes } = await get("in/a.jpg", `p=card&dpr=${dpr}`);
    assert.equal(status, 200);
    const { width } = await sharp(bytes).metadata();
    const etags = drawn.get(String(width)) ?? new Set();
    drawn.set(String(width), etags.add(String(headers.get("etag"))));
  }
  assert.deepEqual(
    [...drawn].map(([width, etags]) => [width, etags.size]),
    [
      ["60", 1],
      ["90", 1],
      ["120", 1],
      ["180", 1],
    ],
  );
});

test("a public preset answers without a token what a token gets", async () => {
  for (const query of ["p=card", "p=card&dpr=2", `p=card&dpr=1.5&v=${version}`, "v=x&p=best", "dpr=3.0&p=card"]) {
    const open = await get("in/a.jpg", query);
    const held = await get("in/a.jpg", `${query}&token=${world.token.images}`);
    assert.deepEqual([open.status, held.status], [200, 200], query);
    assert.ok(open.bytes.equals(held.bytes), query);
    assert.equal(open.headers.get("etag"), held.headers.get("etag"), query);
    assert.equal(open.headers.get("xkey"), held.headers.get("xkey"), query);
    assert.match(open.headers.get("xkey") ?? "", /^f-/);
  }
  const { width, height } = await sharp((await get("in/a.jpg", "p=card&dpr=2")).bytes).metadata();
  assert.deepEqual([width, height], [120, 80]);
  assert.equal((await get("old/b.png", "p=card")).status, 200, "below entries/, as with a token");
  const other = await fetch(`${world.app.url}/api/delivery/images/in/a.jpg?p=card`);
  assert.equal(other.status, 200);
  assert.equal((await get("in/a.jpg", "p=card", {}, "HEAD")).status, 200);
});

test("its reply is kept by shared caches, whatever tokens requests have", async () => {
  const facts = async (query: string, headers?: Record<string, string>) => {
    const { headers: sent } = await get("in/a.jpg", query, headers);
    return [sent.get("cache-control"), sent.get("vary")];
  };
  const bearer = { Authorization: `Bearer ${world.token.images}` };
  assert.deepEqual(await facts("p=card"), ["public, max-age=77", null]);
  assert.deepEqual(await facts("p=card", bearer), ["public, max-age=77", null]);
  assert.deepEqual(await facts("p=card", { Authorization: "Bearer wrong" }), ["public, max-age=77", null]);
  assert.deepEqual(await facts(`p=card&v=${version}`), ["public, max-age=31536000, immutable", null]);
  assert.deepEqual(await facts("p=card&v=older"), ["public, max-age=60", null]);
  assert.deepEqual(await facts("p=best", { Accept: "image/webp" }), ["public, max-age=77", "Accept"]);
  assert.deepEqual(await facts(`p=point&v=${version}`), ["public, max-age=77", null], "the point is no part of v");
  const etag = (await get("in/a.jpg", "p=card")).headers.get("etag") ?? "";
  const known = await get("in/a.jpg", "p=card", { "If-None-Match": etag });
  assert.deepEqual([known.status, known.headers.get("vary")], [304, null]);
});

test("anything else stays 401, and the refusal says what is open", async () => {
  const open = ', or one of card, best, point as "p", with nothing but "dpr" from 1 to 3 and "v"';
  const refused = [
    ...[
      "",
      "p=",
      "p=inner",
      "p=none",
      "p=Card",
      "p=card,inner",
      "p=card,best",
      "p=inner,card",
      "p[]=card",
      "p[a]=card",
    ],
    ...["p=card&w=60", "p=card&q=10", "p=card&strict=1", "p=card&junk=1", "p=card&expires=99", "p=card&s=", "w=60"],
    ...["", "0.5", "0", "3.01", "4", "8", "1.333", "2e0", "+2", "two", "-1", "1,2", " 2"].map(
      (dpr) => `p=card&dpr=${dpr}`,
    ),
    ...["p=card&v[]=1", "p=card&dpr[]=2", "p=card&token=", "p=card&access_token="],
  ];
  for (const query of refused)
    for (const path of ["in/a.jpg", "in/none.jpg"]) {
      const { status, code, detail, headers } = await get(path, query);
      assert.deepEqual([status, code, headers.get("cache-control")], [401, "token_missing", "no-store"], query);
      assert.ok(detail?.endsWith(open), `${query}: ${detail}`);
    }
  assert.equal((await get("in/a.jpg", "p=card&token=wrong")).code, "token_invalid");
  assert.equal((await fetch(`${world.app.url}/project/uploads/in/a.jpg?p=card`)).status, 401);
});

test("what is no picture of the preset is as nothing", async () => {
  const replies = [
    "in/none.jpg",
    "in",
    "in/notes.txt",
    "in/phone.heic",
    "in/broken.gif",
    "in/gone.png",
    "out/of/reach",
  ];
  const asked: Record<string, string>[] = [
    {},
    { "If-None-Match": "*" },
    { "If-Match": '"_x"' },
    { Range: "bytes=0-1" },
  ];
  for (const conditions of asked)
    for (const path of replies) {
      const { status, code, headers, bytes } = await get(path, "p=card", conditions);
      assert.deepEqual([status, code, headers.get("cache-control")], [404, "file_not_found", "no-store"], path);
      const none = await get("in/none.jpg", "p=card");
      const said = (from: Buffer, at: string) =>
        from
          .toString()
          .replaceAll(at, "…")
          .replace(/"request_id":"\w+"/, "");
      assert.equal(said(bytes, path), said(none.bytes, "in/none.jpg"), path);
      assert.deepEqual([...headers.keys()], [...none.headers.keys()], path);
    }
  for (const path of replies) assert.equal((await get(path, "p=card", {}, "HEAD")).status, 404, path);
  // With a token the reasons are told, as before.
  const codes = await Promise.all(
    replies.slice(2, 5).map(async (path) => (await get(path, `p=card&token=${world.token.images}`)).code),
  );
  assert.deepEqual(codes, ["image_unsupported", "image_unsupported", "image_unreadable"]);
});

test("limits of addresses count it", async () => {
  const left = async () =>
    Number(/r=(\d+)/.exec((await get("in/a.jpg", "p=card")).headers.get("ratelimit") ?? "")?.[1]);
  assert.ok(Number.isInteger(await left()));
});
