/**
 * Numbers as decimal text of any size, compared exactly. As a double 9007199254740993 would equal its neighbour and
 * 1e400 infinity; and expanding 1e400 into digits would let a request demand unlimited memory.
 */

/** A decimal: its text, and the double nearest to it (which may be infinite). Plain data. */
export type Decimal = { readonly text: string; readonly near: number };

const pattern = /^[+-]?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const maxExponentDigits = 15;

/**
 * Parses a whole text as a number: optional sign, digits, optional fraction, optional exponent; no white space, no
 * hexadecimal, no bare point. Undefined for anything else, or when its exponent has more than 15 digits.
 */
export function readDecimal(text: string): Decimal | undefined {
  const first = text.charCodeAt(0);
  // Most text is not a number, and usually the first character shows that: a number starts with +, - or a digit.
  if (!(first <= 0x39 && (first >= 0x30 || first === 0x2b || first === 0x2d))) return undefined;
  const exponent = pattern.exec(text)?.[3];
  if (exponent === undefined) return pattern.test(text) ? { text, near: Number(text) } : undefined;
  return exponent.replace(/^[+-]?0*/, "").length <= maxExponentDigits ? { text, near: Number(text) } : undefined;
}

/** A finite JavaScript number as the decimal that it is written as. */
export function toDecimal(number: number): Decimal {
  return { text: String(number), near: number };
}

/** -1, 0 or 1 by value, exactly: `1.0` equals `1`, and -0 equals 0. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  // Rounding to the nearest double keeps the order, so only equal doubles need an exact comparison.
  if (a.near !== b.near) return a.near < b.near ? -1 : 1;
  if (a.text === b.text) return 0;
  return compareExactly(decimalParts(a), decimalParts(b));
}

/** sign × 0.digits × 10^exponent; digits without zeros at either end, empty for zero. */
export type Parts = { sign: number; digits: string; exponent: number };

// Cached: splitting a long number reads every digit, and sorting compares it many times.
const longText = 64;
const longParts = new WeakMap<Decimal, Parts>();

/** The parts of a decimal. */
export function decimalParts(decimal: Decimal): Parts {
  if (decimal.text.length <= longText) return split(decimal.text);
  let parts = longParts.get(decimal);
  if (!parts) {
    parts = split(decimal.text);
    longParts.set(decimal, parts);
  }
  return parts;
}

function split(text: string): Parts {
  const [, whole = "", fraction = "", exponent = "0"] = pattern.exec(text) as RegExpExecArray;
  const all = whole + fraction;
  let start = 0;
  while (all.charCodeAt(start) === 0x30) start++;
  if (start === all.length) return { sign: 0, digits: "", exponent: 0 };
  let end = all.length;
  while (all.charCodeAt(end - 1) === 0x30) end--;
  return {
    sign: text.startsWith("-") ? -1 : 1,
    digits: all.slice(start, end),
    exponent: Number(exponent) + whole.length - start,
  };
}

function compareExactly(a: Parts, b: Parts): number {
  if (a.sign !== b.sign) return a.sign < b.sign ? -1 : 1;
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -a.sign : a.sign;
  // Without trailing zeros, digits of a fraction order as text does.
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -a.sign : a.sign;
}
