// Slow: it starts many drawing processes.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import type { Length, Mark, Modifiers } from "../../src/image/modifier.ts";
import { RenderError, type Rendered, type RenderJob } from "../../src/image/sharp/job.ts";
import { render } from "../../src/image/sharp/pipeline.ts";

const folder = mkdtempSync(join(tmpdir(), "octavo-pipeline-"));
after(() => rmSync(folder, { recursive: true }));

const px = (pixels: number): Length => ({ px: pixels });
const limits = { maxSourcePixels: 100_000_000, maxOutputPixels: 40_000_000, maxSide: 8192 };
const types: Record<string, string> = { jpeg: "image/jpeg", heif: "image/avif", svg: "image/svg+xml" };

type Asked = Partial<Modifiers> &
  Partial<Pick<RenderJob, "format" | "limits" | "sourceType" | "hashes" | "isStrict">> & { markBytes?: Buffer };
type Drawn = Rendered & { bytes: Buffer };

let count = 0;
function keep(bytes: Buffer): string {
  const file = join(folder, `${++count}`);
  writeFileSync(file, bytes);
  return file;
}

async function typeOf(bytes: Buffer): Promise<string> {
  const { format } = await sharp(bytes).metadata();
  return types[format] ?? `image/${format}`;
}

async function drawn(picture: Buffer | Sharp, asked: Asked = {}): Promise<Drawn> {
  const source = Buffer.isBuffer(picture) ? picture : await picture.png().toBuffer();
  const { format = "source", limits: within = limits, sourceType, hashes, markBytes, isStrict, ...modifiers } = asked;
  const result = join(folder, `${++count}`);
  const rendered = await render({
    ...{ source: keep(source), result, mark: markBytes && keep(markBytes), format, limits: within },
    ...(isStrict && { isStrict }),
    sourceType: sourceType ?? (await typeOf(source)),
    ...(hashes && { hashes }),
    modifiers: { or: "auto", fit: { kind: "contain" }, dpr: 1, ...modifiers },
  });
  const bytes = readFileSync(result);
  assert.equal(bytes.length, rendered.size);
  return { ...rendered, bytes };
}

async function fault(picture: Buffer, asked: Asked = {}): Promise<string> {
  try {
    await drawn(picture, asked);
    return "drawn";
  } catch (error) {
    assert.ok(error instanceof RenderError, `${error}`);
    return error.code;
  }
}

const paper = (width: number, height: number, background: string | object = "#c04020", channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { width, height, channels, background } });
/** The unpremultiplied values of one pixel. */
async function pixelAt(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}
const sizesOf = ({ width, height }: Drawn): number[] => [width, height];
const pixelOf = async (picture: Buffer | Sharp, asked: Asked): Promise<number[]> =>
  pixelAt((await drawn(picture, { format: "png", ...asked })).bytes, 1, 1);
function near(actual: number[], expected: number[], tolerance: number): void {
  const isNear = actual.length === expected.length && actual.every((v, i) => Math.abs(v - expected[i]!) <= tolerance);
  assert.ok(isNear, `${actual} is not ${expected}`);
}

const corners = { r: [255, 0, 0], g: [0, 255, 0], b: [0, 0, 255], w: [255, 255, 255] };
/** Four quadrants in these colours, row by row. */
const quarters = (width = 40, height = 20, order = "rgbw"): Sharp => {
  const quarter = (name: string, index: number) => {
    const [r, g, b] = corners[name as keyof typeof corners] as [number, number, number];
    const create = { width: width / 2, height: height / 2, channels: 3 as const, background: { r, g, b } };
    return { input: { create }, left: (index % 2) * create.width, top: Math.floor(index / 2) * create.height };
  };
  return paper(width, height).composite([...order].map(quarter));
};
async function cornersOf(bytes: Buffer, frame = 0): Promise<string> {
  const { data, info } = await sharp(bytes, { page: frame }).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const name = (x: number, y: number): string => {
    const at = (y * width + x) * 4;
    if (data[at + 3] === 0) return "-";
    const far = ([r, g, b]: number[]): number =>
      Math.abs(data[at]! - r!) + Math.abs(data[at + 1]! - g!) + Math.abs(data[at + 2]! - b!);
    const [best] = Object.entries(corners).sort((one, other) => far(one[1]) - far(other[1]));
    return best![0];
  };
  return name(1, 1) + name(width - 2, 1) + name(1, height - 2) + name(width - 2, height - 2);
}

test("the result has exactly the planned size, in every format", async () => {
  for (const format of ["jpg", "pjpg", "png", "gif", "webp", "avif"] as const) {
    const { type, width, height, bytes } = await drawn(paper(96, 64), { w: px(50), format });
    assert.equal(type, format.endsWith("jpg") ? "image/jpeg" : `image/${format}`);
    assert.equal(await typeOf(bytes), type);
    const found = await sharp(bytes).metadata();
    assert.deepEqual([width, height, found.width, found.height], [50, 33, 50, 33], format);
    assert.equal(found.isProgressive, format === "pjpg", format);
  }
});

test("the default format is the source's, PNG for an SVG, JPEG for formats browsers do not show", async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M0 0h8v8z"/></svg>');
  assert.equal((await drawn(await paper(9, 9).webp().toBuffer())).type, "image/webp");
  assert.equal((await drawn(await paper(9, 9).avif({ effort: 0 }).toBuffer())).type, "image/avif");
  assert.equal((await drawn(svg, { sourceType: "image/svg+xml" })).type, "image/png");
  assert.equal((await drawn(await paper(9, 9).tiff().toBuffer())).type, "image/jpeg");
});

