import type { JsonObject } from "../lib/json.ts";
import { momentForms, readMoment } from "../moment.ts";
import { depthBelow, type Path } from "../path.ts";
import { problem } from "../problem.ts";
import { argumentName, filterInvalid, readFlag, readText, readTexts } from "./argument.ts";
import { compilePart, isPattern, PatternCheck, type TimeBudget } from "./regexp.ts";
import { someText } from "./value.ts";

/**
 * The find arguments: Flextype's filters of its directory walk (Symfony Finder), applied here to the same facts in the
 * store; and `search`, full text. An item must satisfy all of them. Contract §4; compatibility, Find arguments.
 */

const comparators = ["==", "!=", "<=", "<", ">=", ">"] as const;
export type Comparator = (typeof comparators)[number];
export type Comparison = { comparator: Comparator; value: number };
/** A comparison with a point in time, which may be relative, like `yesterday`: resolved when the query runs. */
export type DateComparison = { comparator: Comparator; moment: string };

/** The find arguments of a collection, validated. Plain data; an empty list sets no condition. */
export type Find = {
  depth: Comparison[];
  date: DateComparison[];
  size: Comparison[];
  exclude: string[];
  /** At least one of these texts or patterns must occur in a text field. */
  contains: string[];
  /** None of these may occur in a text field. */
  notContains: string[];
  /** At least one of these texts or patterns must occur in the path. */
  path: string[];
  /** Each of these must occur in a text field of the client's, ignoring case; already normalised. */
  words: string[];
};

/** The facts of an item that need no parsing. `size` is that of the client's data, in bytes. */
export type Facts = { path: Path; modifiedAt: number; size: number };

const maxWords = 50;

/** Throws filter_invalid, filter_too_complex, filter_too_costly. */
export function parseFind(args: JsonObject, patterns = new PatternCheck()): Find {
  return {
    depth: readDepth(args),
    date: readTexts(args, "date").map(readDate),
    size: readTexts(args, "size").map(readSize),
    exclude: readTexts(args, "exclude"),
    contains: readParts(args, "contains", patterns),
    notContains: readParts(args, "not_contains", patterns),
    path: readParts(args, "path", patterns),
    words: readWords(args),
  };
}

/** True when one of the texts is a pattern. */
export const hasFindPattern = ({ contains, notContains, path }: Find): boolean =>
  [contains, notContains, path].some((parts) => parts.some(isPattern));

/** True when nothing but the depth decides, and its bounds decide all of it. */
export const isDepthOnly = ({ depth, ...rest }: Find): boolean =>
  Object.values(rest).every((list) => list.length === 0) && depth.every(({ comparator }) => comparator !== "!=");

function readParts(args: JsonObject, name: string, patterns: PatternCheck): string[] {
  const parts = readTexts(args, name);
  for (const part of parts) patterns.part(argumentName(name), part);
  return parts;
}

function readDepth(args: JsonObject): Comparison[] {
  const texts = readTexts(args, "depth");
  const isRecursive = readFlag(args, "recursive");
  if (texts.length === 0) return [{ comparator: isRecursive ? ">=" : "==", value: 1 }];
  return texts.map((text) => {
    if (text.trim() === "*") return { comparator: ">=", value: 1 };
    const [, comparator = "==", value] = /^\s*(==|!=|<=?|>=?)?\s*(\d{1,9})\s*$/.exec(text) ?? [];
    if (value === undefined) throw filterInvalid(argumentName("depth"), text, "1, >1, <=3, ==2, a list of these, or *");
    return { comparator: comparator as Comparator, value: Number(value) };
  });
}

const words: Record<string, Comparator> = Object.assign(Object.create(null), {
  since: ">",
  after: ">",
  until: "<",
  before: "<",
});

function readDate(text: string): DateComparison {
  const [, word = "==", moment = ""] = /^\s*(==|!=|<=?|>=?|since|after|until|before)?\s*(.*?)\s*$/is.exec(text) ?? [];
  if (!readMoment(moment, 0)) {
    throw filterInvalid(argumentName("date"), text, `a comparison such as >= 2024-05-01, with ${momentForms}`);
  }
  return { comparator: words[word.toLowerCase()] ?? (word as Comparator), moment };
}

const sizeUnits: Record<string, number> = Object.assign(Object.create(null), {
  "": 1,
  k: 1000,
  ki: 1024,
  m: 1000 ** 2,
  mi: 1024 ** 2,
  g: 1000 ** 3,
  gi: 1024 ** 3,
});

function readSize(text: string): Comparison {
  const form = /^\s*(==|!=|<=?|>=?)?\s*(\d{1,15}(?:\.\d{1,6})?)\s*([kmg]i?|)b?\s*$/i;
  const [, comparator = "==", number, unit = ""] = form.exec(text) ?? [];
  if (number === undefined) {
    throw filterInvalid(argumentName("size"), text, "a comparison of bytes such as >= 1K, < 2Mi or 500");
  }
  return { comparator: comparator as Comparator, value: Number(number) * (sizeUnits[unit.toLowerCase()] as number) };
}

