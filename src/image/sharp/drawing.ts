import type { Sharp } from "sharp";
import type { Size, SizePlan } from "../geometry.ts";
import type { Symmetry } from "../symmetry.ts";

/** A picture to be drawn: `turn` makes it upright, `upright` is its size afterwards, `open` starts reading it. */
export type Drawing = Readonly<{ upright: Size; turn: Symmetry; plan: SizePlan; open(): Sharp }>;
