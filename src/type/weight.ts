import { Memo } from "../core/lib/memo.ts";
import { type Ast, edges, id, keywordsOf } from "./graph.ts";
import { ofItems, ofMembers } from "./mark.ts";
import { searchKeyword } from "./walk.ts";

/** What the texts of an entry weigh in a search, by its type. Contract §25, What is searched, Order. */

/** The weight of the texts under a key: dotted names, without places of lists (`author.name`, `tags`). 0: not searched. */
export type WeightOf = (key: string) => number;

/** The heaviest that a type may make a text. */
export const maxWeight = 10;

/** Of texts that no type weighs. */
export const usualWeight: WeightOf = (key) => (key === "title" ? 4 : 1);

/** Formats of texts that say where something is or when, not what it is about. */
const unsearched: ReadonlySet<unknown> = new Set(
  (
    "entry file date date-time time duration uri uri-reference iri iri-reference email idn-email hostname " +
    "idn-hostname ipv4 ipv6"
  ).split(" "),
);

const formatId = id("draft-2020-12/format");
const weightId = id(`unknown#${searchKeyword}`);

const isWeight = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxWeight;

/** Dictionaries in the data have many keys. */
const maxKnown = 1000;

/** The subschemas for the values of a key, and the weights that the nearest place above or on it has. */
type Place = { readonly urls: readonly string[]; readonly weights: readonly number[] };

/**
 * The weights of a schema. One holds for all below its place that has none of its own, and wherever a subschema with it could
 * apply, whether or not the data is valid: of several 0 holds, else the heaviest. A text of a format of addresses or times is
 * not searched, whatever it weighs.
 */
export class SearchWeights {
  /** The first place of this schema with another value: a JSON pointer. */
  readonly fault: string | undefined;
  private readonly ast: Ast;
  private readonly root: string;
  private readonly known = new Memo<string, number>(maxKnown);

  constructor(ast: Ast, root: string) {
    this.ast = ast;
    this.root = root;
    this.fault = faultIn(ast, root);
  }

  of(key: string): number {
    return this.known.get(key, () => this.find(key));
  }

  private find(key: string): number {
    // By where the rest of the key begins. A property may have dots in its name, so several ways may lead there.
    const places = new Map<number, Place>([[0, { urls: [this.root], weights: [] }]]);
    const end = key.length + 1;
    for (let at = 0; at < end; at = nextOf(key, at)) {
      const place = places.get(at);
      if (!place) continue;
      const { weights, keywords } = this.reach(place);
      const next = nextOf(key, at);
      const add = (to: number, urls: readonly string[]) => places.set(to, both(places.get(to), { urls, weights }));
      const name = key.slice(at, next - 1);
      const urls = keywords.flatMap(([keywordId, value]) => ofMembers[keywordId]?.at(value as never, name) ?? []);
      if (urls.length > 0 || weights.length > 0) add(next, urls);
      for (const [dotted, url] of keywords.flatMap(dottedIn)) {
        const to = at + dotted.length + 1;
        if (key.startsWith(dotted, at) && (to === end || key[to - 1] === ".")) add(to, [url]);
      }
    }
    const { weights, keywords } = this.reach(places.get(end) ?? { urls: [], weights: [] });
    if (keywords.some(([keywordId, value]) => keywordId === formatId && unsearched.has(value))) return 0;
    if (weights.length === 0) return usualWeight(key);
    return weights.includes(0) ? 0 : Math.max(...weights);
  }

  /** All that applies to the values of a place, or to the items of its lists. */
  private reach({ urls, weights }: Place): { weights: readonly number[]; keywords: Keyword[] } {
    const reached = new Set(urls);
    const keywords: Keyword[] = [];
    const own: number[] = [];
    for (const url of reached) {
      for (const next of edges(this.ast, url)) reached.add(next);
      for (const [keywordId, , value] of keywordsOf(this.ast, url)) {
        keywords.push([keywordId, value]);
        for (const next of ofItems[keywordId]?.all(value as never) ?? []) reached.add(next);
        const weight = keywordId === weightId ? (value as [string, unknown])[1] : undefined;
        if (isWeight(weight)) own.push(weight);
      }
    }
    return { weights: own.length > 0 ? own : weights, keywords };
  }
}

type Keyword = readonly [id: string, value: unknown];

/** Where the name after this one begins; past the end of the key after the last. */
function nextOf(key: string, at: number): number {
  const dot = key.indexOf(".", at);
  return (dot < 0 ? key.length : dot) + 1;
}

/** The properties with a dot in their names. */
const dottedIn = ([keywordId, value]: Keyword): [name: string, url: string][] =>
  keywordId === id("properties") ? [...(value as Map<string, string>)].filter(([name]) => name.includes(".")) : [];

const both = (one: Place | undefined, other: Place): Place =>
  one ? { urls: joined(one.urls, other.urls), weights: joined(one.weights, other.weights) } : other;
const joined = <T>(one: readonly T[], other: readonly T[]): T[] => [...new Set([...one, ...other])];

function faultIn(ast: Ast, root: string): string | undefined {
  const document = `${root.split("#")[0]}#`;
  for (const url of Object.keys(ast))
    for (const [keywordId, keywordUrl, value] of keywordsOf(ast, url)) {
      const isFault = keywordId === weightId && !isWeight((value as [string, unknown])[1]);
      if (isFault && keywordUrl.startsWith(document)) return decodeURIComponent(keywordUrl.slice(document.length));
    }
  return undefined;
}
