import sharp, { type Sharp } from "sharp";

/**
 * Pictures as functions, to say what a rendition must show without a library for images. The one that all others are
 * made of is 48 × 32 pixels, in four colours: R G above B Y.
 */
export type Flat = { width: number; height: number; at(x: number, y: number): string };

const colours: Record<string, [number, number, number]> = {
  R: [220, 30, 30],
  G: [30, 190, 60],
  B: [40, 60, 220],
  Y: [240, 220, 60],
  M: [255, 0, 255],
};

export const upright: Flat = {
  ...{ width: 48, height: 32 },
  at: (x, y) => (y < 16 ? (x < 24 ? "R" : "G") : x < 24 ? "B" : "Y"),
};

export const scaled = (of: Flat, width: number, height: number): Flat => ({
  ...{ width, height },
  at: (x, y) => of.at((x * of.width) / width, (y * of.height) / height),
});

export const cropped = (of: Flat, width: number, height: number, left: number, top: number): Flat => ({
  ...{ width, height },
  at: (x, y) => of.at(x + left, y + top),
});

export function placed(of: Flat, on: Flat, left: number, top: number): Flat {
  const isInside = (x: number, y: number) => x >= left && y >= top && x < left + of.width && y < top + of.height;
  return { ...on, at: (x, y) => (isInside(x, y) ? of.at(x - left, y - top) : on.at(x, y)) };
}

/** In the middle of a magenta canvas. */
export const filled = (of: Flat, width: number, height: number): Flat =>
  placed(of, { width, height, at: () => "M" }, (width - of.width) / 2, (height - of.height) / 2);

export const flipped = (of: Flat, axis: "h" | "v"): Flat => ({
  ...of,
  at: (x, y) => (axis === "h" ? of.at(of.width - x, y) : of.at(x, of.height - y)),
});

/** By 90° counter-clockwise. */
export const turnedLeft = (of: Flat): Flat => ({
  ...{ width: of.height, height: of.width },
  at: (x, y) => of.at(of.width - y, x),
});

/** The picture that is `of` once a viewer has applied this EXIF orientation. Exif 2.32, 4.6.4 A. */
export function stored(of: Flat, orientation: number): Flat {
  const left = turnedLeft(of);
  const around = turnedLeft(left);
  const right = turnedLeft(around);
  const all = [of, flipped(of, "h"), around, flipped(of, "v"), flipped(left, "v"), left, flipped(right, "v"), right];
  return all[orientation - 1] as Flat;
}

/** Its pixels, to be encoded. */
export function paint({ width, height, at }: Flat): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  for (let n = 0; n < width * height; n++) {
    pixels.set(colours[at((n % width) + 0.5, Math.floor(n / width) + 0.5)] as number[], n * 3);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** Size and colours, row by row, at a grid of 4 × 4 points: `48x32 RRGG RRGG BBYY BBYY`. */
export function described({ width, height, at }: Flat): string {
  const parts = [1, 3, 5, 7].map((eighth) => eighth / 8);
  const rows = parts.map((y) => parts.map((x) => at(x * width, y * height)).join(""));
  return `${width}x${height} ${rows.join(" ")}`;
}

/** The letter of the nearest colour, `-` for a transparent one. */
export function letterOf([red = 0, green = 0, blue = 0, alpha = 255]: number[]): string {
  if (alpha < 128) return "-";
  const far = ([r, g, b]: number[]) => Math.hypot(red - (r ?? 0), green - (g ?? 0), blue - (b ?? 0));
  const [nearest] = Object.entries(colours).sort(([, one], [, other]) => far(one) - far(other));
  return nearest && far(nearest[1]) < 16 ? nearest[0] : "?";
}