test("quality and interlace are applied; metadata and profiles are removed", async () => {
  const source = await quarters(400, 200)
    .withExif({ IFD0: { Copyright: "x" } })
    .withIccProfile("srgb")
    .jpeg()
    .toBuffer();
  const [low, high] = [await drawn(source, { q: 5 }), await drawn(source, { q: 95 })];
  assert.ok(low.size < high.size / 1.5, `${low.size} ${high.size}`);
  assert.ok((await drawn(source, { q: 0 })).size > 0);
  const found = await sharp((await drawn(source, { w: px(100), interlace: true, format: "png" })).bytes).metadata();
  assert.deepEqual([found.isProgressive, found.exif, found.icc, found.xmp], [true, undefined, undefined, undefined]);
  const effect = await sharp((await drawn(source, { w: px(100), bri: 5 })).bytes).metadata();
  assert.deepEqual([effect.exif, effect.icc], [undefined, undefined]);
});

test("no tag of the source is in a result of any format", async () => {
  const exif = { IFD0: { Copyright: "a secret" }, IFD3: { GPSLatitude: "51/1 30/1 0/1" } };
  const tagged = quarters()
    .withMetadata({ orientation: 6, density: 300 })
    .withExifMerge(exif)
    .withXmp("<x>a secret</x>")
    .withIccProfile("p3");
  for (const source of [await tagged.clone().jpeg().toBuffer(), await tagged.clone().png().toBuffer()]) {
    assert.ok(source.includes("a secret"));
    for (const format of ["jpg", "pjpg", "png", "gif", "webp", "avif"] as const) {
      for (const more of [{}, { bri: 5 }]) {
        const { bytes } = await drawn(source, { format, ...more });
        const { exif, xmp, icc, iptc, orientation, comments } = await sharp(bytes).metadata();
        assert.deepEqual([exif, xmp, icc, iptc, orientation, comments], Array(6).fill(undefined), format);
        assert.ok(!/a secret|irot|imir/.test(bytes.toString("latin1")), format);
      }
    }
  }
});

test("every EXIF orientation is drawn upright", async () => {
  // The stored corners of a picture that is rgbw when upright.
  const stored = ["rgbw", "grwb", "wbgr", "bwrg", "rbgw", "gwrb", "wgbr", "brwg"];
  for (const [index, order] of stored.entries()) {
    const orientation = index + 1;
    const lying = orientation < 5 ? quarters(40, 20, order) : quarters(20, 40, order);
    const source = await lying.withMetadata({ orientation }).jpeg({ quality: 100 }).toBuffer();
    const whole = await drawn(source, { format: "png" });
    assert.deepEqual([whole.width, whole.height, await cornersOf(whole.bytes)], [40, 20, "rgbw"], `${orientation}`);
    const effect = await drawn(source, { format: "png", w: px(20), bri: 1, flip: "h" });
    assert.deepEqual([effect.width, effect.height, await cornersOf(effect.bytes)], [20, 10, "grwb"], `${orientation}`);
    const crop = { width: 20, height: 20, x: 20, y: 0 };
    const right = await drawn(source, { format: "png", crop, w: px(10) });
    assert.deepEqual([right.width, right.height, await cornersOf(right.bytes)], [10, 10, "ggww"], `${orientation}`);
  }
});

test("or= rotates counter-clockwise and ignores EXIF; a flip follows it", async () => {
  const source = await quarters().withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer();
  const turned = async (asked: Asked) => {
    const { width, height, bytes } = await drawn(source, { format: "png", ...asked });
    return `${width}x${height} ${await cornersOf(bytes)}`;
  };
  assert.equal(await turned({ or: "auto" }), "20x40 brwg");
  assert.equal(await turned({ or: 0 }), "40x20 rgbw");
  assert.equal(await turned({ or: 90 }), "20x40 gwrb");
  assert.equal(await turned({ or: 180 }), "40x20 wbgr");
  assert.equal(await turned({ or: 270 }), "20x40 brwg");
  assert.equal(await turned({ or: 90, flip: "h" }), "20x40 wgbr");
  assert.equal(await turned({ or: 90, flip: "v" }), "20x40 rbgw");
  assert.equal(await turned({ or: 90, flip: "both", w: px(10) }), "10x20 brwg");
  assert.equal(await turned({ or: 90, flip: "h", bri: 1 }), "20x40 wgbr");
  // The crop applies to the upright picture, before the flip: the upper half.
  assert.equal(await turned({ or: 90, flip: "h", crop: { width: 20, height: 20, x: 0, y: 0 } }), "20x20 wgwg");
  const corner = { kind: "crop", x: 0, y: 0, zoom: 1 } as const;
  assert.equal(await turned({ or: 0, flip: "h", w: px(20), h: px(20), fit: corner }), "20x20 rrbb");
  assert.equal(await turned({ or: 0, w: px(40), h: px(10), fit: corner }), "40x10 rgrg");
});

test("fit=fill centres the image on a transparent canvas, white in a JPEG, or in the background's colour", async () => {
  const asked: Asked = { w: px(40), h: px(40), fit: { kind: "fill" } };
  const corner = async (more: Asked) => pixelAt((await drawn(paper(40, 20), { ...asked, ...more })).bytes, 1, 1);
  assert.deepEqual((await corner({ format: "png" }))[3], 0);
  near(await corner({ format: "jpg" }), [255, 255, 255], 1);
  near(await corner({ format: "jpg", bg: { r: 0, g: 0, b: 255, alpha: 1 } }), [0, 0, 255], 4);
  near(await corner({ format: "png", bg: { r: 0, g: 0, b: 255, alpha: 1 } }), [0, 0, 255], 0);
  near(await corner({ format: "png", bg: { r: 0, g: 0, b: 255, alpha: 0.5 } }), [0, 0, 255, 128], 0);
  near(await corner({ format: "jpg", bg: { r: 0, g: 0, b: 255, alpha: 0.5 } }), [127, 127, 255], 4);
  near(await corner({ format: "png", bri: 10, bg: { r: 9, g: 8, b: 7, alpha: 1 } }), [9, 8, 7], 0);
  const { bytes } = await drawn(paper(40, 20), { ...asked, format: "png" });
  assert.deepEqual(await pixelAt(bytes, 20, 20), [192, 64, 32, 255]);
  assert.deepEqual([(await pixelAt(bytes, 20, 9))[3], (await pixelAt(bytes, 20, 10))[3]], [0, 255]);
});

