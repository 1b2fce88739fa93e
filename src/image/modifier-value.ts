import { parseFlag } from "../core/lib/flag.ts";
import { type Path, parsePath, rootPath } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import { type Color, parseColor, transparent } from "./color.ts";

export const formats = ["jpg", "pjpg", "png", "gif", "webp", "avif"] as const;
export type Format = (typeof formats)[number];

/**
 * Parsers of the texts of image arguments. Every `parse` returns undefined for an invalid text; a `salvage` returns
 * the part of such a text that Flextype applied. Compatibility, Images.
 */

/** A length: pixels as requested (before dpr), or a percentage of the picture's or target's width or height. */
export type Length = { px: number } | { percent: number; of: "w" | "h" };

export const positions = [
  "top-left",
  "top",
  "top-right",
  "left",
  "center",
  "right",
  "bottom-left",
  "bottom",
  "bottom-right",
] as const;
export type Position = (typeof positions)[number];

/**
 * `crop`: cover the box, cut around a focal point in percent, zoomed (1 = none). `focal`: the same around the point of the
 * file, which is one of its upright picture before any argument.
 */
export type Fit =
  | { kind: "contain" | "max" | "fill" | "fill-max" | "stretch" }
  | { kind: "crop" | "focal"; x: number; y: number; zoom: number };

/** Whole pixels of the upright picture; it may extend past the picture's edges. */
export type Crop = { width: number; height: number; x: number; y: number };

const borderMethods = ["overlay", "shrink", "expand"] as const;
export type Border = { width: Length; color: Color; method: (typeof borderMethods)[number] };

// What PHP's is_numeric() accepts: `1e2`, `.5`, `5.` and surrounding white space, but no hexadecimal.
const numeric = /^[ \t\n\r\v\f]*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?[ \t\n\r\v\f]*$/i;

function parseNumber(text: string): number | undefined {
  return numeric.test(text) ? Number(text) : undefined;
}

/** Towards zero, without -0. */
const truncate = (number: number): number => Math.trunc(number) + 0;

/** A parser of numbers from `min` to `max`, which truncates the fraction. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number | undefined => {
    const number = parseNumber(text);
    return number !== undefined && number >= min && number <= max ? truncate(number) : undefined;
  };

/** A parser of these texts, in any letter case. */
export const oneOf =
  <T extends string>(...texts: readonly T[]) =>
  (text: string): T | undefined =>
    texts.find((known) => known === text.toLowerCase());

/** The same, where some values have a second name. */
export const oneOfNamed = <const T extends string>(texts: readonly T[], aliases: Readonly<Record<string, T>>) => {
  const known = new Map<string, T>([...texts.map((text) => [text, text] as const), ...Object.entries(aliases)]);
  return (text: string): T | undefined => known.get(text.toLowerCase());
};

/** Digits only, from -100 to 100: `5.5` and `1e1` are invalid. */
export function parseLevel(text: string): number | undefined {
  if (!/^-?\d+$/.test(text)) return undefined;
  return wholeNumber(-100, 100)(text);
}

/** One digit, dots, digits, from 0.1 to 9.99. As in Flextype, parsing stops at a second dot. */
export function parseGamma(text: string): number | undefined {
  if (!/^\d\.*\d*$/.test(text)) return undefined;
  const gamma = Number.parseFloat(text);
  return gamma >= 0.1 && gamma <= 9.99 ? gamma : undefined;
}

/** More than 0, at most 8. */
export function parseDpr(text: string): number | undefined {
  const dpr = parseNumber(text);
  return dpr !== undefined && dpr > 0 && dpr <= 8 ? dpr : undefined;
}

export type Orientation = "auto" | 0 | 90 | 180 | 270;
const orientations: readonly Orientation[] = ["auto", 0, 90, 180, 270];

export function parseOrientation(text: string): Orientation | undefined {
  return orientations.find((known) => String(known) === text.toLowerCase());
}

/** The tolerance of the trim to the corner's colour, of 255 a channel: 1 and true are the usual amount. */
export function parseTrim(text: string): number | undefined {
  const flag = parseFlag(text);
  return flag === undefined ? wholeNumber(2, 100)(text) : flag ? usualTrim : 0;
}
const usualTrim = 10;

function parseRelative(text: string): Length | undefined {
  const [, percent, of] = /^(\d{1,2}|100)([wh])$/.exec(text.toLowerCase()) ?? [];
  return percent === undefined ? undefined : { percent: Number(percent), of: of as "w" | "h" };
}

export const isNothing = (length: Length): boolean => ("px" in length ? length.px : length.percent) === 0;

/** A distance of 0 or more. Pixels keep their fraction: dpr multiplies before any rounding. */
export function parseDistance(text: string): Length | undefined {
  const px = parseNumber(text);
  const length = px === undefined ? parseRelative(text) : { px };
  if (!length || ("px" in length && !(length.px >= 0 && length.px <= Number.MAX_SAFE_INTEGER))) return undefined;
  return isNothing(length) ? { px: 0 } : length;
}

