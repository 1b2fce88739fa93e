import { type Decimal, decimalParts, readDecimal, toDecimal } from "../lib/decimal.ts";
import type { Json, NumberText } from "../lib/json.ts";

/**
 * The order of values as texts: the bytes of two order keys are in the order of their values. Lists are sorted and
 * compared by them, and the field index holds them, so that each comparison of a filter is a range of the index.
 * Contract §4, Order.
 *
 * The first character is the kind. Numbers come first, exact, of any size; a text that is a number has the place of this
 * number and comes after it; then texts as people read them, without case and marks and with runs of digits by their
 * number, equal ones by bytes; then false and true.
 */
export const kinds = { null: "0", number: "1", text: "2", false: "3", true: "4", past: "5" } as const;

/** Lowest of all characters in an order key: after it comes the text itself, which tells equal ones apart. */
const itself = "\u0001";
/** Follows every order key that begins with the text before it and `itself`, and precedes every longer one. */
export const afterEqual = "\u0002";

/** The order key of a scalar. */
export function orderKey(value: Exclude<Json, object> | NumberText): string {
  if (typeof value === "string") return textKey(value);
  if (typeof value === "number") return kinds.number + decimalKey(toDecimal(value));
  if (typeof value === "boolean") return value ? kinds.true : kinds.false;
  if (value === null) return kinds.null;
  const decimal = readDecimal(value.text);
  if (!decimal) throw new Error(`a number that is none: ${value.text}`);
  return kinds.number + decimalKey(decimal);
}

function textKey(text: string): string {
  const decimal = readDecimal(text);
  if (decimal) return kinds.number + decimalKey(decimal) + itself + text;
  return foldedKey(text) + itself + text;
}

/** The beginning that the order keys of all texts have which are equal but for case, marks and zeros before digits. */
export const foldedKey = (text: string): string => kinds.text + foldForOrder(text);

/** The beginning that the order keys of this number and of all texts of it have. */
export const numberKey = (decimal: Decimal): string => kinds.number + decimalKey(decimal);

/** Without digits and beyond ASCII there is nothing but case. */
const isPlain = /^[ -/:-~]*$/;
const low = /[\u0001\u0002]/g;

/**
 * A text as it is ordered. Compatibility forms and marks are dropped (NFKD), then case; runs of digits begin with their
 * length, so that 2 comes before 10. The two lowest characters are escaped: an order key has them for itself.
 */
export function foldForOrder(text: string): string {
  if (isPlain.test(text)) return text.toLowerCase();
  return escaped(plainForm(text));
}

/** The beginning that the folds of all texts have which begin with this one: digits at its end may go on. */
export const foldBeginning = (text: string): string => escaped(plainForm(text).replace(/[0-9]+$/, ""));

const plainForm = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("ς", "σ");

function escaped(plain: string): string {
  return plain
    .replace(low, (character) => (character === itself ? "\u0002\u0001" : "\u0002\u0002"))
    .replace(/[0-9]+/g, digitsKey);
}

function digitsKey(digits: string): string {
  const significant = digits.replace(/^0+/, "");
  return lengthKey(significant.length) + significant;
}

/** In the order of the lengths: a 9 stands for eight more. */
const lengthKey = (length: number): string => "9".repeat(Math.floor(length / 9)) + String(length % 9);

/** sign, exponent, digits. Those of a negative number are turned around, and end with the highest character. */
function decimalKey(decimal: Decimal): string {
  const { sign, digits, exponent } = decimalParts(decimal);
  if (sign === 0) return "1";
  if (sign > 0) return `2${integerKey(exponent)}${digits}`;
  return `0${integerKey(-exponent)}${complement(digits)}~`;
}

/** A whole number of at most 16 digits, in order: its length first. */
function integerKey(value: number): string {
  const digits = String(Math.abs(value));
  const length = String.fromCharCode(0x60 + digits.length);
  return value < 0 ? `0${complementLength(length)}${complement(digits)}` : `1${length}${digits}`;
}

const complementLength = (length: string): string => String.fromCharCode(0xdb - length.charCodeAt(0));
const complement = (digits: string): string => digits.replace(/\d/g, (digit) => String(9 - Number(digit)));

/** The number of an order key of a number; undefined for any other text. */
export function numberOfKey(key: string): number | undefined {
  if (key === `${kinds.number}1`) return 0;
  const [, sign, direction, length = "", rest = ""] = /^1([02])([01])([a-z])(\d+~?)$/.exec(key) ?? [];
  if (sign === undefined) return undefined;
  const size = (direction === "1" ? length : complementLength(length)).charCodeAt(0) - 0x60;
  if (size < 1 || size >= rest.length) return undefined;
  const exponent = Number(direction === "1" ? rest.slice(0, size) : `-${complement(rest.slice(0, size))}`);
  const digits = rest.slice(size).replace("~", "");
  const number = sign === "2" ? Number(`0.${digits}e${exponent}`) : Number(`-0.${complement(digits)}e${-exponent}`);
  return Number.isFinite(number) ? number : undefined;
}