const colour = "#c86432"; // 200 100 50
const tones: [asked: Asked, result: number[]][] = [
  [{ bri: 10 }, [225, 125, 75]],
  [{ bri: -10 }, [175, 75, 25]],
  [{ bri: 100 }, [255, 255, 255]],
  [{ bri: -50 }, [73, 0, 0]],
  // ((v / 255 − 0.5) · 1.21 + 0.5) · 255
  [{ con: 10 }, [215, 94, 33]],
  // · 2.25
  [{ con: 50 }, [255, 65, 0]],
  [{ con: -100 }, [127, 127, 127]],
  [{ con: -50 }, [145, 120, 108]],
  // 255 · (v / 255) ^ (1 / 2)
  [{ gam: 2 }, [226, 160, 113]],
  [{ gam: 0.5 }, [157, 39, 10]],
  [{ filt: "greyscale" }, [124, 124, 124]],
  // 124 −25 → 99 · contrast → 93; + 97, 69, 31 → 190 162 124; − 25 → 165 137 99; contrast → 172 138 93
  [{ filt: "sepia" }, [172, 138, 93]],
  // Brightness is clamped to 255 before the contrast.
  [{ bri: 50, con: -50 }, [159, 152, 139]],
];

for (const [asked, result] of tones) {
  test(`${JSON.stringify(asked)} turns 200 100 50 into ${result.join(" ")}`, async () => {
    assert.deepEqual(await pixelOf(paper(4, 4, colour), asked), result);
    const half = await pixelOf(paper(4, 4, { r: 200, g: 100, b: 50, alpha: 0.5 }, 4), asked);
    assert.deepEqual(half, [...result, 128], "with alpha");
  });
}

test("greyscale keeps white and black", async () => {
  assert.deepEqual(await pixelOf(paper(4, 4, "#fff"), { filt: "greyscale" }), [255, 255, 255]);
  assert.deepEqual(await pixelOf(paper(4, 4, "#000"), { filt: "greyscale" }), [0, 0, 0]);
});

/** Columns of these grey values, four rows high. */
const columns = (...values: number[]): Sharp =>
  sharp(Buffer.from(Array.from({ length: 4 }, () => values.flatMap((v) => [v, v, v])).flat()), {
    raw: { width: values.length, height: 4, channels: 3 },
  });
async function row(picture: Sharp, asked: Asked): Promise<number[]> {
  const { bytes } = await drawn(picture, { format: "png", ...asked });
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  return Array.from({ length: info.width }, (_, x) => data[(info.width + x) * info.channels]!);
}

test("sharpening applies the kernel of its strength", async () => {
  // 8: edge −0.2, no corners, middle 1.8: at 100 beside 120 it is 1.8 · 100 − 0.2 · (100 + 100 + 100 + 120).
  assert.deepEqual(await row(columns(100, 100, 100, 120, 120, 120), { sharp: 8 }), [100, 100, 96, 124, 120, 120]);
  // 20: corner −0.2, edge −0.5, middle 3.8: 20 levels beside, three times, by 0.9.
  assert.deepEqual(await row(columns(100, 100, 100, 120, 120, 120), { sharp: 20 }), [100, 100, 82, 138, 120, 120]);
  assert.deepEqual(await row(columns(0, 0, 255, 255), { sharp: 100 }), [0, 0, 255, 255]);
});

test("a blur is n passes of the kernel 1 2 1, each rounded down", async () => {
  assert.deepEqual(await row(columns(0, 0, 0, 160, 160, 160), { blur: 1 }), [0, 0, 40, 120, 160, 160]);
  assert.deepEqual(await row(columns(0, 0, 0, 160, 160, 160), { blur: 2 }), [0, 10, 50, 110, 150, 160]);
  assert.deepEqual(await row(columns(10, 11, 10, 11), { blur: 1 }), [10, 10, 10, 10]);
  assert.deepEqual(await row(columns(7, 7, 7), { blur: 100 }), [7, 7, 7]);
  assert.deepEqual(await row(columns(9), { blur: 100 }), [9]);
});

test("a blur of a large image approximates the passes, in bounded time", async () => {
  const { blur } = await import("../../src/image/sharp/blur.ts");
  const noise = Buffer.alloc(400 * 300 * 3);
  for (let at = 0; at < noise.length; at++) noise[at] = 128 + 60 * Math.sin(at / 97) + ((at * 7919) % 61) - 30;
  const pixels = () => ({ data: Uint8Array.from(noise), width: 400, height: 300, channels: 3 as const, frames: 1 });
  const exact = await blur(pixels(), 40);
  const quick = await blur(pixels(), 40, 1_000_000);
  assert.deepEqual([quick.width, quick.height], [400, 300]);
  const off = quick.data.reduce((sum, value, at) => sum + Math.abs(value - exact.data[at]!), 0) / noise.length;
  assert.ok(off < 8, `${off}`);
});

test("every pixel of a block has the same weight, transparent ones count as white", async () => {
  const bytes = Buffer.from([...[10, 20, 30, 255], ...[10, 20, 30, 51], ...[0, 0, 0, 0], ...[200, 90, 60, 255]]);
  const block = sharp(bytes, { raw: { width: 2, height: 2, channels: 4 } });
  assert.deepEqual(await pixelOf(block, { pixel: 2 }), [118, 96, 93, 140]);
});

test("pixelate draws blocks of the mean colour from the top left corner", async () => {
  assert.deepEqual(await row(columns(0, 10, 20, 30, 40), { pixel: 2 }), [5, 5, 25, 25, 40]);
  assert.deepEqual(await row(columns(0, 10, 20, 31), { pixel: 1000 }), [15, 15, 15, 15]);
});

