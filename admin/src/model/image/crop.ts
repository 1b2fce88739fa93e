/** A rectangle in fractions of the image, from 0 to 1. */
export type Rectangle = { x: number; y: number; width: number; height: number };
export type Size = { width: number; height: number };

/** The rectangle between two points, clipped to the image. */
export function between(a: { x: number; y: number }, b: { x: number; y: number }): Rectangle {
  const inside = (part: number): number => Math.min(1, Math.max(0, part));
  const [left, right] = [inside(Math.min(a.x, b.x)), inside(Math.max(a.x, b.x))];
  const [top, bottom] = [inside(Math.min(a.y, b.y)), inside(Math.max(a.y, b.y))];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Formats the argument `crop`: `width,height,x,y` in whole pixels of the image, at least 1 by 1. */
export function formatCrop({ x, y, width, height }: Rectangle, size: Size): string {
  const left = Math.min(size.width - 1, Math.round(x * size.width));
  const top = Math.min(size.height - 1, Math.round(y * size.height));
  const right = Math.max(left + 1, Math.round((x + width) * size.width));
  const bottom = Math.max(top + 1, Math.round((y + height) * size.height));
  return [right - left, bottom - top, left, top].join();
}

/** Parses the argument; undefined when it is not a rectangle in whole pixels. */
export function parseCrop(text: string, size: Size): Rectangle | undefined {
  if (!/^\d+,\d+,\d+,\d+$/.test(text)) return undefined;
  const [width, height, x, y] = text.split(",").map(Number) as [number, number, number, number];
  const start = { x: x / size.width, y: y / size.height };
  return between(start, { x: (x + width) / size.width, y: (y + height) / size.height });
}

/** The size of an image after rotation; the file has the size as stored. */
export const turnedAs = (stored: Size, drawn: Size): Size =>
  stored.width > stored.height === drawn.width > drawn.height ? stored : { width: stored.height, height: stored.width };
