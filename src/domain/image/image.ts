import type { Path } from "../path.ts";
import type { Color } from "./color.ts";
import type { Border, Crop, Fit, Format, Length, Orientation, Position } from "./modifier-value.ts";

/**
 * The room of pictures: the arguments of a request (modifier.ts, a row each in modifier-row.ts) become the `Modifiers`
 * below; geometry.ts computes sizes from them, rendition.ts names, finds and makes what is sent. Contract §7.
 */

/** A picture laid over the result. Percentages of its lengths are the result's. */
export type Mark = {
  /** Below the watermarks' folder; the file may not exist. */
  path: Path;
  w?: Length;
  h?: Length;
  fit: Fit;
  x: Length;
  y: Length;
  position: Position;
  /** Percent, 1–100. */
  alpha: number;
};

/**
 * The effective arguments of a picture, with presets and defaults applied. Plain data. Arguments without effect are
 * absent, so that equal pictures have equal modifiers: `fit` is contain where no other fit would differ, `bg` is never
 * fully transparent, `q` is absent at `defaultQuality` (unless it is the only argument: then the picture is encoded
 * again) and where the format has none.
 */
export type Modifiers = Readonly<{
  or: Orientation;
  /** How far a colour may differ from that of the corner to be trimmed, 1–100. */
  trim?: number;
  /** `smart` only where w and h define a ratio. */
  crop?: Crop | "smart";
  w?: Length;
  h?: Length;
  fit: Fit;
  dpr: number;
  bri?: number;
  con?: number;
  gam?: number;
  sharp?: number;
  filt?: "greyscale" | "sepia";
  flip?: "h" | "v" | "both";
  blur?: number;
  pixel?: number;
  mark?: Mark;
  bg?: Color;
  border?: Border;
  q?: number;
  fm?: Format | "auto";
  /** Only where the format may be webp or avif. */
  lossless?: true;
  interlace?: true;
}>;
