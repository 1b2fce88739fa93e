import { parseFlag } from "../../lib/flag.ts";
import { colorForms, formatColor, parseColor } from "./color.ts";
import type { Modifiers } from "./image.ts";
import { escapePath, formatBorder, formatCrop, formatDistance, formatFit, formatLength } from "./modifier-text.ts";
import {
  formats,
  oneOf,
  oneOfNamed,
  parseBorder,
  parseCrop,
  parseDistance,
  parseDpr,
  parseExtent,
  parseFit,
  parseGamma,
  parseLevel,
  parseMarkFit,
  parseMarkPath,
  parseOrientation,
  parseSide,
  parseTrim,
  positions,
  salvageBorder,
  salvageFit,
  wholeNumber,
} from "./modifier-value.ts";

/**
 * The image arguments: one declaration each, from which requests are read, the canonical text is written, the picture is
 * drawn (adapters/sharp/pipeline.ts has a step for each that changes pixels) and the documentation is made. Contract §7.
 */

/**
 * `place` crops, scales and rotates; `pixels` is a separate step on the decoded picture; `encoding` only affects the
 * output format; `nothing` has no effect alone: it belongs to another argument, or sets others.
 */
export type Change = "place" | "pixels" | "encoding" | "nothing";

/** `parse` answers undefined for an invalid value; `salvage` answers the valid part of such a text, which is applied. */
export type ModifierRow<T, C extends Change = Change> = {
  /** Its effect on the picture. */
  changes: C;
  /** Its part of the canonical text, undefined for none; no function if other rows write its part. */
  text: ((modifiers: Modifiers) => string | number | undefined) | undefined;
  /** What is accepted, in words that follow "expected". */
  accepted: string;
  /** The value that applies without the argument, in words. */
  default: string;
  help: string;
  /** A value that is accepted with any settings; undefined where there is none. */
  example: string | undefined;
  parse: (text: string) => T | undefined;
  salvage?: (text: string) => T | undefined;
};

const row = <T, C extends Change>(
  parse: ModifierRow<T>["parse"],
  rest: Omit<ModifierRow<T, C>, "parse">,
): ModifierRow<T, C> => ({ parse, ...rest });

/** The quality where neither `q` nor a preset sets it, in every format that has one. */
export const defaultQuality = 90;

const side = "a number of pixels of 1 or more, or a percentage of the picture as 1w to 100w or 1h to 100h";
const extent = "a number of pixels above 0, or a percentage of the result as 1w to 100w or 1h to 100h";
const distance = "a number of pixels of 0 or more, or a percentage of the result as 0w to 100w or 0h to 100h";
const wholes = (min: number, max: number) => `a number from ${min} to ${max}, rounded down`;
const level = "a whole number from -100 to 100";
const anchored = `crop or cover, alone or followed by an edge or corner (crop-top-left; ${positions.join(" ")})`;

