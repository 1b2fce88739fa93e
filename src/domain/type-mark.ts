import { isJsonObject, type Json } from "../lib/json.ts";
import { type Ast, edges, id, keywordsOf } from "./type-graph.ts";

/**
 * The places of an entry's data that its schema marks: references to entries and files, and prose. A mark applies wherever
 * a subschema with it could apply to the place, whether or not the data is valid. Contract, part two, §9, §10.
 */
export type Mark = "entry" | "file" | "markdown" | "html";

/** A text that is marked, and where it is: the keys and indexes that lead to it. */
export type Marked = { readonly path: readonly (string | number)[]; readonly mark: Mark; readonly value: string };

const formatId = id("draft-2020-12/format");
const byFormat: ReadonlyMap<unknown, Mark> = new Map([
  ["entry", "entry"],
  ["file", "file"],
]);
const byMediaType: ReadonlyMap<unknown, Mark> = new Map([
  ["text/markdown", "markdown"],
  ["text/html", "html"],
]);

type NameTest = (name: string) => boolean;

/** Keywords that apply subschemas to the members of an object: those of a member with this name. */
const memberOf: Readonly<Record<string, (value: never, name: string) => readonly string[]>> = {
  [id("properties")]: (urls: ReadonlyMap<string, string>, name) => listOf(urls.get(name)),
  [id("patternProperties")]: (patterns: [NameTest, string][], name) =>
    patterns.filter(([test]) => test(name)).map(([, url]) => url),
  [id("additionalProperties")]: (
    { names, patterns, url }: { names: ReadonlySet<string>; patterns: NameTest[]; url: string },
    name,
  ) => (names.has(name) || patterns.some((test) => test(name)) ? [] : [url]),
  [id("unevaluatedProperties")]: (url: string) => [url],
};

/** The same for the items of a list. */
const itemOf: Readonly<Record<string, (value: never, index: number) => readonly string[]>> = {
  [id("prefixItems")]: (urls: readonly string[], index) => listOf(urls[index]),
  [id("items")]: ([prefix, url]: [number, string], index) => (index < prefix ? [] : [url]),
  [id("contains")]: ({ contains }: { contains: string }) => [contains],
  [id("unevaluatedItems")]: (url: string) => [url],
};

const listOf = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);

/** The marks of a schema. Parts that lead to none are not looked at. */
export class Marks {
  private readonly ast: Ast;
  private readonly root: string;
  /** The subschemas with a mark, and those that lead to one. */
  private readonly leading: ReadonlySet<string>;

  constructor(ast: Ast, root: string) {
    this.ast = ast;
    this.root = root;
    this.leading = leadingToMarks(ast);
  }

  /** The marked places of a value, in its order. */
  of(value: Json): Marked[] {
    const found: Marked[] = [];
    this.walk(value, [this.root], [], found);
    return found;
  }

  /** Recursion is as deep as the data, whose depth is bounded. */
  private walk(value: Json, urls: readonly string[], path: readonly (string | number)[], found: Marked[]): void {
    const applied = this.applied(urls);
    if (applied.length === 0) return;
    if (typeof value === "string") {
      const marks = new Set(applied.flatMap(([keywordId, of]) => listOf(markOf(keywordId, of))));
      for (const mark of marks) found.push({ path, mark, value });
    } else if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) this.walk(item, below(applied, itemOf, i), [...path, i], found);
    } else if (isJsonObject(value)) {
      for (const [name, member] of value) this.walk(member, below(applied, memberOf, name), [...path, name], found);
    }
  }

  /** The keywords of these subschemas and of all that apply to the same value with them. */
  private applied(urls: readonly string[]): [keywordId: string, value: unknown][] {
    const reached = new Set(urls.filter((url) => this.leading.has(url)));
    for (const url of reached) for (const next of edges(this.ast, url)) if (this.leading.has(next)) reached.add(next);
    return [...reached].flatMap((url) =>
      keywordsOf(this.ast, url).map(([keywordId, , value]): [string, unknown] => [keywordId, value]),
    );
  }
}

function markOf(keywordId: string, value: unknown): Mark | undefined {
  if (keywordId === formatId) return byFormat.get(value);
  return keywordId === id("contentMediaType") ? byMediaType.get(value) : undefined;
}

function below<Key>(
  applied: readonly (readonly [string, unknown])[],
  holders: Readonly<Record<string, (value: never, key: Key) => readonly string[]>>,
  key: Key,
): string[] {
  return applied.flatMap(([keywordId, value]) => holders[keywordId]?.(value as never, key) ?? []);
}

/** What a keyword holds, whatever the key. */
const held: Readonly<Record<string, (value: never) => readonly string[]>> = {
  [id("properties")]: (urls: ReadonlyMap<string, string>) => [...urls.values()],
  [id("patternProperties")]: (patterns: [unknown, string][]) => patterns.map(([, url]) => url),
  [id("additionalProperties")]: ({ url }: { url: string }) => [url],
  [id("unevaluatedProperties")]: (url: string) => [url],
  [id("prefixItems")]: (urls: readonly string[]) => urls,
  [id("items")]: ([, url]: [number, string]) => [url],
  [id("contains")]: ({ contains }: { contains: string }) => [contains],
  [id("unevaluatedItems")]: (url: string) => [url],
};

function leadingToMarks(ast: Ast): Set<string> {
  const leading = new Set<string>();
  const holders = new Map<string, string[]>();
  for (const url of Object.keys(ast)) {
    for (const [keywordId, , value] of keywordsOf(ast, url)) {
      if (markOf(keywordId, value)) leading.add(url);
      for (const next of held[keywordId]?.(value as never) ?? []) note(holders, next, url);
    }
    for (const next of edges(ast, url)) note(holders, next, url);
  }
  for (const url of leading) for (const holder of holders.get(url) ?? []) leading.add(holder);
  return leading;
}

function note(holders: Map<string, string[]>, url: string, holder: string): void {
  const known = holders.get(url);
  if (known) known.push(holder);
  else holders.set(url, [holder]);
}
