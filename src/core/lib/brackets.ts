import { forbiddenKeys, formatJson, isJsonObject, type Json, type JsonObject } from "./json.ts";

/**
 * Names with brackets, the notation for nested data in query strings and forms: `filter[where][key]=x`, `tags[]=a`,
 * `list[0]=b`. A level whose names are all empty or digits is a list, in index order. Every value is text, except form
 * parts that are JSON.
 */

/**
 * `maxGroups` limits the groups and lists of all names together: a few long names can create very many. With `joins` a name
 * that ends in a key and is repeated is the list of its values, as in a form; it is refused otherwise. Decision 26.
 */
export type BracketCaps = {
  maxPairs: number;
  maxDepth: number;
  maxItems: number;
  maxGroups?: number;
  joins?: boolean;
};

/** Why names with brackets are invalid. `key` is the name as received. */
export class BracketError extends Error {
  readonly rule: "too_complex" | "forbidden_key" | "encoding" | "repeated" | "conflict";
  readonly key: string;
  constructor(rule: BracketError["rule"], key: string, message: string) {
    super(message);
    this.rule = rule;
    this.key = key;
  }
}

/** A JSON value from a form part, instead of text. */
export class JsonPart {
  readonly value: Json;
  constructor(value: Json) {
    this.value = value;
  }
}

type Value = string | JsonPart;

/**
 * Parses an `application/x-www-form-urlencoded` text (a query without its `?`, or a form body). Throws BracketError.
 */
export function parseUrlEncoded(text: string, caps: BracketCaps): JsonObject {
  if (text === "") return new Map();
  const pairs: [string, string][] = [];
  for (const part of text.split("&")) {
    if (part === "") continue;
    if (pairs.length >= caps.maxPairs) throw tooComplex(part, `more than ${caps.maxPairs} parameters`);
    const equals = part.indexOf("=");
    const name = equals < 0 ? part : part.slice(0, equals);
    pairs.push([decode(name, name), equals < 0 ? "" : decode(part.slice(equals + 1), name)]);
  }
  return nestPairs(pairs, caps);
}

/** Builds the tree from decoded names and values (form-data parts). Throws BracketError. */
export function nestPairs(pairs: readonly (readonly [string, Value])[], caps: BracketCaps): JsonObject {
  const root: Level = new Map();
  let groups = 0;
  for (const [name, value] of pairs) {
    if (name.includes("[")) groups += place(root, name, value, caps);
    else setLeaf(root, name, name, value, false);
    if (groups > (caps.maxGroups ?? groups)) throw tooComplex(name, `more than ${caps.maxGroups} groups`);
  }
  // Most names have no brackets: then the level is the object already.
  const object = root as Map<string, Json>;
  for (const [key, node] of root) {
    if (node instanceof Map) object.set(key, finish(node, key, caps));
    else if (node instanceof JsonPart) object.set(key, node.value);
  }
  return object;
}

/**
 * A JSON value as names with brackets would give it, each scalar as its text; `name` is its own name. Throws
 * BracketError.
 */
export function nestJson(name: string, value: Json, caps: BracketCaps): Json {
  let pairs = 0;
  const toNode = (member: Json, depth: number): string | Level => {
    if (depth > caps.maxDepth) throw tooDeep(name, caps);
    const members = Array.isArray(member) ? member.map((item, i) => [String(i), item] as const) : member;
    if (members !== member || isJsonObject(member)) {
      return new Map(
        [...(members as Iterable<readonly [string, Json]>)].map(([key, one]) => [key, toNode(one, depth + 1)]),
      );
    }
    if (++pairs > caps.maxPairs) throw tooComplex(name, `more than ${caps.maxPairs} parameters`);
    return typeof member === "string" ? member : formatJson(member);
  };
  const node = toNode(value, 1);
  return typeof node === "string" ? node : finish(node, name, caps);
}

