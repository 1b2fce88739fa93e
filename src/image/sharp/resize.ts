import sharp, { type Sharp } from "sharp";
import type { Box } from "../geometry.ts";
import { overlap, type Size } from "../geometry.ts";
import type { Color, Modifiers } from "../modifier.ts";
import { flipped, symmetryOf, turnedSize, turnSteps, unturnedBox } from "../symmetry.ts";
import type { Drawing } from "./drawing.ts";
import type { Pixels } from "./pixels.ts";

/** Moving and scaling in one pass of sharp; a JPEG that is scaled down much is not decoded at full size. */

/** White, for programs that ignore the alpha. */
const clear: Color = { r: 255, g: 255, b: 255, alpha: 0 };

/**
 * A picture rotated, flipped, cropped and scaled by its plan. `ground`, if defined, is the background of transparent
 * and uncovered areas.
 */
export function drawStill(drawing: Drawing, flip: Modifiers["flip"], ground: Color | undefined): Sharp {
  const { plan, turn } = drawing;
  const image = scale(drawing, ground);
  const { flop, degrees } = turnSteps(flipped(turn, flip));
  // After resize(), or else sharp rotates first and cannot use shrink-on-load.
  if (flop) image.flop();
  if (degrees) image.rotate(degrees);
  return lay(image, plan, unturnedBox(plan, plan.scaled, flipped(symmetryOf(0, undefined), flip)), ground);
}

/**
 * The same for an animation, one frame below the other, but neither rotated nor flipped: sharp does that to stills
 * only.
 */
export function drawFrames(drawing: Drawing, ground: Color | undefined): Sharp {
  const { plan, turn } = drawing;
  return lay(scale(drawing, ground), turnedSize(plan, turn), unturnedBox(plan, plan.scaled, turn), ground);
}

/** Keeps the channels, weighted by alpha; every frame gets this size. */
export async function resized(pixels: Pixels, { width, height }: Size): Promise<Pixels> {
  if (width === pixels.width && height === pixels.height) return pixels;
  const { channels, frames } = pixels;
  const raw = { width: pixels.width, height: pixels.height * frames, channels };
  const data = await sharp(pixels.data, { raw, limitInputPixels: false })
    .resize(width, height * frames, { fit: "fill" })
    .raw()
    .toBuffer();
  return { data, width, height, channels, frames };
}

/** Cropped and scaled, in the stored orientation. */
function scale({ upright, turn, plan, open }: Drawing, ground: Color | undefined): Sharp {
  const { crop, scaled } = plan;
  const image = open();
  if (ground) image.flatten({ background: ground });
  if (crop) image.extract(unturnedBox(upright, crop, turn));
  const kept = crop ?? upright;
  const isCut = scaled.left < 0 || scaled.top < 0 || scaled.width > plan.width || scaled.height > plan.height;
  // A resize() to the same size does nothing, but with it the crop is applied before the rotation.
  if (scaled.width === kept.width && scaled.height === kept.height && !isCut) return image;
  const { width, height } = turnedSize(scaled, turn);
  return image.resize(width, height, { fit: "fill" });
}

/** The part inside the outer size, on a canvas where it does not fill it. */
function lay(image: Sharp, outer: Size, box: Box, ground: Color | undefined): Sharp {
  const inside = overlap(outer, box);
  if (!inside) throw new RangeError("a picture beside its canvas");
  const { left, top, width, height } = inside;
  if (width < box.width || height < box.height) {
    image.extract({ left: left - box.left, top: top - box.top, width, height });
  }
  const [right, bottom] = [outer.width - left - width, outer.height - top - height];
  if (left + top + right + bottom > 0) image.extend({ left, top, right, bottom, background: ground ?? clear });
  return image;
}
