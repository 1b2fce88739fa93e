import type { Box, Size } from "../geometry.ts";
import type { Color } from "../modifier.ts";
import type { Symmetry } from "../symmetry.ts";
import { turnedSize } from "../symmetry.ts";

/**
 * Decoded pictures: 8-bit sRGB, straight alpha, row by row, with the frames of an animation one below the other.
 * `width` and `height` are those of one frame.
 */
export type Pixels = Size & Readonly<{ data: Uint8Array; channels: 3 | 4; frames: number }>;

/**
 * Iterates over all rows of all frames. `change` writes into `row`; `here` is the row before the change, and `above`
 * and `below` are its neighbours before the change, or `here` again at an edge of the frame.
 */
export function eachRow(
  { data, width, height, channels, frames }: Pixels,
  change: (row: Uint8Array, above: Uint8Array, here: Uint8Array, below: Uint8Array) => void,
): void {
  const stride = width * channels;
  let [above, here] = [new Uint8Array(stride), new Uint8Array(stride)];
  for (let y = 0; y < height * frames; y++) {
    const row = data.subarray(y * stride, (y + 1) * stride);
    [above, here] = [here, above];
    here.set(row);
    const isLast = y % height === height - 1;
    const below = isLast ? here : data.subarray((y + 1) * stride, (y + 2) * stride);
    change(row, y % height === 0 ? here : above, here, below);
  }
}

/** True when every pixel is opaque. */
export function isOpaque({ data, channels }: Pixels): boolean {
  if (channels === 3) return true;
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}

/** The same pixels with an alpha channel. */
export function withAlpha(pixels: Pixels): Pixels {
  if (pixels.channels === 4) return pixels;
  const data = new Uint8Array((pixels.data.length / 3) * 4).fill(255);
  for (let from = 0, to = 0; from < pixels.data.length; from += 3, to += 4) {
    data[to] = pixels.data[from] as number;
    data[to + 1] = pixels.data[from + 1] as number;
    data[to + 2] = pixels.data[from + 2] as number;
  }
  return { ...pixels, data, channels: 4 };
}

/** The colour channels without alpha. */
export function withoutAlpha(pixels: Pixels): Pixels {
  if (pixels.channels === 3) return pixels;
  const data = new Uint8Array((pixels.data.length / 4) * 3);
  for (let from = 0, to = 0; to < data.length; from += 4, to += 3) {
    data[to] = pixels.data[from] as number;
    data[to + 1] = pixels.data[from + 1] as number;
    data[to + 2] = pixels.data[from + 2] as number;
  }
  return { ...pixels, data, channels: 3 };
}

/** Rotates each frame separately. */
export function turned(pixels: Pixels, turn: Symmetry): Pixels {
  const { data, width, height, channels, frames } = pixels;
  const size = turnedSize(pixels, turn);
  const result = new Uint8Array(data.length);
  let to = 0;
  for (let y = 0; y < size.height * frames; y++) {
    const frame = Math.floor(y / size.height);
    const row = turn.mirrorY ? size.height - 1 - (y % size.height) : y % size.height;
    for (let x = 0; x < size.width; x++) {
      const column = turn.mirrorX ? size.width - 1 - x : x;
      const [sourceX, sourceY] = turn.swap ? [row, column] : [column, row];
      const from = ((frame * height + sourceY) * width + sourceX) * channels;
      for (let channel = 0; channel < channels; channel++) result[to++] = data[from + channel] as number;
    }
  }
  return { ...pixels, ...size, data: result };
}

/** Lays the pixels over a colour, in place. */
export function layUnder(pixels: Pixels, { r, g, b, alpha }: Color): Pixels {
  if (pixels.channels === 3) return pixels;
  const { data } = pixels;
  for (let at = 0; at < data.length; at += 4) {
    const over = (data[at + 3] as number) / 255;
    if (over === 1) continue;
    const [red, green, blue] = [data[at] as number, data[at + 1] as number, data[at + 2] as number];
    data[at] = r;
    data[at + 1] = g;
    data[at + 2] = b;
    data[at + 3] = Math.round(alpha * 255);
    blend(data, at, 4, red, green, blue, over);
  }
  return pixels;
}

/** Paints a colour over a part of every frame. */
export function paint(pixels: Pixels, box: Box, { r, g, b, alpha }: Color): void {
  eachPixel(pixels, box, (at) => blend(pixels.data, at, pixels.channels, r, g, b, alpha));
}

/** Composites a picture over every frame, at `left` and `top`, where it is fully inside; `opacity` is 0 to 1. */
export function layOver(pixels: Pixels, over: Pixels, left: number, top: number, opacity: number): void {
  const { data, channels } = over;
  eachPixel(pixels, { left, top, width: over.width, height: over.height }, (at, index) => {
    const from = index * channels;
    const alpha = channels === 4 ? (data[from + 3] as number) / 255 : 1;
    const [red, green, blue] = [data[from] as number, data[from + 1] as number, data[from + 2] as number];
    blend(pixels.data, at, pixels.channels, red, green, blue, alpha * opacity);
  });
}

/** Adds a frame of one colour around the pixels, which are placed in it at `left` and `top`. */
export function framed(pixels: Pixels, { width, height }: Size, left: number, top: number, color: Color): Pixels {
  const inner = color.alpha < 1 ? withAlpha(pixels) : pixels;
  const { channels, frames } = inner;
  const pixel = [color.r, color.g, color.b, Math.round(color.alpha * 255)].slice(0, channels);
  const data = Buffer.alloc(width * height * frames * channels, Uint8Array.from(pixel));
  return place({ data, width, height, channels, frames }, inner, left, top);
}

function place(outer: Pixels, inner: Pixels, left: number, top: number): Pixels {
  const length = inner.width * inner.channels;
  for (let y = 0; y < inner.height * inner.frames; y++) {
    const row = Math.floor(y / inner.height) * outer.height + top + (y % inner.height);
    outer.data.set(inner.data.subarray(y * length, (y + 1) * length), (row * outer.width + left) * outer.channels);
  }
  return outer;
}

/** `at` is the offset of a pixel's bytes, `index` counts the pixels of the box within each frame. */
function eachPixel(pixels: Pixels, box: Box, visit: (at: number, index: number) => void): void {
  const { width, height, channels, frames } = pixels;
  for (let frame = 0; frame < frames; frame++) {
    for (let y = 0; y < box.height; y++) {
      const row = ((frame * height + box.top + y) * width + box.left) * channels;
      for (let x = 0; x < box.width; x++) visit(row + x * channels, y * box.width + x);
    }
  }
}

/** Porter and Duff's "over", with straight alpha. */
function blend(data: Uint8Array, at: number, channels: number, r: number, g: number, b: number, alpha: number): void {
  const under = (channels === 4 ? (data[at + 3] as number) / 255 : 1) * (1 - alpha);
  const sum = alpha + under;
  if (sum === 0) return;
  data[at] = Math.round((r * alpha + (data[at] as number) * under) / sum);
  data[at + 1] = Math.round((g * alpha + (data[at + 1] as number) * under) / sum);
  data[at + 2] = Math.round((b * alpha + (data[at + 2] as number) * under) / sum);
  if (channels === 4) data[at + 3] = Math.round(sum * 255);
}
