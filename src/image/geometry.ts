import type { Mark, Modifiers } from "./image.ts";
import type { Border, Crop, Fit, Length, Position } from "./modifier-value.ts";

/**
 * Sizes and positions of pictures: plain numbers in, whole pixels out. The rules are those of Glide (compatibility,
 * Images); where it truncates a side derived from the ratio, the side is rounded. Contract §7.
 */

export type Size = Readonly<{ width: number; height: number }>;
/**
 * The position and size of a rectangle in or on a larger one; where it extends past it, `left` or `top` is below zero.
 */
export type Box = Size & Readonly<{ left: number; top: number }>;
/** The limits of a result: pixels in all, and on a side. */
export type OutputLimits = Readonly<{ maxOutputPixels: number; maxSide: number }>;

/**
 * How a picture is resized. `crop`, if present, is cut out of it first; the rest is scaled to the width and height of
 * `scaled` and placed on a result of `width` × `height` at its `left` and `top`: below zero where it extends past the
 * result and is cut off, above zero where the result's background shows.
 */
export type SizePlan = Readonly<{ crop: Box | undefined; scaled: Box }> & Size;

/** `plan` produces the part of the mark on the picture, at `left` and `top`. */
export type MarkPlan = Readonly<{ plan: SizePlan; left: number; top: number }>;

/**
 * The picture, scaled to `inner`, is in a frame of `width` × `height`. `band` is the width that an overlay covers,
 * otherwise 0.
 */
export type BorderPlan = Readonly<{ inner: Box; band: number }> & Size;

/**
 * The requested size before the limits, in pixels with fractions; undefined: derived from the other side, or from the
 * picture.
 */
type RequestedSize = { width: number | undefined; height: number | undefined };
type Placed = Omit<SizePlan, "crop">;

/** The size of an upright picture under its modifiers. The result is within the limits and at least 1 × 1. */
export function planSize(
  picture: Size,
  modifiers: Pick<Modifiers, "crop" | "w" | "h" | "fit" | "dpr">,
  limits: OutputLimits,
): SizePlan {
  const crop = cropBox(picture, modifiers.crop === "smart" ? undefined : modifiers.crop);
  const kept = crop ?? picture;
  const side = (length: Length | undefined): number | undefined => length && pixelsOf(length, kept, 1) * modifiers.dpr;
  const requested: RequestedSize = { width: side(modifiers.w), height: side(modifiers.h) };
  if (!modifiers.w && !modifiers.h) requested.width = kept.width * modifiers.dpr;
  return { crop, ...place(kept, requested, modifiers.fit, limits) };
}

/** The requested sides as pixels of this picture, for drawing only a part of it. Both must be requested. */
export function sidesIn(picture: Size, { w, h }: Pick<Modifiers, "w" | "h">): Size {
  const [width, height] = [w, h].map((side) => (side ? Math.max(1, pixelsOf(side, picture, 1)) : 1));
  return { width, height } as Size;
}

/** The largest rectangle of a ratio that fits in a picture, at least 1 × 1. */
export const largestIn = (picture: Size, shape: Size): Size => containedIn(shape, picture);

/** True when the limits make the result smaller than requested. */
export function isReduced(picture: Size, modifiers: Modifiers, limits: OutputLimits): boolean {
  const { w, h, dpr, border } = modifiers;
  // A picture whose own size exceeds the limits was not requested in that size.
  if (!(w || h || border || dpr > 1)) return false;
  const [within, free] = [limits, unlimited].map((each) => {
    const drawn = planSize(picture, modifiers, each);
    return (border && planBorder(drawn, border, dpr, each)) ?? drawn;
  });
  return within !== undefined && free !== undefined && (within.width < free.width || within.height < free.height);
}

const unlimited: OutputLimits = { maxOutputPixels: Number.POSITIVE_INFINITY, maxSide: Number.POSITIVE_INFINITY };

/**
 * The size and position on a picture of a watermark of `natural` size; undefined when none of it would be visible.
 * Lengths in pixels are multiplied by `dpr`, the natural size is not.
 */
