import { parseFlag } from "../core/lib/flag.ts";
import type { Path } from "../core/path.ts";
import { colorForms, formatColor, parseColor } from "./color.ts";
import {
  dropAbsent,
  keptBorder,
  keptCrop,
  keptFit,
  keptInterlace,
  keptLossless,
  keptQuality,
  keptSide,
  type Mark,
  simplifyFit,
  unless,
} from "./modifier-member.ts";
import { escapePath, formatBorder, formatCrop, formatDistance, formatFit, formatLength } from "./modifier-text.ts";
import {
  formats,
  isNothing,
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
 * The image arguments: one object each, from which requests are read, the effective arguments and their canonical text
 * are made, the picture is drawn (image/sharp/pipeline.ts has a step for each that changes pixels) and the
 * documentation is written. Contract §7.
 */

/**
 * `place` crops, scales and rotates; `pixels` is a separate step on the decoded picture; `encoding` only affects the
 * output format; `nothing` has no effect alone: it belongs to another argument, or sets others.
 */
export type Change = "place" | "pixels" | "encoding" | "nothing";

/** `parse` answers undefined for an invalid value; `salvage` answers the valid part of such a text, which is applied. */
export type ModifierRow<T, M = unknown, C extends Change = Change, V = never> = {
  parse: (text: string) => T | undefined;
  salvage?: (text: string) => T | undefined;
  /** Its effect on the picture. */
  changes: C;
  /**
   * Its member of `Modifiers`: what applies for the value, undefined where that has no effect. `values` are those of all
   * arguments. Absent: it has no member, because others have what it says.
   */
  member?(value: T | undefined, values: V): M;
  /** The argument in whose member its value is; absent for its own. */
  of?: "mark";
  /** Its part of the canonical text for that member, undefined for none; absent if other rows write its part. */
  text?(member: NonNullable<M>): string | number | undefined;
  /** What is accepted, in words that follow "expected". */
  accepted: string;
  /** The value that applies without the argument, in words. */
  default: string;
  help: string;
  /** A value that is accepted with any settings; undefined where there is none. */
  example: string | undefined;
};

type Described = "accepted" | "default" | "help" | "example" | "salvage";

/** An argument with a member. */
const row = <T, M, C extends Change, V>(
  parse: ModifierRow<T>["parse"],
  rest: Required<Pick<ModifierRow<T, M, C, V>, "changes" | "member" | "text">> & Pick<ModifierRow<T>, Described>,
) => ({ parse, ...rest });

/** The same for a member that is its own text. */
const plainRow = <T, M extends string | number | undefined, C extends Change, V>(
  parse: ModifierRow<T>["parse"],
  rest: Required<Pick<ModifierRow<T, M, C, V>, "changes" | "member">> & Pick<ModifierRow<T>, Described>,
) => ({ parse, text: (member: string | number) => member, ...rest });

/** An argument of the watermark. */
const markRow = <T>(parse: ModifierRow<T>["parse"], rest: Pick<ModifierRow<T, Mark>, Described | "text">) => ({
  parse,
  of: "mark" as const,
  changes: "nothing" as const,
  ...rest,
});

/** The quality where neither `q` nor a preset sets it, in every format that has one. */
export const defaultQuality = 90;

const side = "a number of pixels of 1 or more, or a percentage of the picture as 1w to 100w or 1h to 100h";
const extent = "a number of pixels above 0, or a percentage of the result as 1w to 100w or 1h to 100h";
const distance = "a number of pixels of 0 or more, or a percentage of the result as 0w to 100w or 0h to 100h";
const wholes = (min: number, max: number) => `a number from ${min} to ${max}, rounded down`;
const level = "a whole number from -100 to 100";
const anchored = `crop or cover, alone or followed by an edge or corner (crop-top-left; ${positions.join(" ")})`;

/** The parsed value of each argument of a table; absent when it was not sent or is invalid. */
export type ValuesOf<Table> = {
  [N in keyof Table]?: Table[N] extends { parse: (text: string) => infer T } ? Exclude<T, undefined> : never;
};

/** The arguments of the watermark, which follow its path. */
const markTable = {
  markw: markRow(parseExtent, {
    text: ({ w }) => w && formatLength(w),
    accepted: extent,
    default: "its own",
    help: "The watermark's width.",
    example: "20w",
  }),
  markh: markRow(parseExtent, {
    text: ({ h }) => h && formatLength(h),
    accepted: extent,
    default: "its own",
    help: "The watermark's height.",
    example: "40",
  }),
  markfit: markRow(parseMarkFit, {
    text: ({ fit }) => formatFit(fit),
    accepted: `contain, max, stretch, ${anchored}`,
    default: "contain",
    help: "How the watermark is fitted into markw and markh.",
    example: "max",
  }),
  markx: markRow(parseDistance, {
    text: ({ x }) => formatDistance(x),
    accepted: distance,
    default: "0",
    help: "The watermark's distance from its left or right edge.",
    example: "10",
  }),
  marky: markRow(parseDistance, {
    text: ({ y }) => formatDistance(y),
    accepted: distance,
    default: "0",
    help: "The watermark's distance from its top or bottom edge.",
    example: "10",
  }),
  markpad: markRow(parseDistance, {
    // It has no text: it is what markx and marky are then.
    accepted: distance,
    default: "markx and marky apply",
    help: "Both distances of the watermark.",
    example: "5w",
  }),
  markpos: markRow(oneOf(...positions), {
    text: ({ position }) => (position === "bottom-right" ? undefined : position),
    accepted: `one of ${positions.join(" ")}`,
    default: "bottom-right",
    help: "The position of the watermark.",
    example: "top-left",
  }),
  markalpha: markRow(wholeNumber(0, 100), {
    text: ({ alpha }) => (alpha === 100 ? undefined : alpha),
    accepted: wholes(0, 100),
    default: "100",
    help: "The opacity of the watermark, in percent.",
    example: "50",
  }),
};

function toMark(path: Path | undefined, values: ValuesOf<typeof markTable>): Mark | undefined {
  const { markw: w, markh: h, markpad, markpos: position = "bottom-right", markalpha: alpha = 100 } = values;
  if (path === undefined || alpha === 0) return undefined;
  // Flextype treated a padding of 0 as none.
  const pad = markpad && isNothing(markpad) ? undefined : markpad;
  const sides = (w ? 1 : 0) + (h ? 1 : 0);
  const x = pad ?? values.markx ?? { px: 0 };
  const y = pad ?? values.marky ?? { px: 0 };
  return dropAbsent({ path, w, h, fit: simplifyFit(values.markfit, sides), x, y, position, alpha });
}

/** In the order in which they are applied, and in which the canonical text has them: kept renditions are named by it. */
export const modifierTable = {
  or: row(parseOrientation, {
    changes: "place",
    member: (or = "auto") => or,
    text: (or) => (or === "auto" ? undefined : or),
    accepted: "auto, 0, 90, 180 or 270",
    default: "auto: by the EXIF data",
    help: "Rotates the picture counter-clockwise, before everything else; a number ignores the EXIF data.",
    example: "90",
  }),
  trim: plainRow(parseTrim, {
    changes: "place",
    member: unless(0),
    accepted: "true, false, 1, 0, or a number from 2 to 100: the tolerance of the colour",
    default: "false; 1 and true are 10",
    help: "Removes edges of the colour of the top left corner, after the rotation and before everything else. The first frame of an animation decides.",
    example: "1",
  }),
  crop: row(parseCrop, {
    changes: "place",
    member: keptCrop,
    text: formatCrop,
    accepted: "width,height,x,y: four numbers, width and height of 1 or more, x and y of 0 or more; or smart",
    default: "the whole picture",
    help: "Crops to this rectangle before the resize. One that starts outside the picture is ignored. smart chooses the most salient part in the aspect ratio of w and h; without both of them it has no effect.",
    example: "300,200,10,20",
  }),
  w: row(parseSide, {
    changes: "place",
    member: keptSide,
    text: formatLength,
    accepted: side,
    default: "follows h; without both the picture keeps its size",
    help: "Width of the result.",
    example: "300",
  }),
  h: row(parseSide, {
    changes: "place",
    member: keptSide,
    text: formatLength,
    accepted: side,
    default: "follows w; without both the picture keeps its size",
    help: "Height of the result.",
    example: "50h",
  }),
  fit: row(parseFit, {
    changes: "place",
    member: keptFit,
    text: formatFit,
    accepted: `contain, max, fill, fill-max, stretch, ${anchored}, crop-x-y[-zoom] with x and y from 0 to 100 and zoom from 1 to 100, or crop-focal`,
    default: "contain",
    help: "How the picture is fitted into w and h: contain inside; max inside, never enlarged; fill and fill-max likewise on a canvas of w and h; stretch ignores its ratio; crop and cover fill the box and crop the rest; crop-focal does so around the point in the meta field focal of the file, or around the centre.",
    example: "crop-50-20",
    salvage: salvageFit,
  }),
  dpr: row(parseDpr, {
    changes: "place",
    member: (dpr = 1) => dpr,
    text: (dpr) => (dpr === 1 ? undefined : dpr),
    accepted: "a number above 0, at most 8",
    default: "1",
    help: "Device pixel ratio: multiplies the size of the result and lengths in pixels.",
    example: "2",
  }),
  bri: plainRow(parseLevel, {
    changes: "pixels",
    member: unless(0),
    accepted: level,
    default: "0",
    help: "Brightness.",
    example: "25",
  }),
  con: plainRow(parseLevel, {
    changes: "pixels",
    member: unless(0),
    accepted: level,
    default: "0",
    help: "Contrast.",
    example: "-20",
  }),
  gam: plainRow(parseGamma, {
    changes: "pixels",
    member: unless(1),
    accepted: "a number from 0.1 to 9.99",
    default: "1",
    help: "Gamma.",
    example: "1.5",
  }),
  sharp: plainRow(wholeNumber(0, 100), {
    changes: "pixels",
    member: unless(0),
    accepted: wholes(0, 100),
    default: "0",
    help: "Sharpens.",
    example: "15",
  }),
  filt: plainRow(oneOfNamed(["greyscale", "sepia"], { grayscale: "greyscale" }), {
    changes: "pixels",
    member: (filt) => filt,
    accepted: "greyscale (or grayscale) or sepia",
    default: "none",
    help: "A colour filter.",
    example: "sepia",
  }),
  flip: plainRow(oneOf("h", "v", "both"), {
    changes: "place",
    member: (flip) => flip,
    accepted: "h, v or both",
    default: "none",
    help: "Mirrors: h left and right, v top and bottom.",
    example: "h",
  }),
  blur: plainRow(wholeNumber(0, 100), {
    changes: "pixels",
    member: unless(0),
    accepted: wholes(0, 100),
    default: "0",
    help: "Blurs.",
    example: "5",
  }),
  pixel: plainRow(wholeNumber(0, 1000), {
    changes: "pixels",
    member: (pixel = 0) => (pixel > 1 ? pixel : undefined),
    accepted: wholes(0, 1000),
    default: "0",
    help: "Draws blocks of this many pixels a side.",
    example: "8",
  }),
  mark: row(parseMarkPath, {
    changes: "pixels",
    member: toMark,
    text: ({ path }) => escapePath(path),
    accepted: "the path of an image below the watermarks folder",
    default: "none",
    help: "A watermark drawn over the result.",
    example: "logo.png",
  }),
  ...markTable,
  bg: row(parseColor, {
    changes: "pixels",
    member: (bg) => (bg?.alpha === 0 ? undefined : bg),
    text: formatColor,
    accepted: colorForms,
    default: "transparent; white where the format has no transparency",
    help: "The background colour behind transparent parts.",
    example: "f0f0f0",
  }),
  border: row(parseBorder, {
    changes: "pixels",
    member: keptBorder,
    text: formatBorder,
    accepted: `width,colour,method: ${extent}; ${colorForms}; overlay, shrink or expand`,
    default: "none; its colour transparent, its method overlay",
    help: "A border: overlay draws it over the picture, shrink shrinks the picture, expand enlarges the result.",
    example: "10,black,shrink",
    salvage: salvageBorder,
  }),
  q: plainRow(wholeNumber(0, 100), {
    changes: "encoding",
    member: keptQuality,
    accepted: wholes(0, 100),
    default: String(defaultQuality),
    help: "Quality of jpg, pjpg, webp and avif; no effect on png and gif.",
    example: "75",
  }),
  fm: plainRow(oneOfNamed([...formats, "auto"], { jpeg: "jpg" }), {
    changes: "encoding",
    member: (fm) => fm,
    accepted: `${formats.join(", ")} or auto; jpeg is jpg`,
    default: "the picture's own format, jpg where that is none of these",
    help: "Format of the result; auto is the best one the request accepts, pjpg a progressive jpg.",
    example: "webp",
  }),
  lossless: row(parseFlag, {
    changes: "encoding",
    member: keptLossless,
    text: Number,
    accepted: "true, false, 1 or 0",
    default: "false",
    help: "Lossless webp or avif, whatever q says; no effect on other formats.",
    example: "1",
  }),
  interlace: row(parseFlag, {
    changes: "encoding",
    member: keptInterlace,
    text: Number,
    accepted: "true, false, 1 or 0",
    default: "false",
    help: "Makes a jpg progressive, a png or gif interlaced.",
    example: "1",
  }),
  p: {
    parse: (text: string) => text.split(","),
    changes: "nothing" as const,
    // What presets say is in the members of the arguments that they set.
    accepted: "names of presets, separated by commas",
    default: "none",
    help: "Sets of arguments from the setting `image_presets`, none by default. Later ones override earlier ones, arguments of the request override both.",
    example: undefined,
  },
};
