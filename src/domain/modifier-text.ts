import { formatColor } from "./color.ts";
import type { Border, Crop, Fit, Length } from "./modifier-value.ts";
import type { Mark, Modifiers } from "./picture.ts";

/**
 * The canonical text of a picture's modifiers: `w-300_fit-crop_fm-webp`. Only letters, digits, `-`, `.`, `_` and `~`,
 * so it is safe in addresses, header fields and file names as it is; no two modifiers share a text. Empty when there
 * are none. Contract §7, Identity.
 */
export function formatModifiers(modifiers: Modifiers): string {
  const { or, trim, crop, w, h, fit, dpr, mark, bg, border, lossless, interlace } = modifiers;
  const { bri, con, gam, sharp, filt, flip, blur, pixel, q, fm } = modifiers;
  return join({
    ...{ or: or === "auto" ? undefined : or, trim, crop: crop && formatCrop(crop) },
    ...{ w: w && formatLength(w), h: h && formatLength(h), fit: formatFit(fit), dpr: dpr === 1 ? undefined : dpr },
    ...{ bri, con, gam, sharp, filt, flip, blur, pixel },
    ...(mark && markMembers(mark)),
    ...{ bg: bg && formatColor(bg), border: border && formatBorder(border) },
    ...{ q, fm, lossless: lossless && 1, interlace: interlace && 1 },
  });
}

const join = (members: Record<string, string | number | undefined>): string =>
  Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}-${value}`)
    .join("_");

function markMembers({ path, w, h, fit, x, y, position, alpha }: Mark): Record<string, string | number | undefined> {
  return {
    ...{ mark: escapePath(path), markw: w && formatLength(w), markh: h && formatLength(h), markfit: formatFit(fit) },
    ...{ markx: formatDistance(x), marky: formatDistance(y) },
    markpos: position === "bottom-right" ? undefined : position,
    markalpha: alpha === 100 ? undefined : alpha,
  };
}

const formatLength = (length: Length): string => ("px" in length ? String(length.px) : `${length.percent}${length.of}`);

const formatDistance = (length: Length): string | undefined =>
  "px" in length && length.px === 0 ? undefined : formatLength(length);

const formatCrop = (crop: Crop | "smart"): string =>
  crop === "smart" ? crop : [crop.width, crop.height, crop.x, crop.y].join("-");

function formatFit(fit: Fit): string | undefined {
  if (fit.kind !== "crop") return fit.kind === "contain" ? undefined : fit.kind;
  if (fit.zoom !== 1) return `crop-${fit.x}-${fit.y}-${fit.zoom}`;
  return fit.x === 50 && fit.y === 50 ? "crop" : `crop-${fit.x}-${fit.y}`;
}

const formatBorder = ({ width, color, method }: Border): string =>
  `${formatLength(width)}-${formatColor(color)}-${method}`;

/** Escapes each byte other than letters, digits, `-` and `.` as `~` and two hex digits. */
const escapePath = (path: string): string =>
  encodeURIComponent(path)
    .replace(/[!'()*_~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%", "~");
