import { rgbaToThumbHash } from "thumbhash";
import type { Placeholder } from "../placeholder.ts";
import { type Pixels, withAlpha } from "./pixels.ts";

/** The placeholder of a picture of at most 100 pixels a side. */
export function placeholderOf(pixels: Pixels): Placeholder {
  const { data: rgba, width, height } = pixels.channels === 4 ? pixels : withAlpha(pixels);
  const thumbhash = Buffer.from(rgbaToThumbHash(width, height, rgba)).toString("base64");
  return { thumbhash, color: meanColor(rgba) };
}

/** Of what is opaque, as far as it is; white where nothing is. */
function meanColor(rgba: Uint8Array): string {
  const sums = [0, 0, 0];
  let opacity = 0;
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] as number;
    opacity += alpha;
    for (let c = 0; c < 3; c++) sums[c] = (sums[c] as number) + (rgba[at + c] as number) * alpha;
  }
  const hex = (sum: number) => Math.round(opacity === 0 ? 255 : sum / opacity).toString(16);
  return `#${sums.map((sum) => hex(sum).padStart(2, "0")).join("")}`;
}
