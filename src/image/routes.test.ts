// Slow: it draws many pictures.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { before, test } from "node:test";
import sharp from "sharp";
import { drawingProcesses } from "../../test/fixtures/drawing-processes.ts";
import { temporaryFolder, useWorld, type World } from "../../test/harness.ts";
import { build } from "../app.ts";
import type { Path } from "../core/path.ts";
import { readSettings } from "../settings.ts";
import { signatureOf } from "./signature.ts";

/** What the acceptance suite cannot reach: the store's folder, settings, drawing processes. */

const folder = temporaryFolder();
const world = useWorld({
  data: folder,
  "image-presets": "thumb:w=60&h=40&fit=crop; grey:filt=greyscale",
  "image-max-age-seconds": "77",
  "rendition-cache-bytes": "300KiB",
});

async function picture(width: number, height: number, seed = 0): Promise<Buffer> {
  const pixels = Buffer.from(
    Array.from({ length: width * height * 3 }, (_, i) => (i * 7 + (i >> 5) * (13 + seed)) % 256),
  );
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 95 })
    .toBuffer();
}

async function upload(to: World, name: string, bytes: Buffer): Promise<Record<string, unknown>> {
  const form = new FormData();
  form.set("folder", "");
  form.set("file", new File([new Uint8Array(bytes)], name));
  const headers = { Authorization: `Bearer ${to.token.management}`, "X-Access-Token": to.token.access };
  const response = await fetch(`${to.app.url}/api/files`, { method: "POST", headers, body: form });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  assert.equal(response.status, 200);
  return data;
}

type Got = { status: number; bytes: Buffer; headers: Headers; code: string | undefined };

