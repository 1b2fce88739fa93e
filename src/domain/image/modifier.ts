import { describeJson, formatJson, isJsonObject, type Json } from "../../lib/json.ts";
import { nearest } from "../../lib/nearest.ts";
import { type Problem, problem, problems } from "../problem.ts";
import { type Color, transparent } from "./color.ts";
import { isReduced, type OutputLimits, type Size } from "./geometry.ts";
import type { Mark, Modifiers } from "./image.ts";
import {
  defaultQuality,
  formatModifiers,
  type ModifierName,
  type ModifierRow,
  type ModifierValues,
  modifierRows,
  modifierTable,
} from "./modifier-row.ts";
import {
  type Border,
  type Crop,
  type Fit,
  isNothing,
  type Length,
  type Orientation,
  type Position,
} from "./modifier-value.ts";

export type { Mark, Modifiers } from "./image.ts";
export {
  defaultQuality,
  formatModifiers,
  modifierRows,
  type PixelName,
  pixelNames,
} from "./modifier-row.ts";
export { type Format, formats } from "./modifier-value.ts";
export type { Border, Color, Crop, Fit, Length, Orientation, Position };

/** The effective arguments of an image, with invalid ones dropped. Contract §7; compatibility, Images. */

/** A set of arguments: texts, or numbers and booleans where they are from JSON. */
export type Arguments = ReadonlyMap<string, Json>;

export type ModifierOptions = {
  /** True to refuse what is otherwise ignored. */
  isStrict: boolean;
  /** What applies where neither the request nor its presets set an argument. */
  defaults: Arguments;
  presets: ReadonlyMap<string, Arguments>;
};

/** Arguments of an image's address that do not describe the image. */
export const otherArguments: ReadonlySet<string> = new Set(["s", "token", "access_token", "v", "expires", "strict"]);

/**
 * Parses the arguments of a request. An argument overrides the presets, a later preset an earlier one, presets the
 * defaults; an empty or invalid one does so too, and then the argument's own default applies. `ignored` names what was
 * invalid or unknown, in whole or in part. When strict throws argument_invalid instead, for all of these at once;
 * presets and defaults are set by the operator and never refused here.
 */
export function parseModifiers(args: Arguments, options: ModifierOptions): { modifiers: Modifiers; ignored: string[] } {
  const faults = [...findInvalid(args, options.presets), ...findUnknown(args)];
  if (options.isStrict) refuse(faults);
  const values = readValues(mergeArguments(args, options));
  return { modifiers: toModifiers(values), ignored: faults.map((fault) => fault.argument) };
}

/** Throws argument_invalid for a crop that starts outside of the picture, where it would be ignored. */
export function refuseCropOutside({ width, height }: Size, { crop }: Modifiers): void {
  if (!crop || crop === "smart" || (crop.x < width && crop.y < height)) return;
  const received = `${crop.width},${crop.height},${crop.x},${crop.y}`;
  const accepted = `x below ${width} and y below ${height}, the picture's width and height`;
  throw problem("argument_invalid", { argument: "crop", received, accepted });
}

/** Throws argument_invalid for a size that the limits would reduce. */
export function refuseReduced(picture: Size, modifiers: Modifiers, limits: OutputLimits): void {
  if (isReduced(picture, modifiers, limits)) throw reducedSize(modifiers, limits);
}

/** The refusal of such a size, where it is detected later. */
export function reducedSize({ w, h, dpr, border }: Modifiers, { maxSide, maxOutputPixels }: OutputLimits): Problem {
  const received = formatModifiers({ or: "auto", fit: { kind: "contain" }, w, h, dpr, border });
  const accepted = `a result of at most ${maxSide} pixels a side and ${maxOutputPixels} in all`;
  return problem("argument_invalid", { argument: w ? "w" : h ? "h" : dpr > 1 ? "dpr" : "border", received, accepted });
}

type Fault = { argument: string; received: string; accepted: string };

function refuse(faults: Fault[]): void {
  const [first, ...rest] = faults.map((fault): Problem => problem("argument_invalid", fault));
  if (first) throw problems([first, ...rest]);
}

/** The text of a value, undefined for a list or a group. Null is empty: "not requested". */
function textOf(value: Json): string | undefined {
  if (typeof value === "string") return value;
  if (value === null) return "";
  return Array.isArray(value) || isJsonObject(value) ? undefined : formatJson(value);
}

function findInvalid(args: Arguments, presets: ModifierOptions["presets"]): Fault[] {
  const faults: Fault[] = [];
  for (const { name, parse, accepted } of modifierRows) {
    const value = args.get(name);
    const text = value === undefined ? "" : textOf(value);
    if (text === "") continue;
    const read = text === undefined ? undefined : parse(text);
    const isKnown = name !== "p" || (read as string[] | undefined)?.every((preset) => presets.has(preset));
    if (read !== undefined && isKnown) continue;
    const known = name === "p" ? ` (${[...presets.keys()].join(" ") || "there are none"})` : "";
    faults.push({ argument: name, received: describeJson(value), accepted: `${accepted}${known}` });
  }
  return faults;
}

