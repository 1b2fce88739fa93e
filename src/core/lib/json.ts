/**
 * Lossless JSON: keeps key order (also of keys like "1") and numbers as written (also above 2^53), and refuses texts
 * that two parsers could read differently. RFC 8259; I-JSON (RFC 7493) for the refusals.
 */

/** A number whose text JavaScript would write differently: `1.0`, `1e5`, `9007199254740993`. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type JsonObject = Map<string, Json>;
export type JsonArray = Json[];
/** A parsed value. Objects are Maps: no `__proto__`, and the order sent is the order kept. */
export type Json = null | boolean | string | number | NumberText | JsonArray | JsonObject;

/** How many containers may be in each other, in what clients send and the store keeps. */
export const maxDataDepth = 64;

/** Why a text is not acceptable JSON. `rule` names the violated rule, `at` is the offset in UTF-16 units. */
export class JsonError extends Error {
  readonly rule: "syntax" | "duplicate_key" | "too_deep" | "number_range" | "text" | "forbidden_key";
  readonly at: number;
  constructor(rule: JsonError["rule"], message: string, at: number) {
    super(message);
    this.rule = rule;
    this.at = at;
  }
}

/** Names that reach JavaScript's own objects: never accepted as a key. Contract §1. */
export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// The common string: no escape, no control character. U+007F and up may hold surrogates, so those take the slow path.
const plainString = /"([\x20\x21\x23-\x5b\x5d-\x7f]*)"/y;
const space = /[ \t\n\r]*/y;

/**
 * Parses a JSON text. Throws JsonError: `syntax`, `duplicate_key` (RFC 7493 §2.3), `too_deep` above `maxDepth`
 * containers, `number_range` for a number no double can hold (1e999), `text` for U+0000 or a lone surrogate,
 * `forbidden_key` for `__proto__`, `constructor`, `prototype`.
 */
export function parseJson(text: string, maxDepth = maxDataDepth): Json {
  const reader = new JsonReader(text, maxDepth);
  reader.read(text.length + 1);
  return reader.value;
}

/** Parses a JSON text, a number of values at a time. Without recursion, so that it can stop anywhere. */
export class JsonReader {
  /** The parsed value, once `read` has answered true. */
  value: Json = null;
  private at = 0;
  private depth = 0;
  private readonly text: string;
  private readonly maxDepth: number;
  /** The container of the next value: an object, under `key`, or a list; neither at the top level. */
  private object: JsonObject | undefined;
  private array: JsonArray | undefined;
  private key = "";
  /** The enclosing containers, and their keys. */
  private readonly outer: (JsonObject | JsonArray | undefined)[] = [];
  private readonly outerKeys: string[] = [];

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
    this.skip();
  }

  /** Reads at most this many values; true when the whole text was read. Throws JsonError as parseJson does. */
  read(maxValues: number): boolean {
    for (let left = maxValues; left > 0; left--) {
      switch (this.text.charCodeAt(this.at)) {
        case 0x22:
          if (this.put(this.string())) return true;
          break;
        case 0x7b:
          if (this.beginObject()) return true;
          break;
        case 0x5b:
          if (this.beginArray()) return true;
          break;
        case 0x74:
          if (this.put(this.word("true", true))) return true;
          break;
        case 0x66:
          if (this.put(this.word("false", false))) return true;
          break;
        case 0x6e:
          if (this.put(this.word("null", null))) return true;
          break;
        default:
          if (this.put(this.number())) return true;
      }
    }
    return false;
  }

  private beginObject(): boolean {
    const object: JsonObject = new Map();
    this.enter();
    if (this.take(0x7d)) return this.leave(object);
    this.object = object;
    this.array = undefined;
    this.nextKey(object);
    return false;
  }

  private beginArray(): boolean {
    const array: JsonArray = [];
    this.enter();
    if (this.take(0x5d)) return this.leave(array);
    this.object = undefined;
    this.array = array;
    return false;
  }

  private enter(): void {
    if (this.depth >= this.maxDepth) this.fail("too_deep", `deeper than ${this.maxDepth} levels`);
    this.at++;
    this.skip();
    this.outer[this.depth] = this.object ?? this.array;
    this.outerKeys[this.depth] = this.key;
    this.depth++;
  }

  /** Adds a complete container to its parent and continues there; true at the end of the text. */
  private leave(whole: JsonObject | JsonArray): boolean {
    this.depth--;
    const outer = this.outer[this.depth];
    this.object = outer instanceof Map ? outer : undefined;
    this.array = outer instanceof Map ? undefined : outer;
    this.key = this.outerKeys[this.depth] as string;
    return this.put(whole);
  }

  /** Adds a value to its container, and reads up to the next; true at the end of the text. */
  private put(value: Json): boolean {
    const { object, array } = this;
    if (object) {
      object.set(this.key, value);
      this.skip();
      if (this.take(0x2c)) {
        this.skip();
        this.nextKey(object);
        return false;
      }
      return this.take(0x7d) ? this.leave(object) : this.fail("syntax", 'expected "," or "}"');
    }
    if (!array) return this.finish(value);
    array.push(value);
    this.skip();
    if (this.take(0x2c)) {
      this.skip();
      return false;
    }
    return this.take(0x5d) ? this.leave(array) : this.fail("syntax", 'expected "," or "]"');
  }

  private nextKey(object: JsonObject): void {
    const start = this.at;
    if (this.text.charCodeAt(start) !== 0x22) this.fail("syntax", "expected a key in double quotes");
    const key = this.string();
    if (forbiddenKeys.has(key)) this.fail("forbidden_key", `the key "${key}"`, start);
    if (object.has(key)) this.fail("duplicate_key", `the key "${key.slice(0, 80)}" twice in one object`, start);
    this.skip();
    if (!this.take(0x3a)) this.fail("syntax", 'expected ":"');
    this.skip();
    this.key = key;
  }

  private finish(value: Json): boolean {
    this.skip();
    if (this.at < this.text.length) this.fail("syntax", "text after the end of the JSON value");
    this.value = value;
    return true;
  }

  private string(): string {
    plainString.lastIndex = this.at;
    const plain = plainString.exec(this.text);
    if (plain) {
      this.at = plainString.lastIndex;
      return plain[1] as string;
    }
    const start = this.at;
    const end = this.stringEnd(start);
    let value: string;
    try {
      value = JSON.parse(this.text.slice(start, end)) as string;
    } catch {
      this.fail("syntax", "a string with a bad escape or a control character", start);
    }
    if (value.includes("\0")) this.fail("text", "a string with U+0000", start);
    if (!value.isWellFormed()) this.fail("text", "a string with a lone surrogate", start);
    this.at = end;
    return value;
  }

  /** The offset after the closing quote. By hand: a regular expression overflows its stack on a long string. */
  private stringEnd(start: number): number {
    for (let quote = this.text.indexOf('"', start + 1); quote >= 0; quote = this.text.indexOf('"', quote + 1)) {
      let backslashes = 0;
      while (this.text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
      if (backslashes % 2 === 0) return quote + 1;
    }
    return this.fail("syntax", "a string without an end", start);
  }

  private number(): number | NumberText {
    numberPattern.lastIndex = this.at;
    const text = numberPattern.exec(this.text)?.[0];
    if (text === undefined) this.fail("syntax", this.at < this.text.length ? "expected a value" : "an early end");
    const value = Number(text);
    if (!Number.isFinite(value)) this.fail("number_range", `the number ${text.slice(0, 40)}`);
    this.at += text.length;
    return String(value) === text ? value : new NumberText(text);
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail("syntax", "expected a value");
    this.at += word.length;
    return value;
  }

  private take(code: number): boolean {
    if (this.text.charCodeAt(this.at) !== code) return false;
    this.at++;
    return true;
  }

  private skip(): void {
    const code = this.text.charCodeAt(this.at);
    if (code > 0x20 || Number.isNaN(code)) return;
    space.lastIndex = this.at;
    space.exec(this.text);
    this.at = space.lastIndex;
  }

  private fail(rule: JsonError["rule"], message: string, at = this.at): never {
    throw new JsonError(rule, `${message} at offset ${at}`, at);
  }
}

