import { isAlias, isMap, isPair, isScalar, isSeq, type Pair, parseDocument } from "yaml";
import { forbiddenKeys, isJsonObject, type Json, type JsonObject, NumberText } from "./json.ts";

/**
 * YAML read as JSON values without loss: numbers keep their text, dates and whatever is no JSON number stay the text that
 * was written. Bounded: aliases cannot make a small text large. YAML 1.2, with its core booleans and nulls.
 */

/** Why a text is not acceptable YAML. */
export class YamlError extends Error {}

/** The value, the tags that have no effect, such as `!php/object`, and whether comments are not in the value. */
export type Yaml = { value: Json; tags: readonly string[]; hasComments: boolean };

/** Limits of the value, with its aliases expanded: nested containers, and characters of all keys and scalars. */
const maxDepth = 100;
const tooDeep = `it is nested deeper than ${maxDepth} levels`;
const maxSize = 4 * 1024 * 1024;

/** Parses one YAML document; an empty one is null. Throws YamlError. */
export function parseYaml(text: string): Yaml {
  const simple = readSimple(text);
  return simple ? { value: simple, tags: [], hasComments: false } : new YamlReader().read(text);
}

// ------------------------------------------------------------------------------------------------------- any document

type AnchoredValue = { value: Json; size: number };

class YamlReader {
  private readonly tags = new Set<string>();
  private readonly anchors = new Map<string, AnchoredValue>();
  private size = 0;
  private hasComments = false;

  read(text: string): Yaml {
    const document = parsed(text);
    const [error] = document.errors;
    if (error) throw new YamlError(faultOf(error, text));
    this.noteComments(document);
    const value = this.valueOf(document.contents, 0);
    return { value, tags: [...this.tags], hasComments: this.hasComments };
  }

  private noteComments(node: unknown): void {
    const { comment, commentBefore } = Object(node) as { comment?: string; commentBefore?: string };
    if (isForeign(comment) || isForeign(commentBefore)) this.hasComments = true;
  }

  private valueOf(node: unknown, depth: number): Json {
    if (depth > maxDepth) throw new YamlError(tooDeep);
    if (isAlias(node)) return this.aliased(node.source);
    const before = this.size;
    this.noteComments(node);
    this.grow(1);
    const value = this.ownValue(node, depth);
    const { anchor, tag } = Object(node) as { anchor?: string; tag?: string };
    // Known only once it is complete: a value cannot hold itself.
    if (anchor) this.anchors.set(anchor, { value, size: this.size - before });
    if (tag && !knownTags.test(tag)) this.tags.add(tag.replace(standardTag, "!!"));
    return value;
  }

  private ownValue(node: unknown, depth: number): Json {
    if (isMap(node)) return this.objectOf(node.items as Pair[], depth);
    if (isSeq(node)) return node.items.map((item) => this.valueOf(isPair(item) ? single(item) : item, depth + 1));
    if (!isScalar(node)) return null;
    const text = String(node.value ?? "");
    this.grow(text.length);
    refuseText(text);
    return isPlain(node) && !textTags.has(node.tag) ? resolvePlain(text) : text;
  }

  private objectOf(items: readonly Pair[], depth: number): JsonObject {
    const object: JsonObject = new Map();
    const merged: JsonObject[] = [];
    for (const { key, value } of items) {
      const name = this.keyOf(key, depth);
      const member = this.valueOf(value, depth + 1);
      if (name === "<<" && isPlain(key)) merged.push(...objectsOf(member));
      else if (object.has(name)) throw new YamlError(`the key "${name.slice(0, 80)}" is there twice`);
      else object.set(name, member);
    }
    for (const other of merged) for (const [name, member] of other) if (!object.has(name)) object.set(name, member);
    return object;
  }

  private keyOf(key: unknown, depth: number): string {
    this.noteComments(key);
    const name = isScalar(key) ? String(key.value ?? "") : this.valueOf(key, depth + 1);
    if (typeof name !== "string") throw new YamlError("a key is a list or an object");
    this.grow(name.length);
    if (isScalar(key) && key.anchor) this.anchors.set(key.anchor, { value: name, size: name.length });
    refuseText(name);
    if (forbiddenKeys.has(name)) throw new YamlError(`the key "${name}" is not accepted`);
    return name;
  }

