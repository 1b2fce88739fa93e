import { eachRow, type Pixels } from "./pixels.ts";

/**
 * Tones and effects as GD computes them, on the 8-bit values of sRGB, ignoring alpha, which is unchanged.
 * Compatibility, Image effects. The arithmetic is that of GD's functions, down to where they truncate.
 */

/** A lookup table: the new value for each value of a channel. */
type Table = Uint8Array;
type Tables = readonly [red: Table, green: Table, blue: Table];

/** Work on decoded pixels. May change `pixels` and may answer others. */
type Draw = (pixels: Pixels) => Pixels | Promise<Pixels>;
/** A tone, which is the same for every channel, or any other work. */
export type Effect = Table | Draw;

/** Applies the effects in turn. Tones that follow each other are one look at each pixel. */
export async function applyEffects(pixels: Pixels, effects: readonly Effect[]): Promise<Pixels> {
  let result = pixels;
  let tone: Table | undefined;
  for (const effect of [...effects, unchanged]) {
    if (effect instanceof Uint8Array) {
      tone = tone ? chain(tone, effect) : effect;
      continue;
    }
    if (tone) mapTones(result, [tone, tone, tone]);
    tone = undefined;
    result = await effect(result);
  }
  return result;
}

const unchanged: Draw = (pixels) => pixels;

/** A typed array of bytes rounds; GD drops the fraction. */
const table = (value: (input: number) => number): Table =>
  Uint8Array.from({ length: 256 }, (_, input) => Math.trunc(Math.min(255, Math.max(0, value(input)))));

const added = (amount: number): Table => table((input) => input + amount);
/** Percent, −100 to 100. PHP passes the level as an integer. */
export const brightness = (percent: number): Table => added(Math.trunc(percent * 2.55));
/** Percent, −100 to 100. */
export const contrast = (percent: number): Table =>
  table((input) => ((input / 255 - 0.5) * ((100 + percent) / 100) ** 2 + 0.5) * 255 + 1e-9);
export const gamma = (value: number): Table => table((input) => (input / 255) ** (1 / value) * 255 + 0.5);

/** One table for several, first to last. */
const chain = (...tables: Table[]): Table =>
  table((input) => tables.reduce<number>((value, each) => each[value] as number, input));

/** Applied after the greyscale. The colours are 38, 27 and 12 percent, rounded. */
const sepia: Tables = [97, 69, 31].map((amount) =>
  chain(brightness(-10), contrast(10), added(amount), brightness(-10), contrast(10)),
) as [Table, Table, Table];

function mapTones({ data, channels }: Pixels, [red, green, blue]: Tables): void {
  for (let at = 0; at < data.length; at += channels) {
    data[at] = red[data[at] as number] as number;
    data[at + 1] = green[data[at + 1] as number] as number;
    data[at + 2] = blue[data[at + 2] as number] as number;
  }
}

/** Without colours, or in browns. */
export function filter(pixels: Pixels, name: "greyscale" | "sepia"): Pixels {
  greyscale(pixels);
  if (name === "sepia") mapTones(pixels, sepia);
  return pixels;
}

function greyscale({ data, channels }: Pixels): void {
  for (let at = 0; at < data.length; at += channels) {
    // The weights add up to slightly less than one; white must stay white.
    const grey =
      0.299 * (data[at] as number) + 0.587 * (data[at + 1] as number) + 0.114 * (data[at + 2] as number) + 1e-9;
    data.fill(grey, at, at + 3);
  }
}

/** A convolution of 3 × 3 whose middle grows with the strength of 1 to 100. Beyond an edge the edge goes on. */
export function sharpen(pixels: Pixels, strength: number): Pixels {
  const corner = strength >= 10 ? -0.01 * strength : 0;
  const edge = -0.025 * strength;
  const middle = 1 - 4 * (corner + edge);
  const { channels, width } = pixels;
  const last = (width - 1) * channels;
  eachRow(pixels, (row, above, here, below) => {
    for (let at = 0; at < row.length; at++) {
      const channel = at % channels;
      if (channel === 3) continue;
      const left = at < channels ? at : at - channels;
      const right = at >= last ? at : at + channels;
      const corners =
        (above[left] as number) + (above[right] as number) + (below[left] as number) + (below[right] as number);
      const edges = (above[at] as number) + (here[left] as number) + (here[right] as number) + (below[at] as number);
      const value = middle * (here[at] as number) + edge * edges + corner * corners + 1e-9;
      row[at] = value < 0 ? 0 : value > 255 ? 255 : value;
    }
  });
  return pixels;
}

/** Blocks from the upper left corner, each in its mean colour; what is wholly transparent counts as white, as in GD. */
export function pixelate(pixels: Pixels, size: number): Pixels {
  const { width, height, frames } = pixels;
  for (let frame = 0; frame < frames; frame++) {
    for (let top = 0; top < height; top += size) {
      for (let left = 0; left < width; left += size) {
        const rows = Math.min(size, height - top);
        fillWithMean(pixels, left, frame * height + top, Math.min(size, width - left), rows);
      }
    }
  }
  return pixels;
}

function fillWithMean(
  { data, width, channels }: Pixels,
  left: number,
  top: number,
  columns: number,
  rows: number,
): void {
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  const stride = width * channels;
  const start = top * stride + left * channels;
  const length = columns * channels;
  for (let row = start; row < start + rows * stride; row += stride) {
    for (let at = row; at < row + length; at += channels) {
      const isClear = channels === 4 && data[at + 3] === 0;
      red += isClear ? 255 : (data[at] as number);
      green += isClear ? 255 : (data[at + 1] as number);
      blue += isClear ? 255 : (data[at + 2] as number);
      if (channels === 4) alpha += data[at + 3] as number;
    }
  }
  const mean = [red, green, blue, alpha].map((sum) => Math.trunc(sum / (columns * rows)));
  for (let row = start; row < start + rows * stride; row += stride) {
    for (let at = row; at < row + length; at++) data[at] = mean[(at - row) % channels] as number;
  }
}
