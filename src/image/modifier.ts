import { describeJson, formatJson, isJsonObject, type Json } from "../core/lib/json.ts";
import { nearest } from "../core/lib/nearest.ts";
import { type Problem, problem, problems } from "../core/problem.ts";
import type { Color } from "./color.ts";
import { isReduced, type OutputLimits, type Size } from "./geometry.ts";
import { formatModifiers, type Modifiers, type ModifierValues, modifierRows, toModifiers } from "./image.ts";
import { modifierTable } from "./modifier-row.ts";
import type { Border, Crop, Fit, Length, Orientation, Position } from "./modifier-value.ts";

export { formatModifiers, type Mark, type Modifiers, modifierRows, type PixelName, pixelNames } from "./image.ts";
export { defaultQuality } from "./modifier-row.ts";
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
  const values = modifierRows.map(({ name, parse, salvage }) => {
    const text = textOf(args.get(name) ?? null) ?? "";
    return [name, text === "" ? undefined : (parse(text) ?? salvage?.(text))];
  });
  return Object.fromEntries(values) as ModifierValues;
}
