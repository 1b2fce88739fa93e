import { isJsonObject, type Json, parseJson } from "../core/lib/json.ts";
import { maxDataDepth } from "../entry/entry.ts";
import type { File } from "../file/file.ts";
import type { Modifiers } from "./modifier.ts";

/** The point of a picture that a crop keeps: the meta field `focal` of its file. Contract §17. */

/** In percent from the left and the top of the upright picture. */
export type FocalPoint = Readonly<{ x: number; y: number }>;

export const focalField = "focal";

const number = "(0|0?\\.\\d+|1|1\\.0+)";
const pattern = new RegExp(`^${number},${number}$`);
/** Finer than a pixel of the largest picture. */
const decimals = 4;

/** The point that a value of the field says; undefined for anything but two numbers from 0 to 1, joined by a comma. */
export function parseFocal(value: Json | undefined): FocalPoint | undefined {
  const [, x, y] = (typeof value === "string" && pattern.exec(value)) || [];
  return x === undefined || y === undefined ? undefined : { x: percent(x), y: percent(y) };
}

const percent = (fraction: string): number => Number((Number(fraction) * 100).toFixed(decimals));

/**
 * The modifiers with the point of the file where the request leaves it to the file; for one without a point, or with
 * what an import brought in its place, the centre.
 */
export function focusedOn(file: Pick<File, "meta">, modifiers: Modifiers): Modifiers {
  if (modifiers.fit.kind !== "focal") return modifiers;
  const point = focalOf(file);
  const fit = point ? { ...modifiers.fit, ...point } : ({ kind: "crop", x: 50, y: 50, zoom: 1 } as const);
  return { ...modifiers, fit };
}

function focalOf({ meta }: Pick<File, "meta">): FocalPoint | undefined {
  const fields = parseJson(meta, maxDataDepth + 1);
  return isJsonObject(fields) ? parseFocal(fields.get(focalField)) : undefined;
}