/** In the order in which they are applied, and in which the canonical text has them: kept renditions are named by it. */
export const modifierTable = {
  or: row(parseOrientation, {
    changes: "place",
    text: ({ or }) => (or === "auto" ? undefined : or),
    accepted: "auto, 0, 90, 180 or 270",
    default: "auto: by the EXIF data",
    help: "Rotates the picture counter-clockwise, before everything else; a number ignores the EXIF data.",
    example: "90",
  }),
  trim: row(parseTrim, {
    changes: "place",
    text: ({ trim }) => trim,
    accepted: "true, false, 1, 0, or a number from 2 to 100: the tolerance of the colour",
    default: "false; 1 and true are 10",
    help: "Removes edges of the colour of the top left corner, after the rotation and before everything else. The first frame of an animation decides.",
    example: "1",
  }),
  crop: row(parseCrop, {
    changes: "place",
    text: ({ crop }) => crop && formatCrop(crop),
    accepted: "width,height,x,y: four numbers, width and height of 1 or more, x and y of 0 or more; or smart",
    default: "the whole picture",
    help: "Crops to this rectangle before the resize. One that starts outside the picture is ignored. smart chooses the most salient part in the aspect ratio of w and h; without both of them it has no effect.",
    example: "300,200,10,20",
  }),
  w: row(parseSide, {
    changes: "place",
    text: ({ w }) => w && formatLength(w),
    accepted: side,
    default: "follows h; without both the picture keeps its size",
    help: "Width of the result.",
    example: "300",
  }),
  h: row(parseSide, {
    changes: "place",
    text: ({ h }) => h && formatLength(h),
    accepted: side,
    default: "follows w; without both the picture keeps its size",
    help: "Height of the result.",
    example: "50h",
  }),
  fit: row(parseFit, {
    changes: "place",
    text: ({ fit }) => formatFit(fit),
    accepted: `contain, max, fill, fill-max, stretch, ${anchored}, or crop-x-y[-zoom] with x and y from 0 to 100 and zoom from 1 to 100`,
    default: "contain",
    help: "How the picture is fitted into w and h: contain inside; max inside, never enlarged; fill and fill-max likewise on a canvas of w and h; stretch ignores its ratio; crop and cover fill the box and crop the rest.",
    example: "crop-50-20",
    salvage: salvageFit,
  }),
  dpr: row(parseDpr, {
    changes: "place",
    text: ({ dpr }) => (dpr === 1 ? undefined : dpr),
    accepted: "a number above 0, at most 8",
    default: "1",
    help: "Device pixel ratio: multiplies the size of the result and lengths in pixels.",
    example: "2",
  }),
  bri: row(parseLevel, {
    changes: "pixels",
    text: ({ bri }) => bri,
    accepted: level,
    default: "0",
    help: "Brightness.",
    example: "25",
  }),
  con: row(parseLevel, {
    changes: "pixels",
    text: ({ con }) => con,
    accepted: level,
    default: "0",
    help: "Contrast.",
    example: "-20",
  }),
  gam: row(parseGamma, {
    changes: "pixels",
    text: ({ gam }) => gam,
    accepted: "a number from 0.1 to 9.99",
    default: "1",
    help: "Gamma.",
    example: "1.5",
  }),
  sharp: row(wholeNumber(0, 100), {
    changes: "pixels",
    text: ({ sharp }) => sharp,
    accepted: wholes(0, 100),
    default: "0",
    help: "Sharpens.",
    example: "15",
  }),
  filt: row(oneOfNamed(["greyscale", "sepia"], { grayscale: "greyscale" }), {
    changes: "pixels",
    text: ({ filt }) => filt,
    accepted: "greyscale (or grayscale) or sepia",
    default: "none",
    help: "A colour filter.",
    example: "sepia",
  }),
  flip: row(oneOf("h", "v", "both"), {
    changes: "place",
    text: ({ flip }) => flip,
    accepted: "h, v or both",
    default: "none",
    help: "Mirrors: h left and right, v top and bottom.",
    example: "h",
  }),
  blur: row(wholeNumber(0, 100), {
    changes: "pixels",
    text: ({ blur }) => blur,
    accepted: wholes(0, 100),
    default: "0",
    help: "Blurs.",
    example: "5",
  }),
  pixel: row(wholeNumber(0, 1000), {
    changes: "pixels",
    text: ({ pixel }) => pixel,
    accepted: wholes(0, 1000),
    default: "0",
    help: "Draws blocks of this many pixels a side.",
    example: "8",
  }),
  mark: row(parseMarkPath, {
    changes: "pixels",
    text: ({ mark }) => mark && escapePath(mark.path),
    accepted: "the path of an image below the watermarks folder",
    default: "none",
    help: "A watermark drawn over the result.",
    example: "logo.png",
  }),
  markw: row(parseExtent, {
    changes: "nothing",
    text: ({ mark }) => mark?.w && formatLength(mark.w),
    accepted: extent,
    default: "its own",
    help: "The watermark's width.",
    example: "20w",
  }),
  markh: row(parseExtent, {
    changes: "nothing",
    text: ({ mark }) => mark?.h && formatLength(mark.h),
    accepted: extent,
    default: "its own",
    help: "The watermark's height.",
    example: "40",
  }),
  markfit: row(parseMarkFit, {
    changes: "nothing",
    text: ({ mark }) => mark && formatFit(mark.fit),
    accepted: `contain, max, stretch, ${anchored}`,
    default: "contain",
    help: "How the watermark is fitted into markw and markh.",
    example: "max",
  }),
  markx: row(parseDistance, {
    changes: "nothing",
    text: ({ mark }) => mark && formatDistance(mark.x),
    accepted: distance,
    default: "0",
    help: "The watermark's distance from its left or right edge.",
    example: "10",
  }),
  marky: row(parseDistance, {
    changes: "nothing",
    text: ({ mark }) => mark && formatDistance(mark.y),
    accepted: distance,
    default: "0",
    help: "The watermark's distance from its top or bottom edge.",
    example: "10",
  }),
  markpad: row(parseDistance, {
    changes: "nothing",
    // It is what markx and marky are then.
    text: undefined,
    accepted: distance,
    default: "markx and marky apply",
    help: "Both distances of the watermark.",
    example: "5w",
  }),
  markpos: row(oneOf(...positions), {
    changes: "nothing",
    text: ({ mark }) => (mark?.position === "bottom-right" ? undefined : mark?.position),
    accepted: `one of ${positions.join(" ")}`,
    default: "bottom-right",
    help: "The position of the watermark.",
    example: "top-left",
  }),
  markalpha: row(wholeNumber(0, 100), {
    changes: "nothing",
    text: ({ mark }) => (mark?.alpha === 100 ? undefined : mark?.alpha),
    accepted: wholes(0, 100),
    default: "100",
    help: "The opacity of the watermark, in percent.",
    example: "50",
  }),
  bg: row(parseColor, {
    changes: "pixels",
    text: ({ bg }) => bg && formatColor(bg),
    accepted: colorForms,
    default: "transparent; white where the format has no transparency",
    help: "The background colour behind transparent parts.",
    example: "f0f0f0",
  }),
  border: row(parseBorder, {
    changes: "pixels",
    text: ({ border }) => border && formatBorder(border),
    accepted: `width,colour,method: ${extent}; ${colorForms}; overlay, shrink or expand`,
    default: "none; its colour transparent, its method overlay",
    help: "A border: overlay draws it over the picture, shrink shrinks the picture, expand enlarges the result.",
    example: "10,black,shrink",
    salvage: salvageBorder,
  }),
  q: row(wholeNumber(0, 100), {
    changes: "encoding",
    text: ({ q }) => q,
    accepted: wholes(0, 100),
    default: String(defaultQuality),
    help: "Quality of jpg, pjpg, webp and avif; no effect on png and gif.",
    example: "75",
  }),
  fm: row(oneOfNamed([...formats, "auto"], { jpeg: "jpg" }), {
    changes: "encoding",
    text: ({ fm }) => fm,
    accepted: `${formats.join(", ")} or auto; jpeg is jpg`,
    default: "the picture's own format, jpg where that is none of these",
    help: "Format of the result; auto is the best one the request accepts, pjpg a progressive jpg.",
    example: "webp",
  }),
  lossless: row(parseFlag, {
    changes: "encoding",
    text: ({ lossless }) => lossless && 1,
    accepted: "true, false, 1 or 0",
    default: "false",
    help: "Lossless webp or avif, whatever q says; no effect on other formats.",
    example: "1",
  }),
  interlace: row(parseFlag, {
    changes: "encoding",
    text: ({ interlace }) => interlace && 1,
    accepted: "true, false, 1 or 0",
    default: "false",
    help: "Makes a jpg progressive, a png or gif interlaced.",
    example: "1",
  }),
  p: row((text) => text.split(","), {
    changes: "nothing",
    // What presets say is in the texts of the arguments that they set.
    text: undefined,
    accepted: "names of presets, separated by commas",
    default: "none",
    help: "Sets of arguments from the setting `image_presets`, none by default. Later ones override earlier ones, arguments of the request override both.",
    example: undefined,
  }),
} satisfies Record<string, ModifierRow<unknown>>;

