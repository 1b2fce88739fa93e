import type { Box, Size } from "./geometry.ts";
import type { Modifiers } from "./modifier.ts";

/**
 * How a stored picture becomes the upright one, as one of the eight symmetries of a rectangle: first the axes are
 * swapped, if `swap`, then the columns (`mirrorX`) and the rows (`mirrorY`) are reversed.
 */
export type Symmetry = Readonly<{ swap: boolean; mirrorX: boolean; mirrorY: boolean }>;

/** By EXIF orientation, 1–8. Exif 2.32, 4.6.4 A. */
const turns: readonly Symmetry[] = [1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => ({
  swap: orientation >= 5,
  mirrorX: [2, 3, 6, 7].includes(orientation),
  mirrorY: [3, 4, 7, 8].includes(orientation),
}));
/** Counter-clockwise. Compatibility, Image geometry. */
const orientations = { 0: 1, 90: 8, 180: 3, 270: 6 };

/** The turn for `or`; `exif` is the orientation in the file, where any value but 1–8 counts as 1. */
export function symmetryOf(or: Modifiers["or"], exif: number | undefined): Symmetry {
  const orientation = or === "auto" ? exif : orientations[or];
  return turns[(orientation ?? 1) - 1] ?? (turns[0] as Symmetry);
}

/** The turn followed by a flip. */
export function flipped(turn: Symmetry, flip: Modifiers["flip"]): Symmetry {
  return {
    swap: turn.swap,
    mirrorX: turn.mirrorX !== (flip === "h" || flip === "both"),
    mirrorY: turn.mirrorY !== (flip === "v" || flip === "both"),
  };
}

/** The size after the turn; applied to that size, the size before it. */
export const turnedSize = ({ width, height }: Size, turn: Symmetry): Size =>
  turn.swap ? { width: height, height: width } : { width, height };

/** The position, before the turn, of a box on a picture of `outer` size. */
export function unturnedBox(outer: Size, box: Box, turn: Symmetry): Box {
  const left = turn.mirrorX ? outer.width - box.left - box.width : box.left;
  const top = turn.mirrorY ? outer.height - box.top - box.height : box.top;
  return turn.swap ? { left: top, top: left, width: box.height, height: box.width } : { ...box, left, top };
}

/** The position, after the turn, of a box on a picture of `stored` size. */
export function turnedBox(stored: Size, box: Box, turn: Symmetry): Box {
  const outer = turnedSize(stored, turn);
  const lying = turn.swap ? { left: box.top, top: box.left, width: box.height, height: box.width } : box;
  const left = turn.mirrorX ? outer.width - lying.left - lying.width : lying.left;
  const top = turn.mirrorY ? outer.height - lying.top - lying.height : lying.top;
  return { ...lying, left, top };
}

/** The same turn in sharp's steps: mirrored left-right first, if `flop`, then rotated clockwise by these degrees. */
export function turnSteps({ swap, mirrorX, mirrorY }: Symmetry): { flop: boolean; degrees: 0 | 90 | 180 | 270 } {
  if (swap) return { flop: mirrorX === mirrorY, degrees: mirrorX ? 90 : 270 };
  return { flop: mirrorX !== mirrorY, degrees: mirrorY ? 180 : 0 };
}