async function get(from: World, path: string, query = "", token = from.token.images): Promise<Got> {
  const response = await fetch(`${from.app.url}/api/images/${path}?${token ? `token=${token}&` : ""}${query}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isProblem = response.headers.get("content-type")?.includes("problem") ?? false;
  const code = isProblem ? JSON.parse(bytes.toString()).code : undefined;
  return { status: response.status, bytes, headers: response.headers, code };
}

const kept = () => globSync("renditions/*/*", { cwd: folder });
const sizeOf = async ({ bytes }: Got) => {
  const { width, height } = await sharp(bytes).metadata();
  return [width, height];
};

before(async () => {
  await world.ready;
  await upload(world, "a.jpg", await picture(300, 200));
});

test("a rendition is drawn once and cached, whatever unknown arguments and order", async () => {
  const first = await get(world, "a.jpg", "w=150&q=80");
  assert.deepEqual(await sizeOf(first), [150, 100]);
  const count = kept().length;
  for (const query of [
    "q=80&w=150",
    "w=150&q=80&junk=1",
    "w=150.9&q=80",
    "w=150&q=80&v=x",
    "w=150&q=80&bri=0&fm=jpg",
  ]) {
    const again = await get(world, "a.jpg", query);
    assert.deepEqual(again.bytes, first.bytes, query);
    assert.equal(again.headers.get("etag"), first.headers.get("etag"), query);
  }
  assert.equal(kept().length, count);
  assert.equal(readdirSync(join(folder, "tmp")).length, 0);
});

test("renditions kept by 0.1 are drawn again: their AVIF of a photograph may be turned twice", async () => {
  const photo = await picture(40, 30, 6);
  await upload(world, "kept.jpg", photo);
  const hash = createHash("sha256").update(photo).digest("hex");
  const kept = createHash("sha256").update(["3", hash, "", "avif", "w-20"].join("\n")).digest("hex");
  const { headers } = await get(world, "kept.jpg", "w=20&fm=avif");
  assert.notEqual(headers.get("etag"), `"${kept.slice(0, 40)}"`);
});

test("renditions of SVGs kept in another size are drawn again; those of other pictures stay", async () => {
  const mm = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm"/>');
  const keyOf = (bytes: Buffer, format: string): string => {
    const hash = createHash("sha256").update(bytes).digest("hex");
    const key = createHash("sha256").update(["4", hash, "", format, "w-900"].join("\n"));
    return `"${key.digest("hex").slice(0, 40)}"`;
  };
  await upload(world, "a4.svg", mm);
  assert.notEqual((await get(world, "a4.svg", "w=900")).headers.get("etag"), keyOf(mm, "png"));
  assert.deepEqual(await sizeOf(await get(world, "a4.svg", "fm=png")), [794, 1123]);
  const photo = await picture(40, 31);
  await upload(world, "old.jpg", photo);
  assert.equal((await get(world, "old.jpg", "w=900")).headers.get("etag"), keyOf(photo, "jpg"));
});

test("a picture that is stored but not drawn is named by its format", async () => {
  const brand = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1");
  const icon = Buffer.concat([
    Buffer.from([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 4, 0, 0, 0, 22, 0, 0, 0]),
    brand,
  ]);
  for (const [name, bytes, format] of [
    ["phone.heic", brand, "HEIC"],
    ["icon.ico", icon, "ICO"],
  ] as const) {
    await upload(world, name, bytes);
    const { status, bytes: body } = await get(world, name, "w=20");
    assert.equal(status, 415);
    assert.match(JSON.parse(body.toString()).detail, new RegExp(`of type "${format}"; expected a JPEG`));
    assert.deepEqual((await get(world, name)).bytes, bytes);
  }
});

test("any argument shows a picture upright, and strict measures it upright, whatever its format", async () => {
  const lying = sharp(await picture(60, 40)).withMetadata({ orientation: 6 });
  const pictures = {
    "lying.jpg": await lying.clone().jpeg().toBuffer(),
    "lying.webp": await lying.clone().webp().toBuffer(),
    "lying.tiff": await lying.clone().tiff().toBuffer(),
    "lying.png": await lying.clone().png().toBuffer(),
    "lying.avif": await lying.clone().avif({ effort: 0 }).toBuffer(),
  };
  for (const [name, bytes] of Object.entries(pictures)) {
    await upload(world, name, bytes);
    assert.deepEqual((await get(world, name)).bytes, bytes);
    assert.deepEqual(await sizeOf(await get(world, name, "or=auto")), [40, 60], name);
    const inside = await get(world, name, "crop=40,10,0,50&strict=1");
    assert.deepEqual(await sizeOf(inside), [40, 10], name);
    const outside = await get(world, name, "crop=10,10,50,0&strict=1");
    assert.deepEqual([outside.status, outside.code], [400, "argument_invalid"], name);
  }
});

test("strict measures what a trim leaves, which only drawing knows", async () => {
  const dot = {
    input: { create: { width: 20, height: 10, channels: 3, background: "black" } },
    left: 20,
    top: 15,
  } as const;
  const paper = { create: { width: 60, height: 40, channels: 3, background: "white" } } as const;
  await upload(world, "dot.png", await sharp(paper).composite([dot]).png().toBuffer());
  const outside = "crop=10,5,30,0";
  assert.deepEqual(await sizeOf(await get(world, "dot.png", `${outside}&strict=1`)), [10, 5]);
  assert.deepEqual(await sizeOf(await get(world, "dot.png", "trim=10&crop=10,5,10,0&strict=1")), [10, 5]);
  assert.equal((await get(world, "dot.png", `trim=10&${outside}`)).status, 200);
  const refused = await get(world, "dot.png", `trim=10&${outside}&strict=1`);
  assert.deepEqual([refused.status, refused.code], [400, "argument_invalid"]);
});

test("presets are sets of arguments, and the request overrides them", async () => {
  assert.deepEqual(await sizeOf(await get(world, "a.jpg", "p=thumb")), [60, 40]);
  assert.deepEqual(await sizeOf(await get(world, "a.jpg", "p=thumb&w=30&h=30")), [30, 30]);
  const grey = await sharp((await get(world, "a.jpg", "p=thumb,grey&fm=png")).bytes).stats();
  assert.ok(Math.abs((grey.channels[0]?.mean ?? 0) - (grey.channels[1]?.mean ?? 1)) < 0.5);
  assert.equal((await get(world, "a.jpg", "p=nothing&strict=1")).code, "argument_invalid");
});

test("the max-age of an image depends on its version and its signature", async () => {
  const { version } = await upload(world, "b.jpg", await picture(100, 80, 5));
  const cache = async (query: string, token?: string) =>
    (await get(world, "b.jpg", query, token)).headers.get("cache-control");
  assert.equal(await cache("w=50"), "public, max-age=77");
  assert.equal(await cache(`w=50&v=${version}`), "public, max-age=31536000, immutable");
  assert.equal(await cache("w=50&v=older"), "public, max-age=60");
  const expires = String(Math.floor(Date.now() / 1000) + 30);
  const args: [string, string][] = [
    ["w", "50"],
    ["v", String(version)],
    ["expires", expires],
  ];
  const s = signatureOf(world.app.stores.signingKey, "b.jpg" as Path, args);
  const signed = await cache(new URLSearchParams([...args, ["s", s]]).toString(), "");
  assert.match(signed ?? "", /^public, max-age=(30|29|28)$/);
  assert.equal((await get(world, "b.jpg", "w=51&s=00", "")).code, "signature_invalid");
  assert.equal((await get(world, "b.jpg", "w=51", "")).code, "token_missing");
});

test("the cache stays within its budget; evicted and cleared images are drawn again", async () => {
  await upload(world, "large.jpg", await picture(800, 600, 3));
  for (let w = 200; w < 420; w += 20) assert.equal((await get(world, "large.jpg", `w=${w}&fm=png`)).status, 200);
  assert.ok((await world.app.stores.renditions.usage()).bytes <= 300 * 1024);
  const first = await get(world, "a.jpg", "w=99");
  rmSync(join(folder, "renditions"), { recursive: true });
  const etag = first.headers.get("etag") ?? "";
  const known = await fetch(`${world.app.url}/api/images/a.jpg?token=${world.token.images}&w=99`, {
    headers: { "If-None-Match": etag },
  });
  assert.equal(known.status, 304, "a rendition that the client has is not drawn again");
  for (const query of ["w=99", "w=400&fm=png", "w=220&fm=png"])
    assert.equal((await get(world, "large.jpg", query)).status, 200);
  assert.ok((await world.app.stores.renditions.clear()) >= 3);
  assert.deepEqual(kept(), []);
  assert.equal((await get(world, "a.jpg", "w=99")).status, 200);
});

test("one of several processes evicts nothing within the shared budget", async () => {
  for (let w = 80; w < 120; w++) await get(world, "a.jpg", `w=${w}&fm=png`);
  const before = kept();
  const flags = { port: "0", log: "off", data: folder, "rendition-cache-bytes": "300KiB", "shutdown-seconds": "1" };
  const app = await build(readSettings({ flags, env: {}, file: undefined }), { count: 4, leads: false });
  try {
    assert.equal((await get({ ...world, app }, "a.jpg", "w=21")).status, 200);
  } finally {
    await app.close();
  }
  const gone = before.filter((name) => !kept().includes(name));
  assert.ok(before.length >= 8 && gone.length <= 1, `${gone.length} of ${before.length}`);
});

test("concurrent requests for a new rendition all get it, and it is drawn once", async () => {
  await upload(world, "once.jpg", await picture(900, 700, 9));
  const all = await Promise.all(Array.from({ length: 20 }, () => get(world, "once.jpg", "w=333&blur=20")));
  for (const { status, bytes } of all) {
    assert.equal(status, 200);
    assert.deepEqual(bytes, all[0]?.bytes);
  }
});

test("a killed drawing process is replaced without effect on other requests", {
  skip: !existsSync("/proc") && "needs /proc",
}, async () => {
  await upload(world, "killed.jpg", await picture(2500, 2000, 2));
  const asked = Array.from({ length: 6 }, (_, i) => get(world, "killed.jpg", `w=${1500 + i}&blur=40`));
  for (let waited = 0; drawingProcesses().length === 0 && waited < 200; waited++)
    await new Promise((done) => setTimeout(done, 10));
  const [victim] = drawingProcesses();
  assert.ok(victim !== undefined, "somebody draws");
  process.kill(victim, "SIGKILL");
  const other = await world.send("GET", "/api/entries", { query: { id: "none", token: world.token.management } });
  assert.equal(other.status, 404);
  const codes = (await Promise.all(asked)).map(({ status, code }) => code ?? status);
  assert.ok(codes.filter((code) => code !== 200).length <= 1, codes.join());
  assert.ok(
    codes.every((code) => code === 200 || code === "image_too_costly"),
    codes.join(),
  );
  assert.equal((await get(world, "killed.jpg", "w=50")).status, 200);
});

const strict = useWorld({
  "image-strict": "on",
  "image-defaults": "fm=webp&q=50",
  "render-workers": "1",
  "render-queue-max": "2",
  "render-timeout-seconds": "1",
});

test("the drawing settings apply: strict, defaults, queue limit", async () => {
  await upload(strict, "a.jpg", await picture(300, 200));
  assert.equal((await get(strict, "a.jpg", "w=abc")).code, "argument_invalid");
  assert.equal((await get(strict, "a.jpg")).headers.get("content-type"), "image/webp");
  await upload(strict, "big.jpg", await picture(3000, 2000, 4));
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, i) => get(strict, "big.jpg", `w=${1000 + i}&blur=50&fm=jpg`)),
  );
  const statuses = new Set(all.map(({ status }) => status));
  assert.ok(statuses.has(503), [...statuses].join());
  for (const { status, code, headers } of all) {
    if (status === 200) continue;
    assert.ok(code === "busy" || code === "image_too_costly", `${status} ${code}`);
    if (status === 503) assert.ok(Number(headers.get("retry-after")) >= 1);
  }
  const entry = await strict.send("GET", "/health/ready");
  assert.equal(entry.status, 200);
  assert.equal((await get(strict, "a.jpg", "w=20")).status, 200, "service resumes");
});

for (const [what, path] of [
  ["a rendition", "/api/images/plain.jpg?w=20"],
  ["an upload", "/project/uploads/plain.jpg"],
] as const) {
  test(`${what} has the same head on a connection that stays and on one that is closed`, async () => {
    await upload(world, "plain.jpg", await picture(60, 40));
    const ask = (connection: string): Promise<string[]> =>
      new Promise((resolve, reject) => {
        const headers = { connection, authorization: `Bearer ${world.token.images}` };
        request(`${world.app.url}${path}`, { agent: false, headers }, (response) => {
          const { rawHeaders: raw, socket } = response;
          const pairs = raw.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${raw[i + 1]}`] : []));
          response
            .resume()
            .on("end", () => resolve(pairs.filter((pair) => !/^(Connection|Keep-Alive|X-Req|Date)/.test(pair))));
          response.on("end", () => socket.destroy());
        })
          .on("error", reject)
          .end();
      });
    const [stays, closes] = [await ask("keep-alive"), await ask("close")];
    assert.deepEqual(stays, closes);
    assert.ok(stays.some((pair) => pair.startsWith("Content-Length")));
  });
}
