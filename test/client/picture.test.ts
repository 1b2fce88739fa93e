import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import sharp from "sharp";
import { rgbaToThumbHash, thumbHashToRGBA } from "thumbhash";
import { astroService, nextLoader, nuxtImage, unpicTransformer } from "../../client/src/loader.ts";
import { image } from "../../client/src/picture.ts";
import { thumbhashUrl } from "../../client/src/thumbhash.ts";

/** `@octavo/client/image` and `/loader`, without a service; the frameworks themselves: npm run test:frameworks. */

const url = "https://content.example.org";
const at = `${url}/api/images/movies/a%20b.jpg`;
const file = { url: "project/uploads/movies/a b.jpg", version: "00ff", alt: "A station", preview: null };

test("a preset has one address, with the version of a file", () => {
  const { src, alt, sizes, width, placeholder, style } = image(file, { url, preset: "card" });
  assert.deepEqual([src, alt], [`${at}?p=card&v=00ff`, "A station"]);
  assert.deepEqual([sizes, width, placeholder, style], [undefined, undefined, undefined, ""]);
  assert.equal(image("movies/a b.jpg", { preset: "card" }).src, "/api/images/movies/a%20b.jpg?p=card");
  assert.equal(image({ ...file, alt: 7 }, { preset: "card" }).alt, "");
  assert.equal(image(file, { preset: "card", alt: "" }).alt, "");
});

test("srcset has densities, or widths of a preset whose width is known, within what needs no token", () => {
  const { srcset, sizes } = image(file, { url, preset: "card", width: 400, height: 300 });
  assert.equal(
    srcset([1, 1.5, 2]),
    `${at}?p=card&v=00ff 1x, ${at}?p=card&dpr=1.5&v=00ff 1.5x, ${at}?p=card&dpr=2&v=00ff 2x`,
  );
  assert.equal(
    srcset([200, 400, 500, 900, 1600]),
    `${at}?p=card&v=00ff 400w, ${at}?p=card&dpr=1.25&v=00ff 500w, ${at}?p=card&dpr=2.25&v=00ff 900w, ${at}?p=card&dpr=3&v=00ff 1200w`,
  );
  assert.equal(srcset([4 / 3]), `${at}?p=card&dpr=1.33&v=00ff ${4 / 3}x`);
  assert.equal(sizes, "(min-width: 400px) 400px, 100vw");
  assert.equal(image(file, { preset: "card", width: 400, sizes: "50vw" }).sizes, "50vw");
});

test("of several presets the widest that is not wider is taken", () => {
  const picture = image("a.jpg", { url, preset: { large: 960, small: 320 } });
  const address = `${url}/api/images/a.jpg?p=`;
  assert.equal(picture.src, `${address}large`);
  assert.equal(picture.width, 960);
  assert.equal(
    picture.srcset([300, 320, 640, 960, 1440]),
    `${address}small 320w, ${address}small&dpr=2 640w, ${address}large 960w, ${address}large&dpr=1.5 1440w`,
  );
});

const colors = (x: number, y: number) => [x * 5, 255 - y * 4, (x * y) % 256];
for (const [what, width, height, opacity] of [
  ["a wide picture", 48, 24, 255],
  ["a tall one", 20, 60, 255],
  ["one that is partly transparent", 40, 40, 128],
] as const) {
  test(`the placeholder of ${what} is what the library decodes`, async () => {
    const rgba = Uint8Array.from({ length: width * height * 4 }, (_, i) => {
      const [at, channel] = [i >> 2, i & 3];
      const x = at % width;
      return channel === 3 ? (x < width / 2 ? opacity : 255) : (colors(x, Math.floor(at / width))[channel] as number);
    });
    const hash = rgbaToThumbHash(width, height, rgba);
    const expected = thumbHashToRGBA(hash);
    const src = thumbhashUrl(Buffer.from(hash).toString("base64"));
    const png = Buffer.from(src.replace("data:image/png;base64,", ""), "base64");
    const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
    assert.equal(Math.max(info.width, info.height), 16);
    assert.equal(info.width, Math.round((16 * expected.w) / Math.max(expected.w, expected.h)));
    // Each pixel lies between four of the library's, which are twice as many a side.
    const of = (x: number, y: number, c: number) => expected.rgba[(y * expected.w + x) * 4 + c] ?? 0;
    for (let y = 0; y < info.height; y++)
      for (let x = 0; x < info.width; x++)
        for (let c = 0; c < 4; c++) {
          const [u, v] = [Math.min(2 * x, expected.w - 2), Math.min(2 * y, expected.h - 2)];
          const mean = (of(u, v, c) + of(u + 1, v, c) + of(u, v + 1, c) + of(u + 1, v + 1, c)) / 4;
          assert.ok(Math.abs((data[(y * info.width + x) * 4 + c] ?? 0) - mean) < 20, `${x},${y},${c}`);
        }
    const color = "#123456";
    const picture = image(
      { ...file, preview: { thumbhash: Buffer.from(hash).toString("base64"), color } },
      { preset: "p" },
    );
    assert.equal(picture.placeholder, src);
    assert.equal(picture.style, `background: #123456 url("${src}") center / cover no-repeat`);
  });
}

test("image() with its placeholder is at most 1.5 KB, minified and gzipped, the loaders 1 KB", async (t) => {
  for (const [name, most] of [
    ["picture", 1536],
    ["loader", 1024],
  ] as const) {
    const entryPoints = [new URL(`../../client/src/${name}.ts`, import.meta.url).pathname];
    const { outputFiles } = await build({
      entryPoints,
      bundle: true,
      minify: true,
      format: "esm",
      target: "es2022",
      write: false,
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
    t.diagnostic(`${name}: ${bytes} bytes`);
    assert.ok(bytes > 300 && bytes <= most, `${name}: ${bytes} bytes`);
  }
});

test("loaders take paths and addresses of files, and answer the nearest size that needs no token", () => {
  const options = { url, preset: { small: 320, large: 960 } };
  const wide = `${at}?p=large&dpr=1.25`;
  assert.equal(nextLoader(options)({ src: "movies/a b.jpg", width: 1200 }), wide);
  assert.equal(
    nextLoader(options)({ src: `${url}/project/uploads/movies/a%20b.jpg?v=00ff`, width: 16 }),
    `${at}?p=small&v=00ff`,
  );
  assert.deepEqual(nuxtImage(options)("movies/a b.jpg", { modifiers: { width: "1200" } }), { url: wide });
  assert.deepEqual(nuxtImage(options)("movies/a b.jpg"), { url: `${at}?p=large` });
  assert.equal(unpicTransformer(options)(new URL(`${url}/project/uploads/movies/a%20b.jpg`), { width: 1200 }), wide);
  assert.equal(astroService(options).getURL({ src: `${url}/project/uploads/movies/a%20b.jpg`, width: 1200 }), wide);
});