type Level = Map<string, Value | Level | Repeated>;
/** The values of a name that was sent more than once. */
class Repeated {
  readonly values: Value[];
  constructor(values: Value[]) {
    this.values = values;
  }
}

/** Stores a value at its name's path; answers how many groups were created for it. */
function place(root: Level, name: string, value: Value, caps: BracketCaps): number {
  const segments = splitName(name);
  if (segments.length > caps.maxDepth) throw tooDeep(name, caps);
  let level = root;
  let made = 0;
  for (const segment of segments.slice(0, -1)) {
    const key = segment === "" ? String(level.size) : segment;
    refuseForbidden(key, name);
    let next = level.get(key);
    if (next !== undefined && !(next instanceof Map)) throw conflict(name, key);
    if (!next) {
      next = new Map();
      level.set(key, next);
      made++;
    }
    level = next;
  }
  const last = segments.at(-1) as string;
  setLeaf(level, last === "" ? String(level.size) : last, name, value, caps.joins === true && !isIndex(last));
  return made;
}

/** `a[b][]` is a, b and the empty name; unbalanced brackets are part of the name. */
function splitName(name: string): string[] {
  const match = /^([^[]+)((?:\[[^[\]]*\])+)$/.exec(name);
  if (!match) return [name];
  return [match[1] as string, ...(match[2] as string).slice(1, -1).split("][")];
}

function setLeaf(level: Level, key: string, name: string, value: Value, joins: boolean): void {
  refuseForbidden(key, name);
  const known = level.get(key);
  if (known instanceof Map) throw conflict(name, key);
  if (known instanceof Repeated) known.values.push(value);
  else if (known !== undefined && joins) level.set(key, new Repeated([known, value]));
  else if (known !== undefined && known !== value) throw new BracketError("repeated", name, `"${key}" was sent twice`);
  else level.set(key, value);
}

/** The same value again says nothing new: then it is that one value, as it was in Flextype. */
function joined({ values }: Repeated, name: string, { maxItems }: BracketCaps): Json {
  const [first] = values;
  if (values.every((value) => value === first)) return valueIn(first as Value);
  if (values.length > maxItems) throw tooComplex(name, `a list of more than ${maxItems} items`);
  return values.map(valueIn);
}

/** The name of a position in a list, or none. */
const isIndex = (key: string): boolean => /^\d*$/.test(key);

function refuseForbidden(key: string, name: string): void {
  if (forbiddenKeys.has(key)) throw new BracketError("forbidden_key", name, `the key "${key}"`);
}

function finish(level: Level, name: string, caps: BracketCaps): Json {
  const isList = [...level.keys()].every((key) => /^\d+$/.test(key));
  const done = (node: Value | Level | Repeated): Json => {
    if (node instanceof Map) return finish(node, name, caps);
    return node instanceof Repeated ? joined(node, name, caps) : valueIn(node);
  };
  if (!isList) return new Map([...level].map(([key, node]) => [key, done(node)]));
  if (level.size > caps.maxItems) throw tooComplex(name, `a list of more than ${caps.maxItems} items`);
  return [...level].sort(([a], [b]) => Number(a) - Number(b)).map(([, node]) => done(node));
}

function decode(text: string, name: string): string {
  let decoded = text;
  if (text.includes("%") || text.includes("+")) {
    try {
      decoded = decodeURIComponent(text.replaceAll("+", " "));
    } catch {
      throw new BracketError("encoding", name, "a percent-encoding that is not UTF-8");
    }
  }
  if (decoded.includes("\0")) throw new BracketError("encoding", name, "U+0000");
  return decoded;
}

const valueIn = (value: Value): Json => (typeof value === "string" ? value : value.value);
const conflict = (name: string, key: string) => new BracketError("conflict", name, `"${key}" is one value and a group`);
const tooDeep = (name: string, { maxDepth }: BracketCaps) =>
  tooComplex(name, `names nested deeper than ${maxDepth} levels`);
const tooComplex = (name: string, message: string) => new BracketError("too_complex", name, message);
