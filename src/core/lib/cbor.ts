/**
 * Reads CBOR as authenticators write it: RFC 8949 in the canonical form of CTAP 2.1 §8, without floats. Lengths are definite
 * and numbers in their shortest form; the order of a map's keys is not checked, as some authenticators have another.
 */
export type Cbor = number | string | boolean | null | Uint8Array | readonly Cbor[] | CborMap;
export type CborMap = ReadonlyMap<number | string, Cbor>;

/** Bytes that are no such CBOR. */
export class CborError extends Error {}

/** One item, and nothing behind it. Throws CborError. */
export function readCbor(bytes: Uint8Array): Cbor {
  const { value, end } = readCborAt(bytes, 0);
  if (end !== bytes.length) throw new CborError("bytes follow the item");
  return value;
}

/** The item that begins at `start`, and where it ends. Throws CborError. */
export function readCborAt(bytes: Uint8Array, start: number): { value: Cbor; end: number } {
  const reader = new Reader(bytes, start);
  return { value: reader.item(maxDepth), end: reader.at };
}

export const isCborMap = (value: Cbor | undefined): value is CborMap => value instanceof Map;

/** CTAP needs 4; this bounds the stack. */
const maxDepth = 8;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

class Reader {
  at: number;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;

  constructor(bytes: Uint8Array, start: number) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = start;
  }

  item(depth: number): Cbor {
    if (depth === 0) throw new CborError("items are nested too deep");
    const first = this.view.getUint8(this.skip(1));
    const [major, info] = [first >> 5, first & 0x1f];
    if (major === 7) return simple(info);
    const size = this.argument(info);
    switch (major) {
      case 0:
        return size;
      case 1:
        return -1 - size;
      case 2:
        return this.take(size);
      case 3:
        return this.text(size);
      case 4:
        return this.array(size, depth - 1);
      case 5:
        return this.map(size, depth - 1);
      default:
        throw new CborError("a tag is not accepted");
    }
  }

  /** A number, or a length. */
  private argument(info: number): number {
    if (info < 24) return info;
    const width = widths[info - 24];
    if (width === undefined) throw new CborError("an indefinite or reserved length");
    const at = this.skip(width.bytes);
    const value = width.read(this.view, at);
    if (value < width.least) throw new CborError("a number is longer than it needs to be");
    if (value > Number.MAX_SAFE_INTEGER) throw new CborError("a number is too large");
    return value;
  }

  private skip(size: number): number {
    const start = this.at;
    if (size > this.bytes.length - start) throw new CborError("the item is cut off");
    this.at = start + size;
    return start;
  }

  /** A copy: whoever holds it does not hold the message. */
  private take(size: number): Uint8Array {
    const start = this.skip(size);
    return new Uint8Array(this.bytes.subarray(start, this.at));
  }

  private text(size: number): string {
    try {
      return utf8.decode(this.take(size));
    } catch (cause) {
      if (cause instanceof CborError) throw cause;
      throw new CborError("a text is not UTF-8", { cause });
    }
  }

  private array(size: number, depth: number): Cbor[] {
    const items: Cbor[] = [];
    // Each item has a byte at least, so a huge size ends soon.
    for (let left = size; left > 0; left--) items.push(this.item(depth));
    return items;
  }

  private map(size: number, depth: number): CborMap {
    const map = new Map<number | string, Cbor>();
    for (let left = size; left > 0; left--) {
      const key = this.item(depth);
      if (typeof key !== "number" && typeof key !== "string")
        throw new CborError("a key is neither a number nor a text");
      if (map.has(key)) throw new CborError("a key stands twice");
      map.set(key, this.item(depth));
    }
    return map;
  }
}

const widths = [
  { bytes: 1, least: 24, read: (view: DataView, at: number) => view.getUint8(at) },
  { bytes: 2, least: 2 ** 8, read: (view: DataView, at: number) => view.getUint16(at) },
  { bytes: 4, least: 2 ** 16, read: (view: DataView, at: number) => view.getUint32(at) },
  { bytes: 8, least: 2 ** 32, read: (view: DataView, at: number) => Number(view.getBigUint64(at)) },
];

function simple(info: number): boolean | null {
  if (info === 20 || info === 21) return info === 21;
  if (info === 22) return null;
  throw new CborError("a float or a simple value that is not accepted");
}