export function planMark(
  picture: Size,
  natural: Size,
  mark: Pick<Mark, "w" | "h" | "fit" | "x" | "y" | "position">,
  dpr: number,
  limits: OutputLimits,
): MarkPlan | undefined {
  const side = (length: Length | undefined): number | undefined => length && pixelsOf(length, picture, dpr);
  const drawn = place(natural, { width: side(mark.w), height: side(mark.h) }, mark.fit, limits);
  const at = anchor(picture, drawn, mark.position, {
    x: Math.trunc(pixelsOf(mark.x, picture, dpr)),
    y: Math.trunc(pixelsOf(mark.y, picture, dpr)),
  });
  const visible = overlap(picture, { width: drawn.width, height: drawn.height, ...at });
  if (!visible) return undefined;
  const { left, top, width, height } = visible;
  const scaled = {
    ...drawn.scaled,
    left: drawn.scaled.left + at.left - left,
    top: drawn.scaled.top + at.top - top,
  };
  return { plan: { crop: undefined, scaled, width, height }, left, top };
}

/** The frame around a picture; undefined when it would be thinner than a pixel. No wider than the limits allow. */
export function planBorder(
  picture: Size,
  border: Pick<Border, "width" | "method">,
  dpr: number,
  limits: OutputLimits,
): BorderPlan | undefined {
  const width = pixelsOf(border.width, picture, dpr);
  const { width: w, height: h } = picture;
  if (border.method === "overlay") {
    const band = Math.min(Math.trunc(width), Math.ceil(Math.min(w, h) / 2));
    return band > 0 ? { width: w, height: h, inner: { width: w, height: h, left: 0, top: 0 }, band } : undefined;
  }
  const room = border.method === "shrink" ? Math.min(w, h) - 1 : roomToGrow(picture, limits);
  const both = Math.min(Math.round(width * 2), room);
  if (!(both > 0)) return undefined;
  if (border.method === "shrink") {
    return { width: w, height: h, inner: centred(picture, { width: w - both, height: h - both }), band: 0 };
  }
  const size = { width: w + both, height: h + both };
  return { ...size, inner: centred(size, picture), band: 0 };
}

/** A length in pixels with fractions; a percentage of a picture's side is not multiplied by `dpr`. */
function pixelsOf(length: Length, picture: Size, dpr: number): number {
  // No picture is as large as this bound; it keeps infinities out of the calculations below.
  if ("px" in length) return Math.min(length.px * dpr, 1e9);
  return ((length.of === "w" ? picture.width : picture.height) * length.percent) / 100;
}

function cropBox(picture: Size, crop: Crop | undefined): Box | undefined {
  if (!crop) return undefined;
  const [left, top] = [Math.trunc(crop.x), Math.trunc(crop.y)];
  const width = Math.min(Math.trunc(crop.width), picture.width - left);
  const height = Math.min(Math.trunc(crop.height), picture.height - top);
  if (left < 0 || top < 0 || width < 1 || height < 1) return undefined;
  return width === picture.width && height === picture.height ? undefined : { left, top, width, height };
}

function place(picture: Size, requested: RequestedSize, fit: Fit, limits: OutputLimits): Placed {
  const target = withinBudget(targetOf(picture, requested), limits.maxOutputPixels);
  // A target derived from the ratio matches it to a fraction of a pixel: nothing is left to contain.
  const hasRatio = requested.width === undefined || requested.height === undefined;
  const contained = hasRatio ? target : containedIn(picture, target);
  if (fit.kind === "contain") return whole(withinSide(contained, limits.maxSide));
  if (fit.kind === "max") return whole(withinSide(notEnlarged(picture, contained), limits.maxSide));

  const canvas = withinSide(target, limits.maxSide);
  if (fit.kind === "stretch") return whole(canvas);
  if (fit.kind === "crop" || fit.kind === "focal") return cover(picture, canvas, fit);
  const inside = hasRatio ? canvas : containedIn(picture, canvas);
  return { ...canvas, scaled: centred(canvas, fit.kind === "fill" ? notEnlarged(picture, inside) : inside) };
}

const whole = (size: Size): Placed => ({ ...size, scaled: { ...size, left: 0, top: 0 } });
const notEnlarged = (picture: Size, size: Size): Size =>
  size.width > picture.width || size.height > picture.height ? { width: picture.width, height: picture.height } : size;

/**
 * The modifiers with the focal point of the file as one of the part that its crop leaves. `point` is where it is on the
 * picture of which `region` is drawn.
 */
export function focusedWithin(region: Box, modifiers: Modifiers, point: Omit<Box, keyof Size>): Modifiers {
  const { crop, fit } = modifiers;
  if (fit.kind !== "focal") return modifiers;
  const part = cropBox(region, crop === "smart" ? undefined : crop) ?? { ...region, left: 0, top: 0 };
  const percentOf = (at: number, side: number): number => clamp((at / side) * 100, 0, 100);
  const x = percentOf(point.left - region.left - part.left, part.width);
  const y = percentOf(point.top - region.top - part.top, part.height);
  return { ...modifiers, fit: { kind: "crop", x, y, zoom: 1 } };
}