export type ModifierName = keyof typeof modifierTable;
/** The parsed value of each argument; absent when it was not sent or is invalid. */
export type ModifierValues = {
  [N in ModifierName]?: Exclude<ReturnType<(typeof modifierTable)[N]["parse"]>, undefined>;
};

/** The table's rows, for documentation. */
export const modifierRows: readonly ({ name: ModifierName } & ModifierRow<unknown>)[] = Object.entries(
  modifierTable,
).map(([name, declaration]) => ({ name: name as ModifierName, ...declaration }));

/** The arguments that are a step on decoded pixels each. */
export type PixelName = {
  [N in ModifierName]: (typeof modifierTable)[N]["changes"] extends "pixels" ? N : never;
}[ModifierName];
/** These, in the order in which they are applied. */
export const pixelNames = modifierRows
  .filter(({ changes }) => changes === "pixels")
  .map(({ name }) => name as PixelName);

/**
 * The canonical text of the effective arguments: `w-300_fit-crop_fm-webp`. Only letters, digits, `-`, `.`, `_` and
 * `~`, so it needs no escaping in URLs, header fields and file names; different modifiers have different texts. Empty
 * without arguments. Contract §7, Identity.
 */
export function formatModifiers(modifiers: Modifiers): string {
  const parts: string[] = [];
  for (const { name, text } of modifierRows) {
    const value = text?.(modifiers);
    if (value !== undefined) parts.push(`${name}-${value}`);
  }
  return parts.join("_");
}