/** The shortest JSON text of a value: no white space, `/` and non-ASCII unescaped, numbers as they were written. */
export function formatJson(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(formatJson).join(",")}]`;
  let text = "{";
  for (const [key, member] of value)
    text += `${text.length > 1 ? "," : ""}${JSON.stringify(key)}:${formatJson(member)}`;
  return `${text}}`;
}

/** True for an object, as opposed to an array, a number kept as text, or a scalar. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return value instanceof Map;
}

/** A parsed value from trusted plain data (no untrusted keys): objects become Maps. */
export function toJson(value: unknown): Json {
  return parseJson(JSON.stringify(value), 1000);
}

/** A value as a message shows it: its text, or its type. */
export function describeJson(value: Json | undefined): string {
  if (value === undefined) return "absent";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return "a list";
  return isJsonObject(value) ? "an object" : formatJson(value);
}

/** True when both say the same: the order of keys does not count, numbers count as they are written. */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (isJsonObject(one) && isJsonObject(other))
    return one.size === other.size && [...one].every(([key, value]) => isSameJson(value, other.get(key)));
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, i) => isSameJson(value, other[i]));
  if (one instanceof NumberText && other instanceof NumberText) return one.text === other.text;
  return Object.is(one, other);
}

/** Applies a merge patch to the target: objects merge key by key, a null removes its key. RFC 7396 §2. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = new Map(target);
  for (const [key, value] of patch) {
    const before = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isJsonObject(value)) merged.set(key, mergePatch(isJsonObject(before) ? before : new Map(), value));
    else merged.set(key, value);
  }
  return merged;
}

/** The nesting depth of a value: 0 for a scalar. */
export function jsonDepth(value: Json): number {
  if (!isContainer(value)) return 0;
  let deepest = 0;
  for (const member of value.values()) if (isContainer(member)) deepest = Math.max(deepest, jsonDepth(member));
  return deepest + 1;
}

/** The number of keys in all objects of a value. */
export function countKeys(value: Json): number {
  if (!isContainer(value)) return 0;
  let count = isJsonObject(value) ? value.size : 0;
  for (const member of value.values()) if (isContainer(member)) count += countKeys(member);
  return count;
}

const isContainer = (value: Json): value is JsonObject | JsonArray => isJsonObject(value) || Array.isArray(value);
