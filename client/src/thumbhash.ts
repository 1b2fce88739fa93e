/**
 * Decodes a ThumbHash (github.com/evanw/thumbhash, MIT) to a small picture, as the URL of a PNG: 16 pixels on the longer side,
 * which a browser scales smoothly to any size.
 */
export function thumbhashUrl(thumbhash: string): string {
  const hash = Uint8Array.from(atob(thumbhash), (char) => char.charCodeAt(0));
  const at = (index: number): number => hash[index] ?? 0;
  const head = at(0) | (at(1) << 8) | (at(2) << 16);
  const more = at(3) | (at(4) << 8);
  const hasAlpha = head >> 23;
  const isWide = more >> 15;
  const long = hasAlpha ? 5 : 7;
  const short = more & 7;
  const [lx, ly] = isWide ? [long, short] : [short, long];
  // Factors of the cosines of a channel, half a byte each; the scales are doubled, as the inverse transform needs them.
  let next = hasAlpha ? 12 : 10;
  const factors = (nx: number, ny: number, scale: number): [number, number, number][] => {
    const found: [number, number, number][] = [];
    for (let cy = 0; cy < ny; cy++)
      for (let cx = cy ? 0 : 1; cx * ny < nx * (ny - cy); cx++, next++)
        found.push([cx, cy, (((at(next >> 1) >> ((next & 1) * 4)) & 15) / 7.5 - 1) * scale]);
    return found;
  };
  const lightness = factors(Math.max(3, lx), Math.max(3, ly), ((head >> 18) & 31) / 15.5);
  const yellow = factors(3, 3, (((more >> 3) & 63) / 63) * 2.5);
  const red = factors(3, 3, (((more >> 9) & 63) / 63) * 2.5);
  const opacity = hasAlpha ? factors(5, 5, (at(5) >> 4) / 7.5) : [];
  const [width, height] = [lx, ly].map((side) => Math.max(1, Math.round((16 * side) / Math.max(lx, ly)))) as [
    number,
    number,
  ];
  const rows: number[] = [];
  for (let y = 0; y < height; y++) {
    rows.push(0);
    for (let x = 0; x < width; x++) {
      const sum = (first: number, all: [number, number, number][]) =>
        all.reduce(
          (total, [cx, cy, factor]) =>
            total +
            factor * Math.cos((Math.PI / width) * (x + 0.5) * cx) * Math.cos((Math.PI / height) * (y + 0.5) * cy),
          first,
        );
      const l = sum((head & 63) / 63, lightness);
      const p = sum(((head >> 6) & 63) / 31.5 - 1, yellow);
      const q = sum(((head >> 12) & 63) / 31.5 - 1, red);
      const blue = l - (2 / 3) * p;
      const r = (3 * l - blue + q) / 2;
      const a = sum(hasAlpha ? (at(5) & 15) / 15 : 1, opacity);
      rows.push(...Uint8ClampedArray.from([r, r - q, blue, a], (value) => value * 255));
    }
  }
  return pngUrl(width, height, rows);
}

const big = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
const two = (value: number): number[] => [value & 255, (value >> 8) & 255];

/** A PNG of rows of RGBA, each behind a filter byte of zero, in one stored block of deflate. */
function pngUrl(width: number, height: number, rows: readonly number[]): string {
  const { length } = rows;
  let [a, b] = [1, 0];
  for (const byte of rows) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  const stored = [1, ...two(length), ...two(~length), ...rows];
  const bytes = [
    ...[137, 80, 78, 71, 13, 10, 26, 10],
    ...chunk("IHDR", [...big(width), ...big(height), 8, 6, 0, 0, 0]),
    ...chunk("IDAT", [120, 1, ...stored, ...big(b * 65536 + a)]),
    ...chunk("IEND", []),
  ];
  return `data:image/png;base64,${btoa(String.fromCharCode(...bytes))}`;
}

function chunk(name: string, data: readonly number[]): number[] {
  const body = [...Array.from(name, (char) => char.charCodeAt(0)), ...data];
  let crc = -1;
  for (const byte of body) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return [...big(data.length), ...body, ...big(~crc)];
}
