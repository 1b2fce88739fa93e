import type { Path } from "../core/path.ts";
import { transparent } from "./color.ts";
import type { Border, Crop, Fit, Format, Length, Position } from "./modifier-value.ts";

/**
 * What parsed values of image arguments are as members of `Modifiers`: undefined where a value has no effect. Those that
 * depend on other arguments receive their values, too.
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

/** Of a number that says nothing when it is `none`. */
export const unless =
  (none: number) =>
  (value: number | undefined): number | undefined =>
    value === none ? undefined : value;

type Sides = { w?: Length; h?: Length };
type Output = { fm?: Format | "auto"; lossless?: boolean };

/** A request for the picture's own width and height sets no size. */
export const keptSide = (side: Length | undefined, { w, h }: Sides): Length | undefined =>
  isOwn(w, "w") && isOwn(h, "h") ? undefined : side;

const isOwn = (length: Length | undefined, of: "w" | "h"): boolean =>
  length === undefined || ("percent" in length && length.percent === 100 && length.of === of);

/** A smart crop needs a ratio. */
export const keptCrop = (crop: Crop | "smart" | undefined, sides: Sides): Crop | "smart" | undefined =>
  crop === "smart" && countSides(sides) < 2 ? undefined : crop;

const countSides = (sides: Sides): number =>
  [keptSide(sides.w, sides), keptSide(sides.h, sides)].filter(Boolean).length;

export const keptFit = (fit: Fit | undefined, { dpr, ...sides }: Sides & { dpr?: number }): Fit =>
  simplifyFit(fit, countSides(sides), dpr);

/**
 * Without two sides the box has the picture's ratio: there is nothing to cut, stretch or fill, except for a zoom; and
 * only an enlargement distinguishes max and fill from contain.
 */
export function simplifyFit(fit: Fit = { kind: "contain" }, sides: number, dpr = 1): Fit {
  const isZoomed = fit.kind === "crop" && fit.zoom > 1;
  const refusesEnlargement = fit.kind === "max" || fit.kind === "fill";
  const mayEnlarge = sides === 1 || dpr > 1;
  return sides === 2 || isZoomed || (refusesEnlargement && mayEnlarge) ? fit : { kind: "contain" };
}

/** An invisible border is kept only where it takes up space. */
export function keptBorder(border: Border | undefined): Border | undefined {
  if (!border || border.color.alpha > 0) return border;
  return border.method === "overlay" ? undefined : { ...border, color: transparent };
}

const isModern = (fm: Output["fm"]): boolean => fm === "webp" || fm === "avif";

/** A format that may turn out to be jpg has a quality, lossless or not. */
export const keptQuality = (q: number | undefined, { fm, lossless }: Output): number | undefined =>
  fm === "png" || fm === "gif" || (lossless && isModern(fm)) ? undefined : q;

export const keptLossless = (lossless: boolean | undefined, { fm }: Output): true | undefined =>
  (lossless && (isModern(fm) || fm === "auto" || fm === undefined)) || undefined;

export const keptInterlace = (interlace: boolean | undefined, { fm }: Output): true | undefined =>
  (interlace && !isModern(fm) && fm !== "pjpg") || undefined;

/** A copy without the members that are undefined. */
export const dropAbsent = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
