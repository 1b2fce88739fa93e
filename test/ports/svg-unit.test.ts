// Slow: a browser.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import sharp from "sharp";
import { inspectFile } from "../../src/core/bytes/disk/inspect.ts";
import type { Modifiers } from "../../src/image/modifier.ts";
import { RenderError } from "../../src/image/sharp/job.ts";
import { render } from "../../src/image/sharp/pipeline.ts";
import { noBrowser } from "../chromium.ts";
import { openPage } from "../client/browser.ts";

/** Lengths of an SVG are drawn as browsers draw them: an inch has 96 pixels. CSS Values and Units 4, §6.2. */

const folder = mkdtempSync(join(tmpdir(), "octavo-svg-unit-"));
after(() => rmSync(folder, { recursive: true }));

const limits = { maxSourcePixels: 100_000_000, maxOutputPixels: 40_000_000, maxSide: 8192 };
let count = 0;

type Drawn = { size: string; bytes: Buffer; exif: string | undefined };

async function drawn(svg: string, asked: Partial<Modifiers> = {}): Promise<Drawn> {
  const [source, result] = [join(folder, `${++count}.svg`), join(folder, `${count}.png`)];
  writeFileSync(source, svg);
  const modifiers: Modifiers = { or: "auto", fit: { kind: "contain" }, dpr: 1, ...asked };
  const job = {
    source,
    result,
    mark: undefined,
    sourceType: "image/svg+xml",
    modifiers,
    format: "png" as const,
    limits,
  };
  const { width, height } = await render(job);
  const { image } = await inspectFile(source);
  return { size: `${width}x${height}`, bytes: readFileSync(result), exif: image && `${image.width}x${image.height}` };
}

const svgOf = (attributes: string, body: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${body}</svg>`;
const inMm = '<rect x="2mm" y="3mm" width="5mm" height="4mm" fill="red"/><rect x="50%" y="50%" width="9" height="5"/>';
const inBox = '<rect x="2" y="3" width="12" height="2mm" fill="red"/>';
const box = 'viewBox="0 0 40 30"';

/** The size is what browsers call the natural one, but for view boxes alone, which have only a ratio there. */
const drawings: [name: string, svg: string, size: string][] = [
  ["millimetres", svgOf('width="210mm" height="297mm"', inMm), "794x1123"],
  ["millimetres and a view box", svgOf('width="210mm" height="297mm" viewBox="0 0 210 297"', inBox), "794x1123"],
  [
    "millimetres and a box that is stretched",
    svgOf(`width="40mm" height="9mm" ${box} preserveAspectRatio="none"`, inBox),
    "151x34",
  ],
  ["inches and points", svgOf('width="1in" height="72pt"', inMm), "96x96"],
  ["quarter millimetres and picas", svgOf('width="400Q" height="9pc"', inMm), "378x144"],
  ["pixels", svgOf('width="90px" height="60"', '<rect width="50%" height="20" fill="red"/>'), "90x60"],
  ["pixels, with millimetres inside", svgOf('width="90px" height="60"', inMm), "90x60"],
  [
    "millimetres in a style sheet",
    svgOf('width="90" height="60"', '<style>rect{x:2mm;width:5mm}</style><rect height="1in"/>'),
    "90x60",
  ],
  ["a width, and a view box", svgOf(`width="50mm" ${box}`, inBox), "189x142"],
  ["a height, and a view box", svgOf(`height="50mm" ${box}`, inBox), "252x189"],
  ["a width, a height in percent, and a view box", svgOf(`width="50mm" height="100%" ${box}`, inBox), "189x142"],
  ["percentages and a view box", svgOf(`width="100%" height="100%" ${box}`, inBox), "40x30"],
  ["a view box", svgOf(box, inBox), "40x30"],
  ["ems", svgOf(`width="2em" height="1.5em" ${box}`, inBox), "32x24"],
  ["ems of its own text", svgOf('width="10em" height="5rem" font-size="20px"', inMm), "200x100"],
  ["an invalid view box", svgOf('width="20mm" height="10mm" viewBox="0 0 4"', inMm), "76x38"],
  ["another size in its style", svgOf('width="20mm" height="10mm" style="width:1in"', inMm), "76x38"],
  [
    "a comment, a DOCTYPE and single quotes",
    `\ufeff<?xml version="1.0"?><!-- <svg width="9mm"> --><!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">
    <!ENTITY a "<svg>">]><s:svg xmlns:s='&ns;'
      height='10mm' aria-label=" width='3mm' > é" width='20mm' style='fill:red'><s:rect width='1cm' height='5'/></s:svg>`,
    "76x38",
  ],
];

for (const [name, svg, size] of drawings) {
  test(`an SVG with ${name} has the size of browsers, drawn and in exif`, async () => {
    const { size: own, exif } = await drawn(svg);
    assert.deepEqual([own, exif], [size, size]);
  });
}

/** Draws a picture of this size in the browser; its natural size, and its pixels as a data URL. */
const inBrowser = `async (svg, width, height) => {
  const image = new Image();
  image.src = "data:image/svg+xml," + encodeURIComponent(svg);
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  return [image.naturalWidth + "x" + image.naturalHeight, canvas.toDataURL()];
}`;

test("each of them looks as in a browser", { skip: noBrowser, timeout: 120_000 }, async () => {
  const { page } = await openPage();
  for (const [name, svg, size] of drawings) {
    const sides = size.replace("x", ",");
    const look = `(${inBrowser})(${JSON.stringify(svg)}, ${sides})`;
    const [natural, url] = (await page.evaluate(look)) as [string, string];
    const isRatio = size === "40x30";
    assert.equal(natural, isRatio ? "200x150" : size, name);
    const [own, other] = [(await drawn(svg)).bytes, Buffer.from(url.slice(url.indexOf(",") + 1), "base64")];
    assert.equal(await unlike(own, other), 0, name);
  }
});

const pixelsOf = (bytes: Buffer): Promise<Buffer> => sharp(bytes).flatten({ background: "#fff" }).raw().toBuffer();

/** The values that differ by more than the two smooth edges: a quarter of the whole range. */
async function unlike(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = [await pixelsOf(one), await pixelsOf(other)];
  assert.equal(a.length, b.length);
  assert.ok(
    a.some((value) => value < 9),
    "nothing is drawn",
  );
  return a.filter((value, at) => Math.abs(value - (b[at] as number)) > 64).length;
}

test("sizes and crops of an SVG in millimetres count pixels of browsers", async () => {
  const svg = svgOf('width="210mm" height="297mm"', '<rect x="105mm" width="105mm" height="297mm"/>');
  const asked = { crop: { width: 40, height: 20, x: 377, y: 0 }, w: { px: 400 } };
  const { size, bytes } = await drawn(svg, asked);
  assert.equal(size, "400x200");
  const { data } = await sharp(bytes).extractChannel(3).raw().toBuffer({ resolveWithObject: true });
  assert.deepEqual([data[190], data[210]], [0, 255], "the edge is at 396.85 of 794 pixels");
  assert.equal((await drawn(svg, { trim: 100 })).size, "397x1123");
});

test("an SVG of ten thousand inches is refused, as before", async () => {
  for (const size of ['width="10000in" height="10000in"', `width="10000in" ${box}`]) {
    await assert.rejects(
      drawn(svgOf(size, inMm)),
      (error) => error instanceof RenderError && error.code === "image_too_large",
    );
  }
});
