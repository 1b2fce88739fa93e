import { formatColor } from "./color.ts";
import type { Border, Crop, Fit, Length } from "./modifier-value.ts";

/** Values of image arguments as the canonical text has them; undefined for a value without an effect. Contract §7, Identity. */

export const formatLength = (length: Length): string =>
  "px" in length ? String(length.px) : `${length.percent}${length.of}`;

export const formatDistance = (length: Length): string | undefined =>
  "px" in length && length.px === 0 ? undefined : formatLength(length);

export const formatCrop = (crop: Crop | "smart"): string =>
  crop === "smart" ? crop : [crop.width, crop.height, crop.x, crop.y].join("-");

export function formatFit(fit: Fit): string | undefined {
  if (fit.kind === "focal") return `crop-focal-${fit.x}-${fit.y}`;
  if (fit.kind !== "crop") return fit.kind === "contain" ? undefined : fit.kind;
  if (fit.zoom !== 1) return `crop-${fit.x}-${fit.y}-${fit.zoom}`;
  return fit.x === 50 && fit.y === 50 ? "crop" : `crop-${fit.x}-${fit.y}`;
}

export const formatBorder = ({ width, color, method }: Border): string =>
  `${formatLength(width)}-${formatColor(color)}-${method}`;

/** Everything but letters, digits, `-` and `.` as `~` and two hex digits a byte. */
export const escapePath = (path: string): string =>
  encodeURIComponent(path)
    .replace(/[!'()*_~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%", "~");
