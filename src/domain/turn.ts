import type { Box, Size } from "./geometry.ts";
import type { Modifiers } from "./modifier.ts";

/**
 * How a picture as stored becomes the picture as seen, by one of the eight ways to turn a sheet: the axes are swapped
 * first, if they are, then the columns (`mirrorX`) and the rows (`mirrorY`) run the other way.
 */
export type Turn = Readonly<{ swap: boolean; mirrorX: boolean; mirrorY: boolean }>;

/** By EXIF orientation, 1–8. Exif 2.32, 4.6.4 A. */
const turns: readonly Turn[] = [1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => ({
  swap: orientation >= 5,
  mirrorX: [2, 3, 6, 7].includes(orientation),
  mirrorY: [3, 4, 7, 8].includes(orientation),
}));
/** Counter-clockwise. Compatibility, Image geometry. */
const orientations = { 0: 1, 90: 8, 180: 3, 270: 6 };

/** The turn that `or` asks for; `exif` is what the file says, of which anything but 1–8 counts as 1. */
export function turnBy(or: Modifiers["or"], exif: number | undefined): Turn {
  const orientation = or === "auto" ? exif : orientations[or];
  return turns[(orientation ?? 1) - 1] ?? (turns[0] as Turn);
}

/** The turn followed by a flip. */
export function flipped(turn: Turn, flip: Modifiers["flip"]): Turn {
  return {
    swap: turn.swap,
    mirrorX: turn.mirrorX !== (flip === "h" || flip === "both"),
    mirrorY: turn.mirrorY !== (flip === "v" || flip === "both"),
  };
}

/** The size after the turn, and before it as well. */
export const turnedSize = ({ width, height }: Size, turn: Turn): Size =>
  turn.swap ? { width: height, height: width } : { width, height };

/** Where a box on something of `outer` size lay before the turn. */
export function unturnedBox(outer: Size, box: Box, turn: Turn): Box {
  const left = turn.mirrorX ? outer.width - box.left - box.width : box.left;
  const top = turn.mirrorY ? outer.height - box.top - box.height : box.top;
  return turn.swap ? { left: top, top: left, width: box.height, height: box.width } : { ...box, left, top };
}

/** Where a box on something of `stored` size lies after the turn. */
export function turnedBox(stored: Size, box: Box, turn: Turn): Box {
  const outer = turnedSize(stored, turn);
  const lying = turn.swap ? { left: box.top, top: box.left, width: box.height, height: box.width } : box;
  const left = turn.mirrorX ? outer.width - lying.left - lying.width : lying.left;
  const top = turn.mirrorY ? outer.height - lying.top - lying.height : lying.top;
  return { ...lying, left, top };
}

/** The same turn as sharp does it: mirrored left-right first, if so, then rotated clockwise by these degrees. */
export function turnSteps({ swap, mirrorX, mirrorY }: Turn): { flop: boolean; degrees: 0 | 90 | 180 | 270 } {
  if (swap) return { flop: mirrorX === mirrorY, degrees: mirrorX ? 90 : 270 };
  return { flop: mirrorX !== mirrorY, degrees: mirrorY ? 180 : 0 };
}