/** A distance of more than 0. */
export function parseExtent(text: string): Length | undefined {
  const length = parseDistance(text);
  return length && !isNothing(length) ? length : undefined;
}

/** A side of the target: as an extent, in whole pixels. */
export function parseSide(text: string): Length | undefined {
  const length = parseExtent(text);
  if (!length || !("px" in length)) return length;
  const px = truncate(length.px);
  return px > 0 ? { px } : undefined;
}

/** `width,height,x,y`, or `smart`. The caller, which has the picture, checks that it starts inside. */
export function parseCrop(text: string): Crop | "smart" | undefined {
  if (text.toLowerCase() === "smart") return "smart";
  const pieces = text.split(",");
  if (pieces.length !== 4) return undefined;
  const [width, height, x, y] = pieces.map(wholeNumber(0, Number.MAX_SAFE_INTEGER));
  if (!width || !height || x === undefined || y === undefined) return undefined;
  return { width, height, x, y };
}

const focal = (x: number, y: number, zoom = 1): Fit => ({ kind: "crop", x, y, zoom });
const percentBetween = (position: Position, near: string, far: string): number => {
  if (position.includes(near)) return 0;
  return position.includes(far) ? 100 : 50;
};
const plainFits = ["contain", "max", "stretch"] as const;
const markFits = new Map<string, Fit>([
  ...plainFits.map((kind) => [kind, { kind }] as const),
  ...["crop", "cover"].flatMap((name) => [
    [name, focal(50, 50)] as const,
    ...positions.map((at) => {
      return [
        `${name}-${at}`,
        focal(percentBetween(at, "left", "right"), percentBetween(at, "top", "bottom")),
      ] as const;
    }),
  ]),
]);
const fits = new Map<string, Fit>([
  ...markFits,
  ["fill", { kind: "fill" }],
  ["fill-max", { kind: "fill-max" }],
  // The point is filled in when the file is known.
  ["crop-focal", { ...focal(50, 50), kind: "focal" } as Fit],
]);

const focalPattern = /^crop-(\d{1,3})-(\d{1,3})(?:-(\d{1,3}(?:\.\d+)?))?$/i;

function parseFocal(text: string): [x: number, y: number, zoom: number] | undefined {
  const [, x, y, zoom = "1"] = focalPattern.exec(text) ?? [];
  return x === undefined ? undefined : [Number(x), Number(y), Number(zoom)];
}

/** A fit, by name or as `crop-x-y[-zoom]`; x and y 0–100, zoom 1–100. */
export function parseFit(text: string): Fit | undefined {
  const named = fits.get(text.toLowerCase());
  if (named) return named;
  const [x, y, zoom] = parseFocal(text) ?? [];
  if (x === undefined || y === undefined || zoom === undefined) return undefined;
  return x <= 100 && y <= 100 && zoom >= 1 && zoom <= 100 ? focal(x, y, zoom) : undefined;
}

/** A focal point or zoom above 100 becomes the centre, without zoom. */
export function salvageFit(text: string): Fit | undefined {
  return parseFocal(text)?.some((number) => number > 100) ? focal(50, 50) : undefined;
}

/** A watermark's fit: a subset of the picture's. */
export function parseMarkFit(text: string): Fit | undefined {
  return markFits.get(text.toLowerCase());
}

/** The path of a watermark below the watermarks' folder; undefined for one that would lead out of it. */
export function parseMarkPath(text: string): Path | undefined {
  try {
    const path = parsePath("mark", text);
    return path === rootPath ? undefined : path;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** `width,colour,method`; colour and method may be omitted or empty. */
export function parseBorder(text: string): Border | undefined {
  const [, color = "", method = "", ...rest] = splitBorder(text);
  const isWhole =
    (color === "" || parseColor(color)) && (method === "" || oneOf(...borderMethods)(method)) && rest.length === 0;
  return isWhole ? salvageBorder(text) : undefined;
}

/** A border for any text with a valid width: transparent and overlaid where the rest is invalid. */
export function salvageBorder(text: string): Border | undefined {
  const [extent = "", color = "", method = ""] = splitBorder(text);
  const width = parseExtent(extent);
  if (!width) return undefined;
  return { width, color: parseColor(color) ?? transparent, method: oneOf(...borderMethods)(method) ?? "overlay" };
}

/** Splits at the commas that are not inside `rgb(…)`. */
function splitBorder(text: string): string[] {
  const [bracket, first] = [text.indexOf(")"), text.indexOf(",")];
  if (bracket < 0 || first < 0 || bracket < first) return text.split(",");
  const [rest = "", ...others] = text.slice(bracket + 1).split(",");
  return [text.slice(0, first), text.slice(first + 1, bracket + 1) + rest, ...others];
}