const mark: Mark = {
  ...{ path: "m.png" as Mark["path"], fit: { kind: "contain" } as const, x: px(0), y: px(0) },
  ...{ position: "bottom-right" as const, alpha: 100 },
};

test("a mark is drawn at its position with its opacity", async () => {
  const markBytes = await paper(10, 10, "#000").png().toBuffer();
  const { bytes, width } = await drawn(paper(40, 40, "#fff"), { markBytes, mark: { ...mark, x: px(5), alpha: 40 } });
  assert.equal(width, 40);
  assert.deepEqual(await pixelAt(bytes, 24, 35), [255, 255, 255]);
  assert.deepEqual(await pixelAt(bytes, 25, 30), [153, 153, 153]);
  assert.deepEqual(await pixelAt(bytes, 34, 39), [153, 153, 153]);
  assert.deepEqual(await pixelAt(bytes, 35, 39), [255, 255, 255]);
});

test("a mark of any format is drawn, a larger one partly, an unreadable one is omitted", async () => {
  const white = paper(40, 40, "#fff");
  const middle = async (markBytes: Buffer, asked: Partial<Mark> = {}) =>
    pixelAt((await drawn(white, { markBytes, mark: { ...mark, ...asked } })).bytes, 20, 20);
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9H0z"/></svg>');
  assert.deepEqual(await middle(svg, { w: px(400), position: "center" }), [0, 0, 0]);
  const animated = await sharp(
    [await paper(90, 90, "#f00").png().toBuffer(), await paper(90, 90, "#00f").png().toBuffer()],
    {
      join: { animated: true },
    },
  )
    .gif()
    .toBuffer();
  near(await middle(animated), [255, 0, 0], 3);
  assert.deepEqual(await middle(Buffer.from("no picture")), [255, 255, 255]);
  assert.deepEqual(
    await middle(await paper(90, 90, { r: 0, g: 0, b: 0, alpha: 0 }, 4).png().toBuffer()),
    [255, 255, 255],
  );
});

test("a border overlays the edge, shrinks the image or expands the result", async () => {
  const color = { r: 0, g: 0, b: 0, alpha: 1 };
  const bordered = async (method: "overlay" | "shrink" | "expand", alpha = 1) => {
    const border = { width: px(4), method, color: { ...color, alpha } };
    const { width, height, bytes } = await drawn(paper(40, 20, "#fff"), { border });
    return [
      `${width}x${height}`,
      ...(await Promise.all([1, 3, 4].map(async (x) => (await pixelAt(bytes, x, 10)).join(" ")))),
    ];
  };
  assert.deepEqual(await bordered("overlay"), ["40x20", "0 0 0", "0 0 0", "255 255 255"]);
  assert.deepEqual(await bordered("overlay", 0.6), ["40x20", "102 102 102", "102 102 102", "255 255 255"]);
  assert.deepEqual(await bordered("shrink"), ["40x20", "0 0 0", "0 0 0", "255 255 255"]);
  assert.deepEqual(await bordered("expand"), ["48x28", "0 0 0", "0 0 0", "255 255 255"]);
  assert.deepEqual(await bordered("expand", 0.2), ["48x28", "0 0 0 51", "0 0 0 51", "255 255 255 255"]);
});

test("alpha is kept if the format has it, and on white in a JPEG", async () => {
  const glass = await paper(40, 40, { r: 200, g: 100, b: 50, alpha: 0.5 }, 4).png().toBuffer();
  near(await pixelOf(glass, { w: px(20) }), [200, 100, 50, 128], 1);
  near(await pixelOf(glass, { bg: { r: 0, g: 0, b: 0, alpha: 1 } }), [100, 50, 25], 1);
  near(await pixelOf(glass, { bri: 0, bg: { r: 0, g: 0, b: 0, alpha: 1 } }), [100, 50, 25], 1);
  near(await pixelAt((await drawn(glass, { format: "jpg" })).bytes, 9, 9), [227, 177, 152], 2);
  near(await pixelAt((await drawn(glass, { format: "jpg", con: 0 })).bytes, 9, 9), [227, 177, 152], 2);
});

async function animation(format: "gif" | "webp", frames = 3): Promise<Buffer> {
  const shades = ["#f00", "#0f0", "#00f", "#fff", "#000"].slice(0, frames);
  const pages = await Promise.all(
    shades.map((shade) =>
      quarters()
        .composite([{ input: { create: { width: 10, height: 10, channels: 3, background: shade } } }])
        .png()
        .toBuffer(),
    ),
  );
  const options = { delay: [50, 100, 200, 300, 400].slice(0, frames), loop: 2 };
  const joined = sharp(pages, { join: { animated: true } });
  return format === "gif" ? joined.gif(options).toBuffer() : joined.webp({ ...options, lossless: true }).toBuffer();
}

test("an animation keeps frames, delays and loop count, with the arguments applied to each frame", async () => {
  const asked: Asked[] = [
    { w: px(20) },
    { or: 90 },
    { flip: "v", w: px(20) },
    { bri: 1 },
    { or: 90, flip: "h", crop: { width: 20, height: 20, x: 0, y: 0 } },
  ];
  asked.push(
    { w: px(40), h: px(40), fit: { kind: "fill" }, or: 90 },
    { border: { width: px(4), method: "shrink", color: { r: 0, g: 255, b: 0, alpha: 1 } } },
  );
  asked.push({ w: px(20), h: px(20), fit: { kind: "crop", x: 30, y: 30, zoom: 1.5 } });
  for (const from of ["gif", "webp"] as const) {
    const source = await animation(from);
    for (const to of ["gif", "webp"] as const) {
      for (const each of asked) {
        const { width, height, bytes } = await drawn(source, { ...each, format: to });
        const found = await sharp(bytes, { pages: -1 }).metadata();
        const why = `${from} to ${to} ${JSON.stringify(each)}`;
        assert.deepEqual([found.pages, found.delay, found.loop], [3, [50, 100, 200], 2], why);
        assert.deepEqual([found.width, found.pageHeight], [width, height], why);
        for (let frame = 0; frame < 3; frame++) {
          const still = await drawn(await sharp(source, { page: frame }).png().toBuffer(), { ...each, format: "png" });
          assert.deepEqual([still.width, still.height], [width, height], why);
          assert.equal(await cornersOf(bytes, frame), await cornersOf(still.bytes), `${why}, frame ${frame}`);
        }
      }
    }
  }
});