function readWords(args: JsonObject): string[] {
  const found = foldText(readText(args, "search") ?? "").split(/\s+/);
  const list = [...new Set(found)].filter((word) => word !== "");
  if (list.length > maxWords) throw problem("filter_too_complex", { rule: `at most ${maxWords} words in a search` });
  return list;
}

/** Text as a search compares it: NFC, and lower case. */
export const foldText = (text: string): string => text.normalize("NFC").toLowerCase();

/** The least and the greatest depth that can match; greatest may be Infinity. Nothing matches when min > max. */
export function depthBounds({ depth }: Pick<Find, "depth">): { min: number; max: number } {
  let min = 0;
  let max = Number.POSITIVE_INFINITY;
  for (const { comparator, value } of depth) {
    if (comparator === "==" || comparator === ">=") min = Math.max(min, value);
    if (comparator === ">") min = Math.max(min, value + 1);
    if (comparator === "==" || comparator === "<=") max = Math.min(max, value);
    if (comparator === "<") max = Math.min(max, value - 1);
  }
  return { min, max };
}

/** The time budget and the clock of a request. */
type RequestLimits = { budget: TimeBudget; nowSeconds: number };

/** A test that one of the texts or patterns occurs; undefined when there are none. */
function compileParts(parts: readonly string[], budget: TimeBudget): ((text: string) => boolean) | undefined {
  const tests = parts.map((part) => compilePart(part, budget));
  return tests.length === 0 ? undefined : (text) => tests.some((test) => test(text));
}

/** The test of what is known without parsing an item: depth, date, size, exclude, path. */
export function compileFacts(find: Find, root: Path, { budget, nowSeconds }: RequestLimits): (facts: Facts) => boolean {
  const hasPart = compileParts(find.path, budget);
  const dates = find.date.map((comparison) => compileDate(comparison, nowSeconds));
  const excluded = new Set(find.exclude);
  const start = root === "" ? 0 : root.length + 1;
  return ({ path, modifiedAt, size }) => {
    const depth = depthBelow(path, root);
    if (!find.depth.every((comparison) => holds(depth, comparison))) return false;
    if (!find.size.every((comparison) => holds(size, comparison))) return false;
    if (!dates.every((test) => test(modifiedAt))) return false;
    if (hasPart && !hasPart(path) && !(start > 0 && hasPart(path.slice(start)))) return false;
    return excluded.size === 0 || excluded.isDisjointFrom(new Set(path.slice(start).split("/")));
  };
}

function holds(received: number, { comparator, value }: Comparison): boolean {
  switch (comparator) {
    case "==":
      return received === value;
    case "!=":
      return received !== value;
    case "<":
      return received < value;
    case "<=":
      return received <= value;
    case ">":
      return received > value;
    case ">=":
      return received >= value;
  }
}

/** A date without a time is one moment for == and !=, and starts at midnight for the other comparisons. */
function compileDate({ comparator, moment }: DateComparison, nowSeconds: number): (seconds: number) => boolean {
  const { startSeconds, spanSeconds } = readMoment(moment, nowSeconds) ?? { startSeconds: Number.NaN, spanSeconds: 0 };
  const isWithin = (seconds: number) => seconds >= startSeconds && seconds < startSeconds + spanSeconds;
  if (comparator === "==") return isWithin;
  if (comparator === "!=") return (seconds) => !isWithin(seconds);
  return (seconds) => holds(seconds, { comparator, value: startSeconds });
}

/** `serviceKeys` are the object's top-level keys that are not the client's; a search reads `texts`, too. */
type Searched = { readonly serviceKeys: ReadonlySet<string>; readonly texts?: readonly string[] | undefined };
type HasTexts = (object: JsonObject, searched: Searched) => boolean;

/**
 * The test of an item's text; undefined when there is none. `contains` and `not_contains` read the whole object, as in
 * Flextype; `search` reads the client's fields and what else is the client's. Contract §4.
 */
export function compileTexts({ contains, notContains, words }: Find, budget: TimeBudget): HasTexts | undefined {
  if (contains.length + notContains.length + words.length === 0) return undefined;
  const isWanted = compileParts(contains, budget);
  const isUnwanted = compileParts(notContains, budget);
  return (object, searched) =>
    (!isWanted || someText(object, isWanted)) &&
    (!isUnwanted || !someText(object, isUnwanted)) &&
    (words.length === 0 || holdsWords(object, searched, words));
}

function holdsWords(object: JsonObject, { serviceKeys, texts = [] }: Searched, words: readonly string[]): boolean {
  let left = [...words];
  const holdsAll = (text: string) => {
    const folded = foldText(text);
    left = left.filter((word) => !folded.includes(word));
    return left.length === 0;
  };
  if (texts.some(holdsAll)) return true;
  for (const [key, value] of object) if (!serviceKeys.has(key) && someText(value, holdsAll)) return true;
  return false;
}