/** Requested sides are truncated, a derived side is rounded. */
function targetOf(picture: Size, { width, height }: RequestedSize): Size {
  const { width: w, height: h } = picture;
  if (width === undefined && height === undefined) return { width: w, height: h };
  if (height === undefined) return byWidth(picture, pixel(Math.trunc(width as number)));
  if (width === undefined) return byHeight(picture, pixel(Math.trunc(height)));
  return { width: pixel(Math.trunc(width)), height: pixel(Math.trunc(height)) };
}

const pixel = (side: number): number => Math.max(1, side);
const byWidth = (picture: Size, width: number): Size => ({
  width,
  height: pixel(Math.round((width * picture.height) / picture.width)),
});
const byHeight = (picture: Size, height: number): Size => ({
  width: pixel(Math.round((height * picture.width) / picture.height)),
  height,
});

function withinBudget(size: Size, maxPixels: number): Size {
  const pixels = size.width * size.height;
  return pixels > maxPixels ? divided(size, Math.sqrt(pixels / maxPixels)) : size;
}

function withinSide(size: Size, maxSide: number): Size {
  const longest = Math.max(size.width, size.height);
  return longest > maxSide ? divided(size, longest / maxSide) : size;
}

const divided = ({ width, height }: Size, by: number): Size => ({
  width: pixel(Math.trunc(width / by)),
  height: pixel(Math.trunc(height / by)),
});

/** The largest rectangle of the picture's ratio inside the box: one side is the box's, the other rounded. */
const containedIn = (picture: Size, box: Size): Size =>
  isWiderThan(picture, box) ? byWidth(picture, box.width) : byHeight(picture, box.height);

const isWiderThan = (picture: Size, box: Size): boolean => picture.width * box.height >= box.width * picture.height;

/** Scaled to cover the box, times the zoom; the window is centred on the focal point and moved back inside. */
function cover(picture: Size, box: Size, { x, y, zoom }: Extract<Fit, { zoom: number }>): Placed {
  const factor = Math.max(box.width / picture.width, box.height / picture.height) * Math.max(1, zoom);
  const width = Math.max(box.width, Math.round(picture.width * factor));
  const height = Math.max(box.height, Math.round(picture.height * factor));
  // Subtracted from 0, as the negative of 0 is -0.
  const left = 0 - focus(width, box.width, x);
  const top = 0 - focus(height, box.height, y);
  return { ...box, scaled: { width, height, left, top } };
}

const focus = (side: number, window: number, percent: number): number =>
  clamp(Math.trunc((side * percent) / 100 - window / 2), 0, side - window);
const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** Aligns the centres, each rounded down. */
function centred(outer: Size, { width, height }: Size): Box {
  const middle = (a: number, b: number): number => Math.floor(a / 2) - Math.floor(b / 2);
  return { width, height, left: middle(outer.width, width), top: middle(outer.height, height) };
}

/** A distance is measured from an edge that the position names; on an axis without one, the position is the centre. */
function anchor(picture: Size, mark: Size, position: Position, distance: { x: number; y: number }) {
  const middle = centred(picture, mark);
  const along = (start: string, end: string, room: number, gap: number, centre: number): number =>
    position.includes(start) ? gap : position.includes(end) ? room - gap : centre;
  return {
    left: along("left", "right", picture.width - mark.width, distance.x, middle.left),
    top: along("top", "bottom", picture.height - mark.height, distance.y, middle.top),
  };
}

/** The part of a box on a picture; undefined when there is none. */
export function overlap(picture: Size, box: Box): Box | undefined {
  const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)];
  const width = Math.min(picture.width, box.left + box.width) - left;
  const height = Math.min(picture.height, box.top + box.height) - top;
  return width > 0 && height > 0 ? { left, top, width, height } : undefined;
}

/** By how much both sides may grow until the first limit: the root of (w + t)(h + t) = pixels, and the longest side. */
function roomToGrow({ width: w, height: h }: Size, { maxOutputPixels, maxSide }: OutputLimits): number {
  const byPixels = Math.floor((Math.sqrt((w - h) ** 2 + 4 * maxOutputPixels) - w - h) / 2);
  return Math.max(0, Math.min(byPixels, maxSide - Math.max(w, h)));
}