test("an animation becomes its first frame in other formats and above a limit", async () => {
  const source = await animation("gif");
  const pages = async (asked: Asked) =>
    (await sharp((await drawn(source, asked)).bytes, { pages: -1 }).metadata()).pages;
  assert.equal(await pages({ format: "png" }), undefined);
  assert.equal(await pages({ limits: { ...limits, maxSourcePixels: 3 * 800 } }), 3);
  assert.equal((await pages({ limits: { ...limits, maxSourcePixels: 3 * 800 - 1 } })) ?? 1, 1);
  assert.equal(await pages({ w: px(20), limits: { ...limits, maxOutputPixels: 600 } }), 3);
  assert.equal((await pages({ w: px(20), limits: { ...limits, maxOutputPixels: 599 } })) ?? 1, 1);
});

test("greyscale, palette, 16-bit, CMYK and profiled sources are drawn in 8-bit sRGB", async () => {
  const base = paper(8, 8, colour);
  const png = await base.png().toBuffer();
  const grey = await sharp(png).greyscale().jpeg({ quality: 100 }).toBuffer();
  const [level] = await pixelAt(grey, 1, 1);
  near(await pixelOf(grey, { bri: 10 }), [level! + 25, level! + 25, level! + 25], 0);
  near(await pixelOf(await sharp(png).png({ palette: true }).toBuffer(), { w: px(4) }), [200, 100, 50], 0);
  const wide = await sharp(png).toColourspace("rgb16").png().toBuffer();
  assert.equal((await sharp(wide).metadata()).depth, "ushort");
  const narrow = await drawn(wide, { w: px(4) });
  assert.equal((await sharp(narrow.bytes).metadata()).depth, "uchar");
  near(await pixelAt(narrow.bytes, 1, 1), [200, 100, 50], 1);
  near(await pixelOf(wide, { bri: 10 }), [225, 125, 75], 1);
  near(
    await pixelOf(wide, { w: px(16), h: px(16), fit: { kind: "fill-max" }, bg: { r: 9, g: 9, b: 9, alpha: 1 } }),
    [200, 100, 50],
    1,
  );
  for (const depth of ["srgb", "rgb16"]) {
    const p3 = await sharp(png).withIccProfile("p3").toColourspace(depth).png().toBuffer();
    near(await pixelOf(p3, { w: px(4) }), [200, 100, 50], 3);
    near(await pixelOf(p3, { bri: 10 }), [225, 125, 75], 3);
  }
});

test("CMYK is converted by its profile, without one by plain inversion", async () => {
  const png = await paper(16, 16, colour).png().toBuffer();
  const cmyk = sharp(png).toColourspace("cmyk");
  const profiled = await cmyk.clone().withIccProfile("cmyk").jpeg({ quality: 100 }).toBuffer();
  near(await pixelOf(profiled, {}), await pixelAt(profiled, 1, 1), 1);
  const bare = await cmyk.jpeg({ quality: 100 }).toBuffer();
  assert.equal((await sharp(bare).metadata()).icc, undefined);
  const [c, m, y, k] = (await sharp(bare)
    .pipelineColourspace("cmyk")
    .toColourspace("cmyk")
    .raw()
    .toBuffer()) as unknown as [number, number, number, number];
  const expected = [c, m, y].map((ink) => ((255 - ink) * (255 - k)) / 255);
  near(await pixelOf(bare, {}), expected, 2);
  near(
    await pixelOf(bare, { w: px(4), bri: 10 }),
    expected.map((value) => value + 25),
    2,
  );
});

test("an image of one pixel is drawn", async () => {
  for (const asked of [
    {},
    { w: px(50), h: px(3) },
    { blur: 5, sharp: 50, pixel: 9 },
    { crop: { width: 1, height: 1, x: 0, y: 0 } },
    { fit: { kind: "crop", x: 0, y: 100, zoom: 100 } },
    { border: { width: px(9), method: "shrink", color: { r: 0, g: 0, b: 0, alpha: 1 } } },
  ] as Asked[]) {
    const { width, height } = await drawn(paper(1, 1), asked);
    assert.deepEqual([width, height], asked.w ? [3, 3] : [1, 1], JSON.stringify(asked));
  }
});

test("the largest zoom takes no more memory than its result", async () => {
  const before = process.memoryUsage().rss;
  const { width, height } = await drawn(quarters(), {
    w: px(2000),
    h: px(2000),
    fit: { kind: "crop", x: 50, y: 50, zoom: 100 },
    format: "jpg",
  });
  assert.deepEqual([width, height], [2000, 2000]);
  assert.ok(process.memoryUsage().rss - before < 200_000_000);
});

