import type { Value } from "../sql.ts";

/** A power of two; items share sums. */
const sumCount = 65_536;

/**
 * Compares two large sets of rows that are read in different orders, in constant memory: adds hashes of the rows of one
 * and subtracts those of the other, in one of many sums by the item of a row. Equal sets leave zeros; a difference leaves
 * one with a chance of 1 − 2⁻³².
 */
export class RowSums {
  private readonly sums = new Int32Array(sumCount);

  add(item: number, values: readonly Value[]): void {
    this.change(item, hashOf(item, values));
  }

  subtract(item: number, values: readonly Value[]): void {
    this.change(item, -hashOf(item, values));
  }

  get areZero(): boolean {
    return this.sums.every((sum) => sum === 0);
  }

  /** True when the rows of this item, or of another one with the same sum, differ. */
  differsFor(item: number): boolean {
    return this.sums[placeOf(item)] !== 0;
  }

  private change(item: number, by: number): void {
    const place = placeOf(item);
    this.sums[place] = (this.sums[place] as number) + by;
  }
}

const placeOf = (item: number): number => item & (sumCount - 1);

const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);

/** 32 bits of a row. Multiplications by odd numbers and shifts as in MurmurHash3. */
function hashOf(item: number, values: readonly Value[]): number {
  let hash = mixNumber(0, item);
  for (const value of values) hash = typeof value === "string" ? mixText(hash, value) : mixNumber(hash, value ?? 0);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function mixNumber(hash: number, value: number): number {
  double[0] = value;
  return mix(mix(hash, halves[0] as number), halves[1] as number);
}

function mixText(hash: number, text: string): number {
  let mixed = mix(hash, text.length);
  for (let i = 0; i < text.length; i++) mixed = Math.imul(mixed ^ text.charCodeAt(i), 0x01000193);
  return mix(mixed, 1);
}

function mix(hash: number, bits: number): number {
  const scattered = Math.imul(bits, 0xcc9e2d51);
  const added = hash ^ Math.imul((scattered << 15) | (scattered >>> 17), 0x1b873593);
  return (Math.imul((added << 13) | (added >>> 19), 5) + 0xe6546b64) | 0;
}
