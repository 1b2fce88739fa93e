import { isAlias, isMap, isPair, isScalar, isSeq, type Pair, parseDocument } from "yaml";
import { forbiddenKeys, isJsonObject, type Json, type JsonObject, NumberText } from "./json.ts";

/**
 * YAML read as JSON values without loss: numbers keep their text, dates and whatever is no JSON number stay the text that
 * was written. Bounded: aliases cannot make a small text large. YAML 1.2, with its core booleans and nulls.
 */

/** Why a text is not acceptable YAML. */
export class YamlError extends Error {}

/** The value, and the tags in it that have no effect, such as `!php/object`. */
export type Yaml = { value: Json; tags: readonly string[] };

/** Limits of the value, with its aliases expanded: nested containers, and characters of all keys and scalars. */
const maxDepth = 100;
const tooDeep = `it is nested deeper than ${maxDepth} levels`;
const maxSize = 4 * 1024 * 1024;

/** Parses one YAML document; an empty one is null. Throws YamlError. */
export function parseYaml(text: string): Yaml {
  const simple = readSimple(text);
  return simple ? { value: simple, tags: [] } : new YamlReader().read(text);
}

// ------------------------------------------------------------------------------------------------------- any document

type Known = { value: Json; size: number };

class YamlReader {
  private readonly tags = new Set<string>();
  private readonly anchors = new Map<string, Known>();
  private size = 0;

  read(text: string): Yaml {
    const { contents, errors } = parsed(text);
    if (errors[0]) throw new YamlError(/call stack/i.test(errors[0].message) ? tooDeep : errors[0].message);
    return { value: this.valueOf(contents, 0), tags: [...this.tags] };
  }

  private valueOf(node: unknown, depth: number): Json {
    if (depth > maxDepth) throw new YamlError(tooDeep);
    if (isAlias(node)) return this.aliased(node.source);
    const before = this.size;
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
  ...{ "": null, "~": null, null: null, Null: null, NULL: null },
  ...{ true: true, True: true, TRUE: true, false: false, False: false, FALSE: false },
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

const line = /^([A-Za-z_][\w-]*):(?: (.*))?$/;
const item = /^ *- (.*)$/;
/** Without quotes, comments, indicators and anything that another line could continue. */
const plain = /^[\p{L}\p{N}][^:#\t\r\u0000-\u001f\u007f-\u009f\ufeff]*$/u;

/**
 * An object of scalars and lists of scalars on a line each, as most front matter is; undefined for anything beyond. It is
 * ten times as fast as the library, and reads nothing in another way: a test compares the two.
 */
function readSimple(text: string): JsonObject | undefined {
  const object: JsonObject = new Map();
  let list: Json[] | undefined;
  let indent = -1;
  for (const row of text.split("\n")) {
    if (row === "") continue;
    const element = list && item.exec(row)?.[1];
    if (list && element !== undefined) {
      const at = row.indexOf("-");
      if (indent >= 0 && at !== indent) return undefined;
      indent = at;
      const value = readScalar(element);
      if (value === undefined) return undefined;
      list.push(value);
      continue;
    }
    if (list?.length === 0) object.set([...object.keys()].at(-1) as string, null);
    list = undefined;
    indent = -1;
    const [, key = "", written = ""] = line.exec(row) ?? [];
    if (key === "" || object.has(key) || forbiddenKeys.has(key)) return undefined;
    if (written === "") list = [];
    const value = list ?? readScalar(written);
    if (value === undefined) return undefined;
    object.set(key, value);
  }
  if (list?.length === 0) object.set([...object.keys()].at(-1) as string, null);
  return object.size > 0 ? object : undefined;
}

function readScalar(written: string): Json | undefined {
  if (plain.test(written)) return written.endsWith(" ") || !written.isWellFormed() ? undefined : resolvePlain(written);
  const quoted =
    /^'([^'\t\r\u0000-\u001f\u007f-\u009f\ufeff]*)'$/.exec(written) ??
    /^"([\x20\x21\x23-\x5b\x5d-\x7e]*)"$/.exec(written);
  if (quoted) return quoted[1] as string;
  return numberPattern.test(written) ? resolvePlain(written) : undefined;
}
