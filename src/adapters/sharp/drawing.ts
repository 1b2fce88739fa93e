import type { Sharp } from "sharp";
import type { Size, SizePlan } from "../../domain/geometry.ts";
import type { Turn } from "../../domain/turn.ts";

/** A picture to be drawn: `turn` makes it upright, `upright` is its size then, `open` begins to read it. */
export type Drawing = Readonly<{ upright: Size; turn: Turn; plan: SizePlan; open(): Sharp }>;