function findUnknown(args: Arguments): Fault[] {
  const names = Object.keys(modifierTable);
  const unknown = [...args.keys()].filter((name) => !Object.hasOwn(modifierTable, name) && !otherArguments.has(name));
  return unknown.sort().map((argument) => {
    const meant = nearest(argument, names);
    const accepted = meant ? `the argument "${meant}"` : `one of the arguments ${names.join(" ")}`;
    return { argument, received: describeJson(args.get(argument)), accepted };
  });
}

/** Only the request names presets: a preset cannot name others. Unknown ones are skipped. */
function mergeArguments(args: Arguments, { defaults, presets }: ModifierOptions): Arguments {
  const named = textOf(args.get("p") ?? null) ?? "";
  const chosen = named.split(",").map((name) => presets.get(name) ?? new Map<string, Json>());
  return new Map([defaults, ...chosen, args].flatMap((layer) => [...layer]));
}

function readValues(args: Arguments): ModifierValues {
  const values = modifierRows.map(({ name, parse, salvage }: { name: ModifierName } & ModifierRow<unknown>) => {
    const text = textOf(args.get(name) ?? null) ?? "";
    return [name, text === "" ? undefined : (parse(text) ?? salvage?.(text))];
  });
  return Object.fromEntries(values) as ModifierValues;
}

function toModifiers(values: ModifierValues): Modifiers {
  const { or = "auto", dpr = 1, gam, filt, flip, pixel = 0, q } = values;
  const { w, h } = toSides(values);
  const crop = values.crop === "smart" && !(w && h) ? undefined : values.crop;
  const rest: Modifiers = dropAbsent({
    ...{ or, trim: values.trim || undefined, crop, w, h, fit: simplifyFit(values.fit, [w, h], dpr), dpr },
    ...{ bri: values.bri || undefined, con: values.con || undefined, gam: gam === 1 ? undefined : gam },
    ...{ sharp: values.sharp || undefined, filt, flip, blur: values.blur || undefined },
    ...{ pixel: pixel > 1 ? pixel : undefined, mark: toMark(values) },
    ...{ bg: values.bg?.alpha === 0 ? undefined : values.bg, border: toBorder(values.border) },
    ...toOutput(values),
  });
  // A format that may turn out to be jpg has a quality, lossless or not.
  const isLossless = rest.lossless && (rest.fm === "webp" || rest.fm === "avif");
  const hasQuality = q !== undefined && rest.fm !== "png" && rest.fm !== "gif" && !isLossless;
  const saysSomething = q !== defaultQuality || formatModifiers(rest) === "";
  return hasQuality && saysSomething ? { ...rest, q } : rest;
}

/** A copy without the members that are undefined. */
function dropAbsent<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/** A request for the picture's own width and height sets no size. */
function toSides({ w, h }: ModifierValues): { w?: Length; h?: Length } {
  const isOwn = (length: Length | undefined, of: "w" | "h") =>
    length === undefined || ("percent" in length && length.percent === 100 && length.of === of);
  return isOwn(w, "w") && isOwn(h, "h") ? {} : { w, h };
}

/**
 * Without two sides the box has the picture's ratio: there is nothing to cut, stretch or fill, except for a zoom; and
 * only an enlargement distinguishes max and fill from contain.
 */
function simplifyFit(fit: Fit = { kind: "contain" }, sides: (Length | undefined)[], dpr: number): Fit {
  const count = sides.filter((side) => side !== undefined).length;
  const isZoomed = fit.kind === "crop" && fit.zoom > 1;
  const refusesEnlargement = fit.kind === "max" || fit.kind === "fill";
  const mayEnlarge = count === 1 || dpr > 1;
  return count === 2 || isZoomed || (refusesEnlargement && mayEnlarge) ? fit : { kind: "contain" };
}

function toMark(values: ModifierValues): Mark | undefined {
  const {
    mark: path,
    markw: w,
    markh: h,
    markpad,
    markpos: position = "bottom-right",
    markalpha: alpha = 100,
  } = values;
  if (path === undefined || alpha === 0) return undefined;
  // Flextype treated a padding of 0 as none.
  const pad = markpad && isNothing(markpad) ? undefined : markpad;
  const x = pad ?? values.markx ?? { px: 0 };
  const y = pad ?? values.marky ?? { px: 0 };
  return dropAbsent({ path, w, h, fit: simplifyFit(values.markfit, [w, h], 1), x, y, position, alpha });
}

/** An invisible border is kept only where it takes up space. */
function toBorder(border: Border | undefined): Border | undefined {
  if (!border || border.color.alpha > 0) return border;
  return border.method === "overlay" ? undefined : { ...border, color: transparent };
}

function toOutput({ fm, lossless, interlace }: ModifierValues): Pick<Modifiers, "fm" | "lossless" | "interlace"> {
  const isModern = fm === "webp" || fm === "avif";
  const mayBeModern = isModern || fm === "auto" || fm === undefined;
  return {
    fm,
    lossless: (lossless && mayBeModern) || undefined,
    interlace: (interlace && !isModern && fm !== "pjpg") || undefined,
  };
}
