import { writeFile } from "node:fs/promises";
import sharp from "sharp";
import type { Pixels } from "./pixels.ts";

/**
 * A GIF of one large frame. libvips writes GIF by cgif, which looks up each run of colours in a list of up to 256: 24
 * megapixels of a photograph take 12 to 19 s, whatever the effort; with a hash table it is 1.5 s. Decision 12.
 */

/**
 * Writes the file; answers its size in bytes. Semi-transparent pixels become opaque or transparent, as the format
 * requires.
 */
export async function writeGif(pixels: Pixels, file: string, isInterlaced: boolean): Promise<number> {
  const { width, height } = pixels;
  const palette = await paletteOf(pixels);
  const head = Buffer.alloc(13);
  head.write("GIF89a", "latin1");
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  // A global table of 256 colours, 8 bits each.
  head.writeUInt8(0xf7, 10);
  const control = Buffer.from([0x21, 0xf9, 4, pixels.channels === 4 ? 1 : 0, 0, 0, clearIndex, 0]);
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, isInterlaced ? 0x40 : 0, 8]);
  head.copy(frame, 5, 6, 10);
  const data = compress(indexed(pixels, palette, isInterlaced));
  const whole = Buffer.concat([head, palette, control, frame, data, Buffer.from([0, 0x3b])]);
  await writeFile(file, whole);
  return whole.length;
}

/** The last colour is the transparent one, where the picture has an alpha channel. */
const clearIndex = 255;

/** 256 colours, chosen by libvips from a smaller picture: its global colour table. GIF89a §19. */
async function paletteOf({ data, width, height, channels }: Pixels): Promise<Buffer> {
  const small = await sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
    .flatten({ background: "white" })
    // Samples pixels instead of averaging: averages would lose the extreme colours.
    .resize(800, 800, { fit: "inside", kernel: "nearest" })
    .gif({ effort: 4 })
    .toBuffer();
  const colours = 2 << (small.readUInt8(10) & 7);
  const palette = Buffer.alloc(256 * 3);
  small.copy(palette, 0, 13, 13 + colours * 3);
  return palette;
}

/** The row order of an interlaced frame: first row and step of four passes. GIF89a appendix E. */
const passes = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const;

/** The thresholds of a 4 × 4 Bayer matrix, as offsets to a channel: ordered dithering. */
const dither = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map((threshold) => threshold - 8);

/** A colour index for each pixel, in the order of the file. */
function indexed({ data, width, height, channels }: Pixels, palette: Buffer, isInterlaced: boolean): Uint8Array {
  const nearest = nearestColours(palette, channels === 4 ? clearIndex : 256);
  const result = new Uint8Array(width * height);
  let to = 0;
  for (const [first, step] of isInterlaced ? passes : [[0, 1] as const]) {
    for (let y = first; y < height; y += step) {
      for (let x = 0, from = y * width * channels; x < width; x++, from += channels) {
        const shift = dither[((y & 3) << 2) | (x & 3)] as number;
        const [red, green, blue] = [data[from] as number, data[from + 1] as number, data[from + 2] as number];
        const isClear = channels === 4 && (data[from + 3] as number) < 128;
        const colour = (bits(red + shift) << 10) | (bits(green + shift) << 5) | bits(blue + shift);
        result[to++] = isClear ? clearIndex : (nearest[colour] as number);
      }
    }
  }
  return result;
}

/** The upper five bits of a channel. */
const bits = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value) >> 3;

/** The index of the nearest of the first `count` colours, for each colour of five bits a channel. */
function nearestColours(palette: Buffer, count: number): Uint8Array {
  const result = new Uint8Array(1 << 15);
  for (let colour = 0; colour < result.length; colour++) {
    // The middle of the values with these five bits.
    const [red, green, blue] = [colour >> 10, (colour >> 5) & 31, colour & 31].map((five) => five * 8 + 4) as Triple;
    let least = Number.POSITIVE_INFINITY;
    for (let index = 0; index < count; index++) {
      const [r, g, b] = [palette[index * 3], palette[index * 3 + 1], palette[index * 3 + 2]] as Triple;
      const distance = (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2;
      if (distance >= least) continue;
      least = distance;
      result[colour] = index;
    }
  }
  return result;
}
type Triple = [number, number, number];

const clearCode = 256;
const maxCodes = 4096;
/** Four times the codes, a power of two: few collisions. */
const slots = 1 << 14;

/** LZW in blocks of at most 255 bytes. GIF89a appendix F. */
function compress(indexes: Uint8Array): Buffer {
  const [keys, codes] = [new Int32Array(slots).fill(-1), new Uint16Array(slots)];
  const writer = new CodeWriter(indexes.length);
  let [next, size] = [clearCode + 2, 9];
  writer.put(clearCode, size);
  let prefix = indexes[0] as number;
  for (let at = 1; at < indexes.length; at++) {
    const index = indexes[at] as number;
    const key = (prefix << 8) | index;
    let slot = ((index << 6) ^ (prefix * 2533)) & (slots - 1);
    while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & (slots - 1);
    if (keys[slot] === key) {
      prefix = codes[slot] as number;
      continue;
    }
    writer.put(prefix, size);
    prefix = index;
    if (next < maxCodes) {
      keys[slot] = key;
      codes[slot] = next;
      // The decoder is one code behind: it creates this one when it has read the next.
      if (next++ === 1 << size) size++;
    } else {
      writer.put(clearCode, size);
      keys.fill(-1);
      [next, size] = [clearCode + 2, 9];
    }
  }
  writer.put(prefix, size);
  return writer.end(clearCode + 1, size);
}

/** Codes of 9 to 12 bits, lowest bit first, in blocks that begin with their length. */
class CodeWriter {
  private readonly bytes: Buffer;
  private at = 1;
  private block = 0;
  private held = 0;
  private count = 0;

  /** The maximum: a code for each pixel, and a clear code for each 3,800 of them. */
  constructor(pixels: number) {
    this.bytes = Buffer.allocUnsafe(Math.ceil(pixels * 1.52) + 1024);
  }

  put(code: number, size: number): void {
    this.held |= code << this.count;
    this.count += size;
    while (this.count >= 8) {
      this.byte(this.held & 255);
      this.held >>>= 8;
      this.count -= 8;
    }
  }

  end(code: number, size: number): Buffer {
    this.put(code, size);
    if (this.count > 0) this.byte(this.held & 255);
    const length = this.at - this.block - 1;
    this.bytes[this.block] = length;
    return this.bytes.subarray(0, length > 0 ? this.at : this.block);
  }

  private byte(value: number): void {
    this.bytes[this.at++] = value;
    if (this.at - this.block <= 255) return;
    this.bytes[this.block] = 255;
    this.block = this.at++;
  }
}