test("a truncated image is unreadable, a JPEG only with strict, and nothing else fails", async () => {
  const photo = Buffer.alloc(120 * 90 * 3);
  for (let at = 0; at < photo.length; at++) photo[at] = (at * 7919) % 251;
  const noise = sharp(photo, { raw: { width: 120, height: 90, channels: 3 } });
  const sources = {
    jpeg: await noise.jpeg().toBuffer(),
    png: await noise.png().toBuffer(),
    webp: await noise.webp().toBuffer(),
    avif: await noise.avif({ effort: 0 }).toBuffer(),
    gif: await noise.gif().toBuffer(),
    tiff: await noise.tiff().toBuffer(),
  };
  for (const [name, whole] of Object.entries(sources)) {
    const sourceType = `image/${name}`;
    assert.equal(await fault(whole, { sourceType, w: px(50) }), "drawn");
    for (let part = 1; part < 20; part++) {
      const cutOff = whole.subarray(0, Math.floor((whole.length * part) / 20));
      for (const format of ["jpg", "png", "webp", "gif"] as const) {
        const found = await fault(cutOff, { sourceType, w: px(50), format, isStrict: true });
        assert.equal(found, "image_unreadable", `${name} ${part}/20 to ${format}`);
      }
    }
    assert.equal(await fault(Buffer.alloc(0), { sourceType }), "image_unreadable");
  }
});

test("a truncated JPEG is drawn as far as possible", async () => {
  for (const progressive of [false, true]) {
    const whole = await quarters(400, 200).jpeg({ quality: 95, progressive }).toBuffer();
    for (const cutOff of [whole.subarray(0, -2), whole.subarray(0, -20)]) {
      const { bytes, width, height } = await drawn(cutOff, { sourceType: "image/jpeg", format: "png", w: px(200) });
      assert.deepEqual([width, height], [200, 100]);
      near(await pixelAt(bytes, 5, 5), [255, 0, 0], 6);
    }
    assert.equal(
      await fault(whole.subarray(0, whole.indexOf("ffda", 0, "hex")), { sourceType: "image/jpeg" }),
      "image_unreadable",
    );
  }
});

test("a truncated PNG is drawn as far as it is there, also as a watermark; a damaged one is unreadable", async () => {
  const options = { compressionLevel: 0, adaptiveFiltering: false };
  const whole = await quarters(400, 200).png(options).toBuffer();
  const cut = whole.subarray(0, whole.length >> 1);
  const shown = await drawn(cut, { format: "png", w: px(200) });
  assert.deepEqual([...sizesOf(shown), (await cornersOf(shown.bytes)).slice(0, 2)], [200, 100, "rg"]);
  near(await pixelAt(shown.bytes, 100, 90), [0, 0, 0, 0], 0);
  assert.equal(await fault(cut, { w: px(200), isStrict: true }), "image_unreadable");
  const marked = { mark: { ...mark, position: "top-left" as const }, markBytes: cut };
  near(await pixelOf(paper(400, 200), marked), [255, 0, 0], 0);
  assert.equal(await fault(whole, { ...marked, isStrict: true }), "mark_unreadable");
  // Nothing of it is there, or only every second column and row.
  const interlaced = await quarters(400, 200).png({ progressive: true }).toBuffer();
  for (const none of [whole.subarray(0, 900), interlaced.subarray(0, -40)]) {
    assert.equal(await fault(none, { w: px(200) }), "image_unreadable");
  }
  // Bytes behind the end are no part of the picture.
  const longer = Buffer.concat([whole, Buffer.alloc(100)]).fill(0x5a, 2000, 4000);
  for (const damaged of [Buffer.from(whole).fill(0x5a, 2000, 4000), longer]) {
    assert.equal(await fault(damaged, { w: px(200) }), "image_unreadable");
  }
});

test("an animated AVIF is drawn by its first frame, also as a watermark", async () => {
  const moving = readFileSync(new URL("../fixtures/animated.avif", import.meta.url));
  for (const format of ["jpg", "png", "gif", "webp", "avif"] as const) {
    const { bytes, ...shown } = await drawn(moving, { sourceType: "image/avif", format, w: px(24) });
    assert.deepEqual([shown.width, shown.height, await cornersOf(bytes)], [24, 16, "rrrr"], format);
    assert.equal((await sharp(bytes).metadata()).pages ?? 1, 1, format);
  }
  const marked = { mark: { ...mark, position: "top-left" as const }, markBytes: moving };
  const [red = 0, green = 255] = await pixelOf(paper(60, 40, "#00ff00"), marked);
  assert.ok(red > 200 && green < 60, `${red} ${green}`);
});

test("trim removes edges of one colour before everything except the rotation", async () => {
  const framed = paper(60, 40, "#ffffff").composite([{ input: await quarters().png().toBuffer(), left: 13, top: 6 }]);
  const png = await framed.clone().png().toBuffer();
  const cut = await drawn(png, { trim: 10 });
  assert.deepEqual([cut.width, cut.height, (await cornersOf(cut.bytes)).slice(0, 3)], [40, 20, "rgb"]);
  const upper = await drawn(png, { trim: 10, crop: { width: 20, height: 10, x: 20, y: 0 }, or: 180 });
  assert.deepEqual([upper.width, upper.height, await cornersOf(upper.bytes)], [20, 10, "bbbb"]);
  assert.deepEqual(sizesOf(await drawn(png, { trim: 10, w: px(20) })), [20, 10]);
  assert.deepEqual(
    sizesOf(await drawn(paper(30, 20), { trim: 10 })),
    [30, 20],
    "an image of one colour is not trimmed",
  );
  assert.equal(
    await fault(png, { trim: 10, isStrict: true, crop: { width: 5, height: 5, x: 45, y: 0 } }),
    "crop_outside",
  );
});

test("crop=smart keeps the salient part in the aspect ratio of w and h, rotated or not", async () => {
  const eye = { input: await paper(60, 60, "#e01010").png().toBuffer(), left: 320, top: 70 };
  const scene = paper(400, 200, "#f4f4f4").composite([eye]);
  for (const orientation of [1, 3, 6, 8]) {
    const source = await scene.clone().withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
    const { bytes, width, height } = await drawn(source, { crop: "smart", w: px(100), h: px(100), format: "png" });
    assert.deepEqual([width, height], [100, 100]);
    const { channels } = await sharp(bytes).stats();
    // The red square is 9 percent of the kept part, and complete.
    near([(255 - channels[1]!.mean) / 255], [0.125], 0.02);
  }
});