  private aliased(name: string): Json {
    const known = this.anchors.get(name);
    if (!known) throw new YamlError(`the alias "${name}" has no value before it`);
    this.grow(known.size);
    return known.value;
  }

  /** Refuses a text whose aliases multiply it. */
  private grow(by: number): void {
    this.size += by;
    if (this.size > maxSize) throw new YamlError(`with its aliases it has more than ${maxSize} characters`);
  }
}

const standardTag = "tag:yaml.org,2002:";
/** Tags of what a value is without them, mostly. */
const knownTags = /^(?:!|tag:yaml\.org,2002:(?:str|map|seq|int|float|bool|null))$/;
/** Of a scalar that is a text whatever it looks like. */
const textTags: ReadonlySet<string | undefined> = new Set(["!", `${standardTag}str`]);

/** The library's own search for duplicate keys takes quadratic time; its failsafe schema without known tags keeps every scalar's text. */
function parsed(text: string) {
  try {
    const quiet = { prettyErrors: false, logLevel: "error" } as const;
    return parseDocument(text, { schema: "failsafe", resolveKnownTags: false, uniqueKeys: false, ...quiet });
  } catch {
    // A text that is nested too deep overflows the stack of the library.
    throw new YamlError(tooDeep);
  }
}

/** A comment that no export has written. */
const isForeign = (comment: string | undefined | null): boolean =>
  comment?.split("\n").some((line) => !line.startsWith(ownComment.slice(1))) ?? false;

/** What is wrong, by the library's codes: its sentences speak of its own parts. */
const faults: Readonly<Record<string, string>> = {
  BAD_ALIAS: "the name of an anchor (&) or alias (*) is not accepted",
  BAD_DQ_ESCAPE: "a text in double quotes has an unknown escape",
  BAD_INDENT: "the indentation does not fit the lines above, or a bracket is not closed",
  BAD_SCALAR_START: "a text begins with a character that needs quotes",
  BLOCK_AS_IMPLICIT_KEY: "there is a second colon: put the text in quotes",
  BLOCK_IN_FLOW: "lines with a dash or colon begin inside brackets",
  MISSING_CHAR: "a quote, bracket, comma or colon is missing",
  MULTILINE_IMPLICIT_KEY: "a line has no colon, or the next one is not indented",
  MULTIPLE_DOCS: "it has more than one document",
  TAB_AS_INDENT: "a tab is used as indentation",
  UNEXPECTED_TOKEN: "something is in a place where it has no meaning",
};

function faultOf({ code, message, pos: [at] }: { code: string; message: string; pos: [number, number] }, text: string) {
  if (/call stack/i.test(message) || code === "RESOURCE_EXHAUSTION") return tooDeep;
  return `line ${text.slice(0, at).split("\n").length}: ${faults[code] ?? "it cannot be read"}`;
}

const isPlain = (node: unknown): boolean => isScalar(node) && (node.type === "PLAIN" || node.type === undefined);

const single = (pair: Pair) => {
  throw new YamlError(`a list holds a pair without its object${isScalar(pair.key) ? ` ("${pair.key.value}")` : ""}`);
};

/** What a merge key names: an object, or a list of them. */
function objectsOf(value: Json): JsonObject[] {
  const all = Array.isArray(value) ? value : [value];
  if (all.every(isJsonObject)) return all;
  throw new YamlError("a merge key (<<) names something other than an object");
}

function refuseText(text: string): void {
  if (text.includes("\0")) throw new YamlError("a text holds U+0000");
  if (!text.isWellFormed()) throw new YamlError("a text holds a lone surrogate");
}

const words: Readonly<Record<string, Json>> = Object.assign(Object.create(null), {
  "": null,
  "~": null,
  null: null,
  Null: null,
  NULL: null,
  true: true,
  True: true,
  TRUE: true,
  false: false,
  False: false,
  FALSE: false,
});
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A scalar without quotes: a word, a JSON number, otherwise the text as written. */
export function resolvePlain(text: string): Json {
  const word = words[text];
  if (word !== undefined) return word;
  if (!numberPattern.test(text)) return text;
  const number = Number(text);
  // JSON has no number this large.
  if (!Number.isFinite(number)) return text;
  return String(number) === text ? number : new NumberText(text);
}

