import type { Modifiers } from "../../domain/modifier.ts";
import { blur } from "./blur.ts";
import { eachRow, type Pixels } from "./pixels.ts";

/**
 * Tones and effects as GD computes them, on the 8-bit values of sRGB, ignoring alpha, which is unchanged.
 * Compatibility, Image effects. The arithmetic is that of GD's functions, down to where they truncate.
 */

/** A lookup table: the new value for each value of a channel. */
type Table = Uint8Array;
type Tables = readonly [red: Table, green: Table, blue: Table];

/** Applies every requested tone and effect, in Glide's order. May change `pixels` and may return another buffer. */
export async function applyEffects(pixels: Pixels, modifiers: Modifiers): Promise<Pixels> {
  const { bri, con, gam, sharp, filt, pixel } = modifiers;
  if (bri !== undefined || con !== undefined || gam !== undefined) {
    const tone = chain(bri && brightness(bri), con && contrast(con), gam && gamma(gam));
    mapTones(pixels, [tone, tone, tone]);
  }
  if (sharp) sharpen(pixels, sharp);
  if (filt) greyscale(pixels);
  if (filt === "sepia") mapTones(pixels, sepia);
  const blurred = modifiers.blur ? await blur(pixels, modifiers.blur) : pixels;
  if (pixel && pixel > 1) pixelate(blurred, pixel);
  return blurred;
}

/** Clamps to 0 to 255 and drops the fraction, as GD does. */
const table = (value: (input: number) => number): Table =>
  Uint8Array.from({ length: 256 }, (_, input) => Math.trunc(Math.min(255, Math.max(0, value(input)))));

const added = (amount: number): Table => table((input) => input + amount);
/** Percent, −100 to 100. PHP passes the level on as an integer. */
const brightness = (percent: number): Table => added(Math.trunc(percent * 2.55));
/** Percent, −100 to 100. */
const contrast = (percent: number): Table =>
  table((input) => ((input / 255 - 0.5) * ((100 + percent) / 100) ** 2 + 0.5) * 255 + 1e-9);
const gamma = (value: number): Table => table((input) => (input / 255) ** (1 / value) * 255 + 0.5);

/** Combines several tables into one, first to last; skips undefined ones. */
function chain(...tables: (Table | number | undefined)[]): Table {
  return table((input) =>
    tables.reduce<number>((value, each) => (each instanceof Uint8Array ? (each[value] as number) : value), input),
  );
}

/** What is applied after the greyscale. The colours are 38, 27 and 12 percent, rounded. */
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

function greyscale({ data, channels }: Pixels): void {
  for (let at = 0; at < data.length; at += channels) {
    // The weights add up to slightly less than one; white must stay white.
    const grey =
      0.299 * (data[at] as number) + 0.587 * (data[at + 1] as number) + 0.114 * (data[at + 2] as number) + 1e-9;
    data.fill(grey, at, at + 3);
  }
}

/**
 * A 3 × 3 convolution whose centre weight grows with the strength of 1 to 100. Outside the picture the edge pixels
 * repeat.
 */
function sharpen(pixels: Pixels, strength: number): void {
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
}

/** Blocks from the upper left corner, each in its mean colour; fully transparent pixels count as white, as in GD. */
function pixelate(pixels: Pixels, size: number): void {
  const { width, height, frames } = pixels;
  for (let frame = 0; frame < frames; frame++) {
    for (let top = 0; top < height; top += size) {
      for (let left = 0; left < width; left += size) {
        const rows = Math.min(size, height - top);
        fillWithMean(pixels, left, frame * height + top, Math.min(size, width - left), rows);
      }
    }
  }
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
