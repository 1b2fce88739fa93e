import { isJsonObject, type Json } from "../core/lib/json.ts";
import type { JsonPath } from "../core/lib/json-path.ts";
import { listOf } from "../core/lib/list-of.ts";
import { type Ast, edges, id, keywordsOf } from "./graph.ts";

/**
 * The places of an entry's data that its schema marks: references to entries and files, and prose. A mark applies wherever
 * a subschema with it could apply to the place, whether or not the data is valid. Contract, part two, §9, §10.
 */
export type Mark = "entry" | "file" | "markdown" | "html";

/** A text that is marked, and where it is: the keys and indexes that lead to it. */
export type Marked = { readonly path: JsonPath; readonly mark: Mark; readonly value: string };

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

/** A keyword that applies subschemas to what a value holds: those for the value under one key, and all. */
type Holder<Key> = {
  at(value: never, key: Key): readonly string[];
  all(value: never): readonly string[];
};
type Holders<Key> = Readonly<Record<string, Holder<Key>>>;

const always = { at: (url: string) => [url], all: (url: string) => [url] };

/** Those for the members of an object, by name. */
export const ofMembers: Holders<string> = {
  [id("properties")]: {
    at: (urls: ReadonlyMap<string, string>, name) => listOf(urls.get(name)),
    all: (urls: ReadonlyMap<string, string>) => [...urls.values()],
  },
  [id("patternProperties")]: {
    at: (patterns: [NameTest, string][], name) => patterns.filter(([test]) => test(name)).map(([, url]) => url),
    all: (patterns: [NameTest, string][]) => patterns.map(([, url]) => url),
  },
  [id("additionalProperties")]: {
    at: ({ names, patterns, url }: { names: ReadonlySet<string>; patterns: NameTest[]; url: string }, name) =>
      names.has(name) || patterns.some((test) => test(name)) ? [] : [url],
    all: ({ url }: { url: string }) => [url],
  },
  [id("unevaluatedProperties")]: always,
};

/** Those for the items of a list, by index. */
export const ofItems: Holders<number> = {
  [id("prefixItems")]: {
    at: (urls: readonly string[], index) => listOf(urls[index]),
    all: (urls: readonly string[]) => urls,
  },
  [id("items")]: {
    at: ([prefix, url]: [number, string], index) => (index < prefix ? [] : [url]),
    all: ([, url]: [number, string]) => [url],
  },
  [id("contains")]: {
    at: ({ contains }: { contains: string }) => [contains],
    all: ({ contains }: { contains: string }) => [contains],
  },
  [id("unevaluatedItems")]: always,
};

/** What applies to one value: the marks of a text, and the keywords for what it holds. */
type Applied = {
  readonly marks: readonly Mark[];
  readonly keywords: readonly (readonly [id: string, value: unknown])[];
};

/** Values with the same subschemas are many in a long list. */
const maxKnown = 1000;

/** The marks of a schema. Parts that lead to none are not looked at. */
export class Marks {
  private readonly ast: Ast;
  private readonly root: string;
  /** The subschemas with a mark, and those that lead to one. */
  private readonly leading: ReadonlySet<string>;
  private readonly step: () => void;
  /** By the subschemas. */
  private readonly known = new Map<string, Applied>();

  /** `step` is called for each value and subschema that is looked at; what it throws ends a search. */
  constructor(ast: Ast, root: string, step: () => void) {
    this.ast = ast;
    this.root = root;
    this.step = step;
    this.leading = leadingToMarks(ast);
  }

  /** The marked places of a value, in its order. */
  of(value: Json): Marked[] {
    const found: Marked[] = [];
    this.walk(value, [this.root], [], found);
    return found;
  }

  /** Recursion is as deep as the data, whose depth is bounded. */
  private walk(value: Json, urls: readonly string[], path: JsonPath, found: Marked[]): void {
    this.step();
    const applied = this.applied(urls);
    if (!applied) return;
    if (typeof value === "string") {
      for (const mark of applied.marks) found.push({ path, mark, value });
    } else if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) this.walk(item, below(applied, ofItems, i), [...path, i], found);
    } else if (isJsonObject(value)) {
      for (const [name, member] of value) this.walk(member, below(applied, ofMembers, name), [...path, name], found);
    }
  }

  /** What these subschemas say, with all that apply to the same value; undefined when they lead to no mark. */
  private applied(urls: readonly string[]): Applied | undefined {
    const leading = urls.filter((url) => this.leading.has(url));
    if (leading.length === 0) return undefined;
    const key = leading.join("\n");
    const known = this.known.get(key) ?? this.reach(leading);
    if (this.known.size >= maxKnown) this.known.clear();
    this.known.set(key, known);
    return known;
  }

  private reach(urls: readonly string[]): Applied {
    const reached = new Set(urls);
    for (const url of reached) {
      this.step();
      for (const next of edges(this.ast, url)) if (this.leading.has(next)) reached.add(next);
    }
    const keywords = [...reached].flatMap((url) =>
      keywordsOf(this.ast, url).map(([keywordId, , value]) => [keywordId, value] as const),
    );
    const marks = new Set(keywords.flatMap(([keywordId, value]) => listOf(markOf(keywordId, value))));
    return { marks: [...marks], keywords: keywords.filter(([keywordId]) => holderOf(keywordId)) };
  }
}

const holderOf = (keywordId: string): Holder<never> | undefined => ofMembers[keywordId] ?? ofItems[keywordId];

function markOf(keywordId: string, value: unknown): Mark | undefined {
  if (keywordId === formatId) return byFormat.get(value);
  return keywordId === id("contentMediaType") ? byMediaType.get(value) : undefined;
}

const below = <Key>({ keywords }: Applied, holders: Holders<Key>, key: Key): string[] =>
  keywords.flatMap(([keywordId, value]) => holders[keywordId]?.at(value as never, key) ?? []);

function leadingToMarks(ast: Ast): Set<string> {
  const leading = new Set<string>();
  const holders = new Map<string, string[]>();
  for (const url of Object.keys(ast)) {
    for (const [keywordId, , value] of keywordsOf(ast, url)) {
      if (markOf(keywordId, value)) leading.add(url);
      for (const next of holderOf(keywordId)?.all(value as never) ?? []) note(holders, next, url);
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