// -------------------------------------------------------------------------------------------------- simple documents

/** A member of an object or an element of a list, on a line of its own. */
const row = /^( *)(- )?(?:([A-Za-z_][\w-]*):(?: (.*))?|(.*))$/s;
/** Without quotes, comments, indicators and anything that another line could continue. */
const plain = /^[\p{L}\p{N}][^:#\t\r\u0000-\u001f\u007f-\u009f\ufeff]*$/u;
/** What an export says of its fields. */
const ownComment = "# octavo: ";
/** Deeper documents are left to the library. */
const maxSimpleDepth = 20;

/** `isElement` where a dash begins it; `text` is the value of the key, or the element. */
type Line = { indent: number; isElement: boolean; key: string | undefined; text: string };

/**
 * An object of scalars, lists and objects on a line each, as front matter mostly is; undefined for anything beyond. It is
 * ten times as fast as the library, and reads nothing in another way: a test compares the two.
 */
function readSimple(text: string): JsonObject | undefined {
  const rows = text.split("\n").filter((one) => one !== "" && !one.startsWith(ownComment));
  const lines = rows.map(lineOf);
  const reader = new SimpleReader(lines);
  const object = reader.object(0, 0);
  return object && object.size > 0 && reader.at === lines.length ? object : undefined;
}

function lineOf(text: string): Line {
  const [, { length: indent } = "", dash, key, value = "", scalar = ""] = row.exec(text) ?? [];
  return { indent, isElement: dash !== undefined, key, text: key === undefined ? scalar : value };
}

/** Each method reads from the line `at` on; undefined for what is not simple. */
class SimpleReader {
  at = 0;
  private readonly lines: Line[];

  constructor(lines: Line[]) {
    this.lines = lines;
  }

  object(indent: number, depth: number): JsonObject | undefined {
    const object: JsonObject = new Map();
    for (let line = this.lines[this.at]; line?.indent === indent && !line.isElement; line = this.lines[this.at]) {
      const { key, text } = line;
      if (key === undefined || object.has(key) || forbiddenKeys.has(key)) return undefined;
      this.at++;
      const value = text === "" ? this.below(indent, depth) : readScalar(text);
      if (value === undefined) return undefined;
      object.set(key, value);
    }
    return object;
  }

  /** What a key without a value on its line has. A list can begin at the column of its key. */
  private below(indent: number, depth: number): Json | undefined {
    const next = this.lines[this.at];
    if (!next || next.indent < indent || (next.indent === indent && !next.isElement)) return null;
    if (depth >= maxSimpleDepth) return undefined;
    return next.isElement ? this.list(next.indent, depth + 1) : this.object(next.indent, depth + 1);
  }

  private list(indent: number, depth: number): Json[] | undefined {
    const list: Json[] = [];
    for (let line = this.lines[this.at]; line?.indent === indent && line.isElement; line = this.lines[this.at]) {
      const value = line.key === undefined ? readScalar(line.text) : this.element(line, depth);
      if (line.key === undefined) this.at++;
      if (value === undefined) return undefined;
      list.push(value);
    }
    return list;
  }

  /** An object that begins behind a dash. */
  private element(line: Line, depth: number): JsonObject | undefined {
    this.lines[this.at] = { ...line, indent: line.indent + 2, isElement: false };
    return this.object(line.indent + 2, depth + 1);
  }
}

function readScalar(written: string): Json | undefined {
  if (!written.isWellFormed()) return undefined;
  if (plain.test(written)) return written.endsWith(" ") ? undefined : resolvePlain(written);
  if (written.startsWith('"')) return readQuoted(written);
  const quoted = /^'([^'\t\r\u0000-\u001f\u007f-\u009f\ufeff]*)'$/.exec(written);
  if (quoted) return quoted[1] as string;
  if (written === "{}") return new Map();
  if (written === "[]") return [];
  return numberPattern.test(written) ? resolvePlain(written) : undefined;
}

/** A text in double quotes that JSON reads as YAML does: no pairs of escapes, which YAML does not join. */
function readQuoted(written: string): string | undefined {
  if (/[\u007f-\u009f\ufeff]|\\u(?:[dD][89a-fA-F]|0000)/.test(written)) return undefined;
  try {
    return JSON.parse(written) as string;
  } catch {
    return undefined;
  }
}
