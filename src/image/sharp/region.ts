import sharp, { type Sharp } from "sharp";
import { type Box, largestIn, type Size } from "../geometry.ts";
import { type Symmetry, turnedBox } from "../symmetry.ts";
import type { Drawing } from "./drawing.ts";
import { drawStill } from "./resize.ts";

/**
 * The regions of a picture that depend on its pixels: what remains after trimming, and the area that draws attention.
 */

/**
 * The region of an upright picture that remains when borders of the colour of its first pixel are trimmed. A picture of
 * a single colour stays whole. Not sharp's trim(): its median filter takes 6 s for 24 megapixels.
 */
export async function trimmedBox(image: Sharp, threshold: number, stored: Size, turn: Symmetry): Promise<Box> {
  const { data, info } = await image.raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const ground = data.subarray(0, channels);
  const isGround = (x: number, y: number): boolean => {
    const at = (y * width + x) * channels;
    // Transparent pixels are equal, whatever colour they hold.
    if (channels === 4 && data[at + 3] === 0 && ground[3] === 0) return true;
    for (let n = 0; n < channels; n++) {
      if (Math.abs((data[at + n] as number) - (ground[n] as number)) > threshold) return false;
    }
    return true;
  };
  const isEvenRow = (y: number): boolean => isEvery(0, width, (x) => isGround(x, y));
  const top = firstOf(height, (y) => !isEvenRow(y));
  if (top === height) return turnedBox(stored, { left: 0, top: 0, width, height }, turn);
  const bottom = firstOf(height, (y) => !isEvenRow(height - 1 - y));
  const isEvenColumn = (x: number): boolean => isEvery(top, height - bottom, (y) => isGround(x, y));
  const left = firstOf(width, (x) => !isEvenColumn(x));
  const right = firstOf(width, (x) => !isEvenColumn(width - 1 - x));
  return turnedBox(stored, { left, top, width: width - left - right, height: height - top - bottom }, turn);
}

/** The first number from 0 on that matches, or `end`. */
function firstOf(end: number, fits: (at: number) => boolean): number {
  let at = 0;
  while (at < end && !fits(at)) at++;
  return at;
}

const isEvery = (start: number, end: number, fits: (at: number) => boolean): boolean => {
  for (let at = start; at < end; at++) if (!fits(at)) return false;
  return true;
};

/** Attention is computed on a thumbnail of this side: the result is the same as for the whole picture, and cheap. */
const lookedAtSide = 400;
const white = { r: 255, g: 255, b: 255, alpha: 1 };

/** The largest part of a region in this aspect ratio that draws most attention, placed within the region. */
export async function attendedBox(drawing: Omit<Drawing, "plan">, region: Box, shape: Size): Promise<Box> {
  const small = largestIn({ width: lookedAtSide, height: lookedAtSide }, region);
  const plan = { crop: region, scaled: { ...small, left: 0, top: 0 }, ...small };
  const image = drawStill({ ...drawing, plan }, undefined, white);
  const { data, info } = await image.raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  const window = largestIn(small, shape);
  const { width, height, channels } = info;
  const found = await sharp(data, { raw: { width, height, channels } })
    .resize({ ...window, fit: "cover", position: sharp.strategy.attention })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { cropOffsetLeft = 0, cropOffsetTop = 0 } = found.info;
  const box = largestIn(region, shape);
  return {
    ...box,
    left: offset(-cropOffsetLeft, small.width - window.width, region.width - box.width),
    top: offset(-cropOffsetTop, small.height - window.height, region.height - box.height),
  };
}

/** Scales an offset within the slack of a small picture to the slack of the large one. */
const offset = (distance: number, room: number, largeRoom: number): number =>
  room > 0 ? Math.min(largeRoom, Math.round((distance * largeRoom) / room)) : 0;
