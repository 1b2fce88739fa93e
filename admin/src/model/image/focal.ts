import { say } from "../../language/say.ts";

/** The point of a picture that crops keep: the meta field `focal` of its file, in words and in keys. */

/** In percent from the left and the top. */
export type Point = { x: number; y: number };

/** The point that the field says; undefined for a file without one. */
export function pointOf(value: unknown): Point | undefined {
  const [x = Number.NaN, y = Number.NaN, ...rest] = typeof value === "string" ? value.split(",").map(Number) : [];
  const isInside = [x, y].every((part) => part >= 0 && part <= 1);
  return isInside && rest.length === 0 ? { x: x * 100, y: y * 100 } : undefined;
}

const fraction = (percent: number): string => String(Number((percent / 100).toFixed(3)));

/** The field's text. */
export const textOf = ({ x, y }: Point): string => `${fraction(x)},${fraction(y)}`;

export const inShort = ({ x, y }: Point): string => `${Math.round(x)} %, ${Math.round(y)} %`;

export const inWords = ({ x, y }: Point): string =>
  say("{left} % from the left, {top} % from the top", { left: Math.round(x), top: Math.round(y) });

const within = (percent: number): number => Math.min(100, Math.max(0, percent));
const steps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The point after a key, in steps of a percent, with Shift of ten; undefined for another key. */
export function movedBy({ x, y }: Point, key: string, isFar: boolean): Point | undefined {
  const step = steps[key];
  const by = isFar ? 10 : 1;
  return step && { x: within(x + step[0] * by), y: within(y + step[1] * by) };
}

/** Shapes in which a crop is shown, width by height. */
export const shapes = [
  { name: say("Wide"), ratio: 16 / 9 },
  { name: say("Square"), ratio: 1 },
  { name: say("Tall"), ratio: 3 / 4 },
] as const;

/**
 * Where a picture lies on a box of this ratio that it covers, in percent of the box: the point is in the middle, as far as the
 * picture reaches. The service's rule (contract §7, Arguments).
 */
export function cut(
  size: { width: number; height: number },
  ratio: number,
  { x, y }: Point,
): { width: number; height: number; left: number; top: number } {
  const own = size.width / size.height;
  const [width, height] = own > ratio ? [(own / ratio) * 100, 100] : [100, (ratio / own) * 100];
  const place = (side: number, percent: number) => Math.min(0, Math.max(100 - side, 50 - (side * percent) / 100)) + 0;
  return { width, height, left: place(width, x), top: place(height, y) };
}
