import sharp, { type Sharp } from "sharp";
import { type Box, largestIn, type Size } from "../../domain/geometry.ts";
import { type Turn, turnedBox } from "../../domain/turn.ts";
import { drawStill } from "./resize.ts";
import type { Drawing } from "./source.ts";

/** The parts of a picture that only its pixels tell: what is left without its edges, and what draws attention. */

/** What is left of a picture, seen upright, when edges of the colour of its first pixel are cut off. All of one colour is left whole. */
export async function trimmedBox(image: Sharp, threshold: number, stored: Size, turn: Turn): Promise<Box> {
  const { info } = await image.trim({ threshold }).raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  const { width, height, trimOffsetLeft = 0, trimOffsetTop = 0 } = info;
  return turnedBox(stored, { left: -trimOffsetLeft, top: -trimOffsetTop, width, height }, turn);
}

/** A picture of this side is looked at: what draws attention in it does so in the whole, and it costs little. */
const lookedAtSide = 400;
const white = { r: 255, g: 255, b: 255, alpha: 1 };

/** The largest part of a region in this shape that draws most attention, placed within the region. */
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

/** A distance within the room of a small picture as one within the room of the large one. */
const offset = (distance: number, room: number, largeRoom: number): number =>
  room > 0 ? Math.min(largeRoom, Math.round((distance * largeRoom) / room)) : 0;
