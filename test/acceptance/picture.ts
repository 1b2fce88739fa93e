/** Shared by the chapters about images: test images whose pixels encode their position, and decoded replies. */
import assert from "node:assert/strict";
import sharp, { type Sharp } from "sharp";
import { atEnd } from "../ending.ts";
import type { Arguments, Call, Reply } from "./client.ts";
import { brackets } from "./client.ts";
import { enterMedia, plantFile, upload } from "./media.ts";
import { dataOf, type World } from "./world.ts";

/** Red, green, blue, and alpha where it matters, 0 to 255. */
export type Rgb = readonly number[];

// ------------------------------------------------------------------------------------------------ a chapter's place

/** The folder of the watermarks, and the one that is tried for a missing path. Contract §7. */
export type Beside = "watermarks" | "entries";

/** A chapter with its own folder, also below `watermarks/` and `entries/` once something is uploaded there. */
export async function enterPictures(chapter: string): Promise<World> {
  const world = await enterMedia(chapter);
  for (const beside of ["watermarks", "entries"]) {
    atEnd(() => world.write("DELETE", { path: `${beside}/${world.prefix}` }, "/api/folders"));
  }
  return world;
}

/** Uploads below `watermarks/` or `entries/`, into the chapter's folder there. */
export async function plantBeside(world: World, beside: Beside, name: string, bytes: Uint8Array): Promise<void> {
  const fields = { folder: `${beside}/${world.prefix}` };
  assert.equal(dataOf(await upload(world, { name, bytes, fields })).filename, name);
}

/** Uploads pictures by their names. */
export async function plantPictures(world: World, pictures: Record<string, Uint8Array | string>): Promise<void> {
  await Promise.all(Object.entries(pictures).map(([path, bytes]) => plantFile(world, path, { bytes })));
}

// ------------------------------------------------------------------------------------------------ requests

export type Ask = Partial<Call> & {
  /** In the query; null sends none. */
  token?: string | null;
};

/** GET /api/images/<a path of the whole uploads>, sent as it is. */
export function imageAt(world: World, path: string, args: Arguments | string = {}, ask: Ask = {}): Promise<Reply> {
  const { token = world.tokens.images, ...call } = ask;
  const query = typeof args === "string" ? args : brackets(args);
  const tokens = token === null ? [] : [`token=${encodeURIComponent(token)}`];
  return world.send({ path: `/api/images/${path}`, query: [query, ...tokens].filter(Boolean).join("&"), ...call });
}

/** GET /api/images/<a path below the chapter's folder>. */
export const image = (world: World, path: string, args: Arguments | string = {}, ask: Ask = {}): Promise<Reply> =>
  imageAt(world, world.id(path).split("/").map(encodeURIComponent).join("/"), args, ask);

// ------------------------------------------------------------------------------------------------ decoding

export type Seen = {
  /** sharp's name of the format; an AVIF is `heif`. */
  format: string;
  width: number;
  /** Of one frame. */
  height: number;
  pages: number;
  delay: number[] | undefined;
  loop: number | undefined;
  channels: number;
  isProgressive: boolean;
  orientation: number | undefined;
  space: string | undefined;
  /** RGBA of a pixel of a frame; below 0 counts from the right or the bottom. */
  at(x: number, y: number, page?: number): number[];
};

/** Decodes a reply. */
export async function look(bytes: Uint8Array): Promise<Seen> {
  const picture = sharp(bytes, { animated: true });
  const metadata = await picture.metadata();
  const { data, info } = await picture.ensureAlpha().toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
  const pages = metadata.pages ?? 1;
  const height = pages > 1 ? (metadata.pageHeight as number) : info.height;
  const { format, delay, loop, channels, orientation, space } = metadata;
  const at = (x: number, y: number, page = 0): number[] => {
    const [column, row] = [x < 0 ? info.width + x : x, y < 0 ? height + y : y];
    assert.ok(column >= 0 && column < info.width && row >= 0 && row < height, `${x},${y} is in the picture`);
    const start = ((page * height + row) * info.width + column) * info.channels;
    return [...data.subarray(start, start + 4)];
  };
  const isProgressive = metadata.isProgressive ?? false;
  return { format, width: info.width, height, pages, delay, loop, channels, isProgressive, orientation, space, at };
}

/** Requests an image, which must succeed, and decodes it. */
export async function drawn(world: World, path: string, args: Arguments | string, ask: Ask = {}): Promise<Seen> {
  return seenIn(await image(world, path, args, ask));
}

