import { compareText, isPath, type Slug } from "../core/path.ts";
import { problem } from "../core/problem.ts";

/** Patterns of entry ids: `*` is one segment, `**` any number of them, also none. Contract, part two, §9. */

/** A pattern, and what decides between two that match one id. */
export type Pattern = { readonly segments: readonly string[]; readonly literals: number; readonly anywhere: number };

const any = "*";
const anyNumber = "**";
const isWild = (segment: string): boolean => segment === any || segment === anyNumber;

/** Throws argument_invalid. */
export function parsePattern(text: string): Pattern {
  const segments = text.split("/");
  const literals = segments.filter((segment) => !isWild(segment));
  if (!isPath(text) || text === "" || literals.some((segment) => segment.includes("*"))) {
    const accepted = "an entry id whose segments may be * (any one) or ** (any number)";
    throw problem("argument_invalid", { argument: "paths", received: text, accepted });
  }
  const anywhere = segments.filter((segment) => segment === anyNumber).length;
  return { segments, literals: literals.length, anywhere };
}

/** True when the pattern matches the segments of an id. After a `**` the first fit is taken: linear for each `**`. */
export function matches({ segments }: Pattern, id: readonly string[]): boolean {
  let [at, place] = [0, 0];
  let [afterWild, retryFrom] = [-1, 0];
  while (place < id.length) {
    const segment = segments[at];
    if (segment === anyNumber) {
      afterWild = ++at;
      retryFrom = place;
    } else if (segment !== undefined && (segment === any || segment === id[place])) {
      at++;
      place++;
    } else if (afterWild >= 0) {
      at = afterWild;
      place = ++retryFrom;
    } else return false;
  }
  return segments.slice(at).every((segment) => segment === anyNumber);
}

/** The most specific first: more literal segments, then fewer `**`. */
const compareSpecificity = (a: Pattern, b: Pattern): number => b.literals - a.literals || a.anywhere - b.anywhere;

/** True where neither pattern is more specific. */
export const isTie = (one: string, other: string): boolean =>
  compareSpecificity(parsePattern(one), parsePattern(other)) === 0;

type Owned = { readonly id: string; readonly pattern: Pattern };

/** Which type an id has by its path, for many types: looked up by the first segment. */
export class TypePaths {
  private readonly byFirst = new Map<string, Owned[]>();
  private readonly patterns = new Map<string, readonly Pattern[]>();

  constructor(types: Iterable<{ readonly id: string; readonly paths: readonly string[] }>) {
    const all: Owned[] = [];
    for (const { id, paths } of types) {
      const parsed = paths.map(parsePattern);
      this.patterns.set(id, parsed);
      all.push(...parsed.map((pattern) => ({ id, pattern })));
    }
    all.sort((a, b) => compareSpecificity(a.pattern, b.pattern) || compareText(a.id, b.id));
    for (const owned of all) {
      const [first = ""] = owned.pattern.segments;
      const key = isWild(first) ? any : first;
      const list = this.byFirst.get(key);
      if (list) list.push(owned);
      else this.byFirst.set(key, [owned]);
    }
  }

  /**
   * The id of the entry's type: the one that its `fieldset` names, if that has no paths or one that matches; otherwise the
   * one with the most specific pattern.
   */
  typeOf(slug: Slug, fieldset: unknown): string | undefined {
    const id = slug.split("/");
    const own = typeof fieldset === "string" ? this.patterns.get(fieldset) : undefined;
    if (own && (own.length === 0 || own.some((pattern) => matches(pattern, id)))) return fieldset as string;
    const literal = this.first(id[0] as string, id);
    const wild = this.first(any, id);
    if (!literal || !wild) return (literal ?? wild)?.id;
    const order = compareSpecificity(literal.pattern, wild.pattern) || compareText(literal.id, wild.id);
    return order <= 0 ? literal.id : wild.id;
  }

  private first(key: string, id: readonly string[]): Owned | undefined {
    return this.byFirst.get(key)?.find(({ pattern }) => matches(pattern, id));
  }
}