test("a lossless WebP keeps every pixel, a lossless AVIF almost", async () => {
  const source = await quarters(64, 64).png().toBuffer();
  const pixels = await sharp(source).removeAlpha().raw().toBuffer();
  const same = async (format: "webp" | "avif") =>
    sharp((await drawn(source, { format, lossless: true, q: 10 })).bytes)
      .removeAlpha()
      .raw()
      .toBuffer();
  assert.ok((await same("webp")).equals(pixels));
  assert.ok((await same("avif")).every((value, at) => Math.abs(value - pixels[at]!) <= 2));
});

test("a GIF with 65,536 loops is drawn with the largest loop count of the format", async () => {
  const frames = await Promise.all(["#f00", "#0f0"].map((color) => paper(8, 8, color).png().toBuffer()));
  const gif = await sharp(frames, { join: { animated: true } })
    .gif({ loop: 3, delay: [50, 50] })
    .toBuffer();
  const at = gif.indexOf("NETSCAPE2.0") + 13;
  gif.writeUInt16LE(65_535, at);
  assert.equal((await sharp(gif).metadata()).loop, 65_536);
  for (const format of ["gif", "webp"] as const) {
    const found = await sharp((await drawn(gif, { format, w: px(4) })).bytes).metadata();
    assert.deepEqual([found.pages, (found.loop ?? 0) >= 65_535], [2, true], format);
  }
});

test("a large GIF keeps its colours, row order and transparency", async () => {
  const large = quarters(2600, 1600);
  for (const interlace of [undefined, true] as const) {
    const { bytes, width, height } = await drawn(large, { format: "gif", ...(interlace && { interlace }) });
    const found = await sharp(bytes).metadata();
    assert.deepEqual([width, height, found.width, found.height], [2600, 1600, 2600, 1600]);
    assert.equal(found.isProgressive, interlace ?? false);
    assert.equal(await cornersOf(bytes), "rgbw");
    near((await pixelAt(bytes, 1299, 799)).slice(0, 3), [255, 0, 0], 8);
  }
  const clear = paper(2600, 1600, "#00000000", 4).composite([
    { input: await paper(900, 900).png().toBuffer(), left: 0, top: 0 },
  ]);
  const { bytes } = await drawn(clear, { format: "gif" });
  near(await pixelAt(bytes, 400, 400), [192, 64, 32, 255], 8);
  assert.equal((await pixelAt(bytes, 2000, 1200))[3], 0);
  const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
  const grain = await sharp({ create: { width: 2200, height: 2000, channels: 3, background: "black", noise } })
    .png()
    .toBuffer();
  const [grey, was] = [await sharp((await drawn(grain, { format: "gif" })).bytes).stats(), await sharp(grain).stats()];
  near([grey.channels[0]!.mean, grey.channels[0]!.stdev], [was.channels[0]!.mean, was.channels[0]!.stdev], 6);
});

test("strict refuses a size above the limits and an unreadable mark", async () => {
  const source = await paper(40, 20).png().toBuffer();
  const small = { ...limits, maxSide: 100 };
  assert.equal(await fault(source, { limits: small, w: px(101), isStrict: true }), "size_reduced");
  assert.equal(await fault(source, { limits: small, w: px(100), isStrict: true }), "drawn");
  const fit = { kind: "contain" } as const;
  const mark: Mark = { path: "m" as Mark["path"], fit, x: px(0), y: px(0), position: "top", alpha: 100 };
  const broken = Buffer.from("no picture");
  assert.equal(await fault(source, { mark, markBytes: broken, isStrict: true }), "mark_unreadable");
  assert.equal(await fault(source, { mark, markBytes: broken }), "drawn");
});

test("damage anywhere gives an image or image_unreadable", async () => {
  const whole = await quarters(120, 90).jpeg().toBuffer();
  for (let at = 0; at < whole.length; at += 7) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at]! + 101) % 256;
    const found = await fault(damaged, { sourceType: "image/jpeg", w: px(50), bri: 10 });
    assert.ok(["drawn", "image_unreadable", "image_too_large"].includes(found), `${at} ${found}`);
  }
});

/** A PNG of one grey value with data of about one row. */
function hugePng(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const parts = [
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(100_000))),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]);
}

test("an image that is too large is refused by its header", async () => {
  assert.equal(await fault(hugePng(30_000, 30_000), { sourceType: "image/png" }), "image_too_large");
  assert.equal(
    await fault(await paper(101, 100).png().toBuffer(), { limits: { ...limits, maxSourcePixels: 10_000 } }),
    "image_too_large",
  );
  const svg = (size: string) =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size}><path d="M0 0h8v8z"/></svg>`);
  assert.equal(await fault(svg('width="60000" height="60000"'), { sourceType: "image/svg+xml" }), "image_too_large");
});

test("an unsupported type is image_unsupported, another type than the stored one image_unreadable", async () => {
  const png = await paper(4, 4).png().toBuffer();
  for (const sourceType of ["image/heic", "image/bmp", "image/x-icon", "application/pdf", "text/plain", "toString"]) {
    assert.equal(await fault(png, { sourceType }), "image_unsupported", sourceType);
  }
  assert.equal(await fault(png, { sourceType: "image/jpeg" }), "image_unreadable");
  assert.equal(await fault(Buffer.from("P2 1 1 255 0"), { sourceType: "image/png" }), "image_unreadable");
});

const svgOf = (body: string, size = 'width="20" height="10"'): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${body}</svg>`,
  );

test("an SVG is rasterised at the needed size, not enlarged", async () => {
  const half = svgOf('<path d="M0 0h10v10H0z" fill="#f00"/>');
  for (const asked of [{ w: px(1000) }, { w: px(1000), crop: { width: 10, height: 5, x: 5, y: 0 } }] as Asked[]) {
    const { width, height, bytes, type } = await drawn(half, { ...asked, sourceType: "image/svg+xml" });
    assert.deepEqual([type, width, height], ["image/png", 1000, 500]);
    assert.deepEqual(await pixelAt(bytes, 497, 250), [255, 0, 0, 255]);
    assert.equal((await pixelAt(bytes, 502, 250))[3], 0);
  }
  assert.equal((await drawn(svgOf("", 'viewBox="0 0 30 40"'), { sourceType: "image/svg+xml" })).width, 30);
});