/** Decodes a reply that must be an image. */
export async function seenIn(reply: Reply): Promise<Seen> {
  const said = `${reply.call.path}?${reply.call.query}`.replace(/&?token=[^&]*/, "");
  assert.equal(reply.status, 200, `${said}: ${reply.text.slice(0, 300)}`);
  assert.match(reply.headers["content-type"] ?? "", /^image\//, said);
  assert.equal(reply.headers["content-length"], String(reply.bytes.length), said);
  return look(reply.bytes);
}

export const sizeOf = ({ width, height }: Seen): string => `${width}x${height}`;

/** Asserts each expected channel, within the tolerance. */
export function near(actual: Rgb, expected: Rgb, tolerance = 3, what = ""): void {
  const isNear = expected.every((value, n) => Math.abs((actual[n] as number) - value) <= tolerance);
  const rounded = expected.map((value) => Math.round(value * 10) / 10);
  assert.ok(isNear, `${what} is ${actual.slice(0, expected.length)}, not ${rounded} within ${tolerance}`);
}

// ------------------------------------------------------------------------------------------------ generated pictures

/** An image from its pixels, as a sharp object; encode it in any format. */
export function paint(width: number, height: number, colour: (x: number, y: number) => Rgb): Sharp {
  const channels = colour(0, 0).length as 3 | 4;
  const pixels = Buffer.alloc(width * height * channels);
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) for (const value of colour(x, y)) pixels[at++] = value;
  }
  return sharp(pixels, { raw: { width, height, channels } });
}

export const flat = (width: number, height: number, colour: Rgb): Sharp => paint(width, height, () => colour);

const quarters: Record<string, Rgb> = {
  R: [220, 40, 40],
  G: [40, 200, 60],
  B: [40, 60, 220],
  Y: [240, 220, 60],
};

/** The colour of upright four-quadrant pictures: red and green above, blue and yellow below. */
export const quarter = (x: number, y: number, width: number, height: number): Rgb => {
  const name = y < height / 2 ? (x < width / 2 ? "R" : "G") : x < width / 2 ? "B" : "Y";
  return quarters[name] as Rgb;
};
export const quadrants = (width: number, height: number): Sharp =>
  paint(width, height, (x, y) => quarter(x, y, width, height));

/** The quadrant colours at the corners of a picture: `RG/BY` without a rotation. */
export function corners(seen: Seen, page = 0): string {
  const { width, height } = seen;
  const [left, top] = [Math.floor(width / 8), Math.floor(height / 8)];
  const name = (x: number, y: number): string => {
    const colour = seen.at(x, y, page);
    const away = (other: Rgb) => other.reduce((sum, value, n) => sum + Math.abs(value - (colour[n] as number)), 0);
    const sorted = Object.entries(quarters).sort(([, a], [, b]) => away(a) - away(b));
    const [best = ["?", []]] = sorted;
    return away(best[1] as Rgb) < 120 ? (best[0] as string) : `(${colour})`;
  };
  const [right, bottom] = [width - 1 - left, height - 1 - top];
  return `${name(left, top)}${name(right, top)}/${name(left, bottom)}${name(right, bottom)}`;
}

/**
 * A four-quadrant picture that is upright when it is shown by its EXIF orientation. The two words of each orientation
 * are where its first row and its first column are shown (EXIF 2.3, tag 274).
 */
export function oriented(orientation: number, width: number, height: number): Sharp {
  const isTurned = orientation >= 5;
  const isRight = [2, 3, 6, 7].includes(orientation);
  const isBottom = [3, 4, 7, 8].includes(orientation);
  const colour = (column: number, row: number): Rgb => {
    const [x, y] = isTurned ? [row, column] : [column, row];
    return quarter(isRight ? width - 1 - x : x, isBottom ? height - 1 - y : y, width, height);
  };
  const stored = isTurned ? paint(height, width, colour) : paint(width, height, colour);
  return stored.withMetadata({ orientation });
}

/** An image whose red channel encodes the x position and whose green channel the y position. */
export const chart = (width: number, height: number): Sharp =>
  paint(width, height, (x, y) => [
    Math.round((255 * (x + 0.5)) / width),
    Math.round((255 * (y + 0.5)) / height),
    128,
    255,
  ]);

/** The part of a chart that an image shows, in percent of it: left, top, right, bottom. */
export function partOf(seen: Seen): number[] {
  const [first, last] = [seen.at(0, 0), seen.at(-1, -1)];
  const percent = (value: number | undefined) => Math.round(((value as number) / 255) * 1000) / 10;
  return [percent(first[0]), percent(first[1]), percent(last[0]), percent(last[1])];
}

/** Deterministic pixels that compress badly. */
export function noise(width: number, height: number, seed = 1): Sharp {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  return paint(width, height, () => [next(), next(), next()]);
}

/** An animation of flat frames with a black strip on the left. */
export async function animation(width: number, height: number, colours: readonly Rgb[]): Promise<Sharp> {
  const black: Rgb = [0, 0, 0, 255].slice(0, colours[0]?.length);
  const frame = (colour: Rgb) => paint(width, height, (x) => (x < width / 4 ? black : colour));
  const frames = await Promise.all(colours.map((colour) => frame(colour).png().toBuffer()));
  return sharp(frames, { join: { animated: true } });
}

/** A GIF of two frames over and over: few bytes, many pixels. */
export async function longGif(width: number, height: number, frames: number): Promise<Buffer> {
  const colours: Rgb[] = [
    [200, 60, 20],
    [20, 60, 200],
  ];
  const two = await (await animation(width, height, colours)).gif({ loop: 0, delay: [100, 100] }).toBuffer();
  const start = two.indexOf(Buffer.from([0x21, 0xf9, 4]));
  const pair = two.subarray(start, -1);
  const pairs = Array.from({ length: Math.ceil(frames / 2) }, () => pair);
  return Buffer.concat([two.subarray(0, start), ...pairs, Buffer.from([0x3b])]);
}
