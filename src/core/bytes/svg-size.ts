/** The size of an SVG in CSS pixels, from the attributes of its root. */

type Size = { width: number; height: number };

/** The text of an attribute of the root, empty where it has none. */
export type Attribute = (name: string) => string;

/** The size as browsers show it, rounded; undefined where the root declares none, or percentages without a view box. */
export function svgSize(attribute: Attribute): Size | undefined {
  const em = emOf(attribute);
  const [width, height] = [pixels(attribute("width"), em), pixels(attribute("height"), em)];
  const box = svgBox(attribute) ?? { width: Number.NaN, height: Number.NaN };
  // One side alone has the other by the ratio of the box, as in browsers. CSS Images 3, §5.3.
  return (
    sizeOf(width, height) ??
    sizeOf(width, (width * box.height) / box.width) ??
    sizeOf((height * box.width) / box.height, height) ??
    sizeOf(box.width, box.height)
  );
}

/** The size of the view box; undefined where there is none that is valid. */
export function svgBox(attribute: Attribute): Size | undefined {
  const [, , width = 0, height = 0] = attribute("viewBox")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Browsers' size of text where nothing sets another. */
const mediumText = 16;

/** The size of the root's text. A style may set it in more ways than are read here: then no size is known in em. */
const emOf = (attribute: Attribute): number =>
  attribute("style").includes("font") ? Number.NaN : pixels(attribute("font-size") || "1em", mediumText);

const cm = 96 / 2.54;
/** CSS pixels per unit. CSS Values and Units 4, §6.2. */
const units: Record<string, number> = { px: 1, pt: 4 / 3, pc: 16, in: 96, cm, mm: cm / 10, q: cm / 40 };

function pixels(length: string, em: number): number {
  const [, number, unit] = /^\s*(\+?[\d.]{1,20}(?:e[+-]?\d{1,3})?)([a-z]{0,3})\s*$/i.exec(length.slice(0, 100)) ?? [];
  const factor = { ...units, em, rem: em }[unit?.toLowerCase() || "px"];
  return Number(number) * (factor ?? Number.NaN);
}

function sizeOf(width: number, height: number): Size | undefined {
  const size = { width: Math.round(width), height: Math.round(height) };
  return isPixels(size.width) && isPixels(size.height) ? size : undefined;
}

const isPixels = (size: number): boolean => Number.isSafeInteger(size) && size > 0;
