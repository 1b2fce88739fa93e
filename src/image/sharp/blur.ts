import { eachRow, type Pixels, withoutAlpha } from "./pixels.ts";
import { resized } from "./resize.ts";

/**
 * GD's blur: passes of a 3 × 3 Gaussian, 1 2 1 in both directions, truncated to sixteenths after each pass. The
 * truncation adds up: at 100 passes a photo is some 35 levels darker than under one Gaussian of the same width, and
 * clients of Flextype expect that look. So this runs the passes themselves and not one Gaussian.
 */

/** Maximum passes times pixels at full size: one to two seconds. */
const maxWork = 100_000_000;

/** 1 to 100 passes. Alpha is unchanged. May change `pixels` and may return another buffer. */
export async function blur(pixels: Pixels, passes: number, work = maxWork): Promise<Pixels> {
  const area = pixels.width * pixels.height * pixels.frames;
  if (passes * area > work) return blurSmaller(pixels, passes, ((passes * area) / work) ** 0.25);
  runPasses(pixels, passes, 0);
  return pixels;
}

/** `bias` is added to each sum of sixteen values: 0 as GD does it, 8 to round, which darkens nothing. */
function runPasses(pixels: Pixels, passes: number, bias: 0 | 8): void {
  const { channels, width } = pixels;
  const length = width * channels;
  const sums = new Uint16Array(length);
  for (let pass = 0; pass < passes; pass++) {
    eachRow(pixels, (row, above, here, below) => {
      for (let at = 0; at < length; at++) {
        sums[at] = (above[at] as number) + 2 * (here[at] as number) + (below[at] as number);
      }
      smooth(row, sums, channels, bias);
      for (let at = 3; channels === 4 && at < length; at += 4) row[at] = here[at] as number;
    });
  }
}

/** The other direction. Outside the picture the edge pixels repeat. */
function smooth(row: Uint8Array, sums: Uint16Array, channels: number, bias: number): void {
  const last = sums.length - channels;
  for (let at = channels; at < last; at++) {
    const beside = (sums[at - channels] as number) + (sums[at + channels] as number);
    row[at] = (beside + 2 * (sums[at] as number) + bias) >> 4;
  }
  for (let at = 0; at < channels; at++) {
    const right = sums[Math.min(channels + at, last + at)] as number;
    const left = sums[Math.max(last - channels + at, at)] as number;
    row[at] = (3 * (sums[at] as number) + right + bias) >> 4;
    row[last + at] = (3 * (sums[last + at] as number) + left + bias) >> 4;
  }
}

/**
 * In a picture that is `factor` times smaller one pass reaches as far as `factor` squared passes at full size, but
 * darkens as one. Measures how much one pass darkens each pixel, and subtracts the rest.
 */
async function blurSmaller(pixels: Pixels, passes: number, factor: number): Promise<Pixels> {
  const size = { width: Math.ceil(pixels.width / factor), height: Math.ceil(pixels.height / factor) };
  const rounded = await resized(withoutAlpha(pixels), size);
  const exact = { ...rounded, data: Uint8Array.from(rounded.data) };
  const fewer = Math.max(1, Math.round(passes / factor ** 2));
  runPasses(exact, fewer, 0);
  runPasses(rounded, fewer, 8);
  const rest = passes / fewer - 1;
  for (let at = 0; at < exact.data.length; at++) {
    const value = exact.data[at] as number;
    exact.data[at] = Math.max(0, value - ((rounded.data[at] as number) - value) * rest);
  }
  return withColorsOf(pixels, await resized(exact, pixels));
}

function withColorsOf(pixels: Pixels, colors: Pixels): Pixels {
  const { data, channels } = pixels;
  if (channels === 3) return colors;
  for (let from = 0, to = 0; to < data.length; from += 3, to += 4) data.set(colors.data.subarray(from, from + 3), to);
  return pixels;
}
