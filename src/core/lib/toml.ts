import { randomUUID } from "node:crypto";
import { TomlError as LibraryError, parse } from "smol-toml";
import { forbiddenKeys, type Json, type JsonObject } from "./json.ts";
import { resolvePlain } from "./yaml.ts";

/**
 * TOML read as JSON values without loss: decimal numbers keep their digits, dates and times stay the text that was
 * written. The library answers doubles and dates, so each of them is given to it as a text with a mark.
 */

/** Why a text is not acceptable TOML. */
export class TomlError extends Error {}

/** The value, and whether comments of the text are not in it. */
export type Toml = { value: JsonObject; hasComments: boolean };

const maxDepth = 100;
const tooDeep = `it is nested deeper than ${maxDepth} levels`;

/** Parses one TOML document. Throws TomlError. */
export function parseToml(text: string): Toml {
  const marked = new Marker(text);
  try {
    const value = parse(marked.text, { maxDepth, unsafeKeyBehaviour: "keep" });
    return { value: objectOf(value, marked.scalars, 0), hasComments: marked.hasComments };
  } catch (error) {
    if (error instanceof LibraryError) throw new TomlError(`line ${error.line} cannot be read`);
    if (error instanceof RangeError) throw new TomlError(tooDeep);
    throw error;
  }
}

/** Nobody who writes a text knows it. */
const mark = `${randomUUID()}:`;

const number = /^[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?$/;
const otherBase = /^0(?:x[\da-fA-F](?:_?[\da-fA-F])*|o[0-7](?:_?[0-7])*|b[01](?:_?[01])*)$/;
const time = String.raw`\d\d:\d\d(?::\d\d(?:\.\d+)?)?`;
/** What JSON has no value for: the text stays. */
const asText = new RegExp(
  `^(?:[+-]?(?:inf|nan)|${time}|\\d{4}-\\d\\d-\\d\\d(?:[Tt ]${time}(?:[Zz]|[+-]\\d\\d:\\d\\d)?)?)$`,
);

/** A scalar without quotes; undefined for words, and for what the library refuses. */
function scalarOf(text: string): Json | undefined {
  if (number.test(text)) return resolvePlain(text.replaceAll("_", "").replace(/^\+/, ""));
  if (otherBase.test(text)) return resolvePlain(BigInt(text.replaceAll("_", "")).toString());
  return asText.test(text) ? text : undefined;
}

/** A date and a time may have one space between them. */
const bareValue = /\d{4}-\d\d-\d\d \d\d:[^\s,\]}#]*|[^\s,[\]{}#"'=]+/y;
const bareKey = /[\w-]+/y;
/** Keys that an object of JavaScript would put in another order. */
const digits = /^(["']?)\d+\1$/;

/** Marks the numbers, dates and times among the values, and keys of digits. */
class Marker {
  text = "";
  readonly scalars: Json[] = [];
  hasComments = false;
  private readonly source: string;
  private at = 0;
  /** The open brackets around the position. */
  private readonly open: string[] = [];
  private isValue = false;

  constructor(source: string) {
    this.source = source;
    while (this.at < source.length) this.step(source[this.at] as string);
  }

  private step(char: string): void {
    const end = this.endOfPart(char);
    const part = this.source.slice(this.at, end);
    const scalar = this.isValue ? scalarOf(part) : undefined;
    if (scalar !== undefined) this.text += `"${mark}${this.scalars.push(scalar) - 1}"`;
    else if (!this.isValue && digits.test(part)) this.text += `"${mark}${part.replace(/["']/g, "")}"`;
    else this.text += part;
    if (end === this.at + 1) this.follow(char);
    this.at = end;
  }

  /** The end of the string, comment, word or single character that begins here. */
  private endOfPart(char: string): number {
    if (char === '"' || char === "'") return endOfString(this.source, this.at);
    if (char === "#") {
      this.hasComments = true;
      const end = this.source.indexOf("\n", this.at);
      return end < 0 ? this.source.length : end;
    }
    const word = this.isValue ? bareValue : bareKey;
    word.lastIndex = this.at;
    return word.test(this.source) ? word.lastIndex : this.at + 1;
  }

  /** Brackets of a value, and what ends one; those of a table's name are no values. */
  private follow(char: string): void {
    if (!this.isValue) this.isValue = char === "=";
    else if (char === "[" || char === "{") this.open.push(char);
    else if (char === "]" || char === "}") this.open.pop();
    if (!this.isValue || char === "]" || char === "}") return;
    const isInTable = this.open.at(-1) === "{";
    if (char === "{" || (char === "," && isInTable) || (char === "\n" && this.open.length === 0)) this.isValue = false;
  }
}

/** Where the string that begins here ends; the end of the text where it does not end. */
function endOfString(text: string, at: number): number {
  const quote = text[at] as string;
  const isLong = text.startsWith(quote.repeat(3), at);
  for (let end = at + (isLong ? 3 : 1); end < text.length; end++) {
    if (text[end] === "\\" && quote === '"') end++;
    else if (text[end] === "\n" && !isLong) return end;
    else if (!isLong && text[end] === quote) return end + 1;
    else if (isLong && text.startsWith(quote.repeat(3), end)) {
      // One or two quotes of the text itself may be in front of the closing three.
      end += 3;
      for (let more = 0; more < 2 && text[end] === quote; more++) end++;
      return end;
    }
  }
  return text.length;
}

function objectOf(table: object, scalars: readonly Json[], depth: number): JsonObject {
  if (depth > maxDepth) throw new TomlError(tooDeep);
  const object: JsonObject = new Map();
  for (const [key, value] of Object.entries(table)) {
    if (forbiddenKeys.has(key)) throw new TomlError(`the key "${key}" is not accepted`);
    const name = textOf(key.startsWith(mark) ? key.slice(mark.length) : key);
    if (object.has(name)) throw new TomlError(`the key "${name.slice(0, 80)}" is there twice`);
    object.set(name, jsonOf(value, scalars, depth + 1));
  }
  return object;
}

function jsonOf(value: unknown, scalars: readonly Json[], depth: number): Json {
  if (depth > maxDepth) throw new TomlError(tooDeep);
  if (typeof value === "string") {
    return value.startsWith(mark) ? (scalars[Number(value.slice(mark.length))] as Json) : textOf(value);
  }
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map((one) => jsonOf(one, scalars, depth + 1));
  return objectOf(Object(value), scalars, depth);
}

function textOf(text: string): string {
  if (text.includes("\0")) throw new TomlError("a text holds U+0000");
  if (!text.isWellFormed()) throw new TomlError("a text holds a lone surrogate");
  return text;
}