test("an SVG with expanding entities is unreadable", async () => {
  const levels = Array.from({ length: 9 }, (_, i) => `<g id="a${i + 1}">${`<use href="#a${i}"/>`.repeat(10)}</g>`);
  const uses = `<defs><rect id="a0" width="1" height="1"/>${levels.join("")}</defs><use href="#a9"/>`;
  const entities = [..."bcdefgh"].map((name, i) => `<!ENTITY ${name} "${`&${"abcdefg"[i]};`.repeat(10)}">`);
  const laughs = `<!DOCTYPE svg [<!ENTITY a "${"x".repeat(1000)}">${entities.join("")}]>${svgOf("<text>&h;</text>")}`;
  for (const svg of [svgOf(uses), Buffer.from(laughs), svgOf("<g>".repeat(9999) + "</g>".repeat(9999))]) {
    assert.equal(await fault(svg, { sourceType: "image/svg+xml", format: "png" }), "image_unreadable");
  }
});

test("an SVG fetches and reads nothing, and its scripts do not run", async (t) => {
  let hits = 0;
  const server = createServer((_, response) => {
    hits++;
    response.end();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const secret = keep(await paper(20, 10, "#f00").png().toBuffer());
  const names = [`${site}/a.png`, `file://${secret}`, secret, secret.split("/").at(-1) as string, `${site}/a.svg#x`];
  const bodies = names.flatMap((name) => [
    `<image href="${name}" width="20" height="10"/>`,
    `<image xlink:href="${name}" width="20" height="10"/>`,
    `<use href="${name}"/>`,
    `<style>@import url("${name}"); path { fill: url("${name}") }</style>`,
    `<filter id="f"><feImage href="${name}"/></filter><rect width="20" height="10" filter="url(#f)" fill="none"/>`,
    `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${name}" parse="text"/>`,
    `<foreignObject width="20" height="10"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${name}"/></foreignObject>`,
    `<script href="${name}"/><script>throw new Error()</script>`,
  ]);
  const documents = bodies.map((body) => svgOf(body));
  for (const name of names) {
    const entity = `<!DOCTYPE svg [<!ENTITY e SYSTEM "${name}">]>${svgOf("<text y='9'>&e;</text>")}`;
    documents.push(Buffer.from(entity), Buffer.from(`<?xml-stylesheet href="${name}" type="text/css"?>${svgOf("")}`));
  }
  for (const svg of documents) {
    if ((await fault(svg, { sourceType: "image/svg+xml" })) !== "drawn") continue;
    const { bytes } = await drawn(svg, { sourceType: "image/svg+xml" });
    const { data } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    for (let at = 0; at < data.length; at += 4)
      assert.ok(data[at]! < 250 || data[at + 1]! > 5 || data[at + 3]! < 200, `${svg}`);
  }
  assert.equal(hits, 0);
});

test("a missing source or an unwritable target is not image_unreadable", async () => {
  const job = {
    mark: undefined,
    sourceType: "image/png",
    modifiers: { or: "auto", fit: { kind: "contain" }, dpr: 1 },
    format: "png",
    limits,
  } as const;
  const isInternal = { code: "internal" };
  await assert.rejects(render({ ...job, source: join(folder, "none"), result: join(folder, "r") }), isInternal);
  const source = keep(await paper(4, 4).png().toBuffer());
  await assert.rejects(render({ ...job, source, result: join(folder, "none", "r") }), isInternal);
});

test("a large picture that is decoded whole is drawn only by an exclusive job", async () => {
  const paperOf = (side: number) => paper(side, side);
  const cases: [name: string, picture: Sharp, concurrency: string][] = [
    ["large progressive", paperOf(3500).jpeg({ progressive: true }), "exclusive"],
    ["large baseline", paperOf(3500).jpeg(), "shared"],
    ["small progressive", paperOf(3400).jpeg({ progressive: true }), "shared"],
    ["large webp", paperOf(3500).webp({ effort: 0 }), "exclusive"],
    ["small webp", paperOf(3400).webp({ effort: 0 }), "shared"],
    ["large interlaced", paperOf(3500).png({ progressive: true, compressionLevel: 1 }), "exclusive"],
    ["large png", paperOf(3500).png({ compressionLevel: 1 }), "shared"],
  ];
  for (const [name, picture, concurrency] of cases) {
    const bytes = await picture.toBuffer();
    const job: RenderJob = {
      ...{ source: keep(bytes), result: join(folder, name), mark: undefined, format: "jpg", limits },
      ...{ sourceType: await typeOf(bytes), modifiers: { or: "auto", fit: { kind: "contain" }, dpr: 1, w: px(40) } },
    };
    if (concurrency === "exclusive") await assert.rejects(render(job, "shared"), { code: "needs_exclusive" }, name);
    assert.equal((await render(job, concurrency as "exclusive")).width, 40, name);
  }
});

test("a source or a mark whose bytes do not match its hash is not drawn", async () => {
  const [source, mark] = await Promise.all([paper(20, 20).png().toBuffer(), paper(5, 5, "#00f").png().toBuffer()]);
  const [one, two] = [source, mark].map((bytes) => createHash("sha256").update(bytes).digest("hex")) as [
    string,
    string,
  ];
  const marked = { markBytes: mark } as const;
  assert.equal((await drawn(source, { ...marked, hashes: [one, two] })).width, 20);
  assert.equal(await fault(source, { ...marked, hashes: [two, two] }), "source_changed");
  assert.equal(await fault(source, { ...marked, hashes: [one, one] }), "source_changed");
});
