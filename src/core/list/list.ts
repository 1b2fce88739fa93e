import type { JsonObject } from "../lib/json.ts";
import type { LongText } from "../lib/long-text.ts";
import { compareText, type Path } from "../path.ts";
import {
  argumentName,
  type CollectionBounds,
  filterInvalid,
  limitNames,
  offsetNames,
  readCountOf,
  readCursor,
  readFlag,
  readLimit,
  readRandomCount,
  readReturns,
  readText,
} from "./argument.ts";
import { Candidate, type CollectionItem, compileMembership } from "./candidate.ts";
import { Cursor, cursorBinding } from "./cursor.ts";
import { Facets, parseFacets } from "./facet.ts";
import { parseConditions } from "./filter.ts";
import { depthBounds, hasFindPattern, parseFind } from "./find.ts";
import { conditionKeys } from "./foreign.ts";
import type { Reference } from "./include.ts";
import { parseOrder, type SortValue } from "./order.ts";
import type { Held } from "./page.ts";
import { parseProjection } from "./projection.ts";
import type { AnswerOptions, CollectionQuery } from "./query.ts";
import { PatternCheck, TimeBudget } from "./regexp.ts";
import { collectorFor } from "./shape.ts";

/**
 * The room of lists: what a query asks (query.ts, argument.ts), which items match (filter.ts, match.ts, find.ts), in which
 * order they are (order.ts, order-key.ts), where a page starts (cursor.ts), and what the answer looks like (page.ts,
 * projection.ts, shape.ts). Stores narrow; what is said here is right. Contract §4, Collections.
 */

export { type CollectionBounds, limitNames, type Returns } from "./argument.ts";
export type { CollectionItem } from "./candidate.ts";
export { type Projection, parseProjection, project } from "./projection.ts";
export type { AnswerOptions, Arrival, CollectionQuery } from "./query.ts";

/** `json` is the text of `data`; `next` the cursor of the next page; `total` only when it was requested. */
export type CollectionAnswer = {
  json: LongText;
  next: string | undefined;
  total: number | undefined;
  /** What the query's `include` fields of each item in `json` refer to. */
  references?: readonly (readonly Reference[])[];
  /** Those of the items in `json`, where the query wants them. */
  paths?: readonly Path[];
  /** More members beside `data`: names and values, JSON texts. */
  beside?: string;
  /** What is included, as JSON text. */
  included?: LongText;
  /** Absent where the items in `json` have all that the query names. */
  absent?: AbsentFields;
  /** How the store read it, in a few words of ASCII. */
  plan?: string;
  /** True where the store met nothing that the caller sees: the path may not exist. */
  isEmpty?: boolean;
};

/** The fields of the order of which no item in the answer has a value, and those of `include` that none has. */
export type AbsentFields = { order: readonly string[]; include: readonly string[] };

/** Names of arguments. A group, or a list of groups, maps to the names of its keys, any other argument to no names. */
export type Names = ReadonlyMap<string, Names>;

const named = (names: readonly string[], within: Names = new Map()): [string, Names][] =>
  names.map((name) => [name, within]);

export const conditionNames: Names = new Map(named(conditionKeys));

/** Every argument that parseCollection reads. */
export const argumentNames: Names = new Map([
  ...named(["where", "and_where", "or_where"], conditionNames),
  ...named(["order_by", "sort_by"], new Map(named(["field", "key", "direction"]))),
  ...named([...limitNames, ...offsetNames]),
  ...named(["return", "random_value", "random", "group_by", "only", "except", "total", "facets", "cursor"]),
  ...named(["depth", "recursive", "date", "size", "exclude", "contains", "not_contains", "path", "search"]),
]);

/**
 * Parses the arguments of a collection, in any form. Unknown ones are ignored here and reported by core/http/ignored.ts.
 * Throws filter_invalid, filter_too_complex, filter_too_costly, limit_too_large, argument_conflict. Contract §4,
 * Collections; compatibility, Collections.
 */
export function parseCollection(path: Path, args: JsonObject, bounds: CollectionBounds): CollectionQuery {
  const patterns = new PatternCheck();
  const facets = parseFacets(args.get("facets"), (value, accepted) =>
    filterInvalid(argumentName("facets"), value, accepted),
  );
  return {
    path,
    filter: parseConditions(args, patterns, bounds.times),
    find: parseFind(args, patterns),
    order: parseOrder(args),
    returns: readReturns(args),
    randomCount: readRandomCount(args, bounds),
    offset: readCountOf(args, offsetNames)?.count ?? 0,
    ...readLimit(args, bounds),
    groupBy: readText(args, "group_by"),
    projection: parseProjection(args),
    isKeyed: bounds.isKeyed ?? false,
    wantsTotal: readFlag(args, "total"),
    ...(facets.length > 0 && { facets }),
    cursor: readCursor(args),
  };
}

/** True for a query with a regular expression, which can use up its whole time budget even on few items. */
export const hasPattern = ({ filter, find }: CollectionQuery): boolean =>
  hasFindPattern(find) ||
  [...filter.all, ...filter.any].some(({ operator }) => operator === "regexp" || operator === "nregexp");

/** The least and greatest depth below the path that can match; the greatest may be Infinity. None when min > max. */
export function depthRange(query: CollectionQuery): { min: number; max: number } {
  return depthBounds(query.find);
}

/**
 * The item after which the page starts, by its path and its sort values; without these where the cursor does not have them
 * whole. Undefined for the first page. Throws cursor_invalid.
 */
export function pageStart(
  query: CollectionQuery,
  scope: string,
): { path: Path; values: readonly SortValue[] | undefined } | undefined {
  const after = readAfter(query, scope);
  return after && { path: after.path, values: after.values };
}

/**
 * Answers a collection from its candidates: batches of a superset of the matches, each item once, nothing that the
 * caller may not read. `scope` identifies what the caller may read (the cursor is bound to it). Stops reading when the
 * answer is known. Throws cursor_invalid, filter_too_costly, filter_too_complex (too much to hold at once). Contract
 * §4.
 */
export async function answerCollection(
  query: CollectionQuery,
  scope: string,
  candidates: Iterable<CollectionItem[]> | AsyncIterable<CollectionItem[]>,
  options: AnswerOptions,
): Promise<CollectionAnswer> {
  const after = readAfter(query, scope);
  const collector = collectorFor(query, { after, binding: () => bindingOf(query, scope), ...options });
  const context = { budget: new TimeBudget(options.regexpBudgetMs), nowSeconds: options.nowSeconds };
  const isMatch = options.isExact ? () => true : compileMembership(query, context);
  const facets = query.facets && new Facets(query.facets);
  const mustReadAll = facets !== undefined || (query.wantsTotal && options.total === undefined);
  // The path alone shows whether an earlier page had the item: its data need not be read.
  const start = query.order.length === 0 && !mustReadAll ? after?.path : undefined;
  const isNew = ({ item }: Candidate): boolean => start === undefined || compareText(item.path, start) > 0;
  let total = 0;
  const isLast = (candidate: Candidate): boolean => {
    total++;
    facets?.add(candidate.object());
    collector.add(candidate);
    return collector.isDone() && !mustReadAll;
  };
  const matches = (candidate: Candidate) => isNew(candidate) && isMatch(candidate);
  for await (const items of candidates) {
    const isEnd = items.some((item) => {
      const candidate = new Candidate(item, options.valuesOf);
      return matches(candidate) && isLast(candidate);
    });
    if (isEnd) break;
  }
  const { json, next, items } = collector.answer();
  const references = query.include && items.map((item) => item.references ?? []);
  const absent = absentIn(query, items);
  return {
    json,
    next,
    total: query.wantsTotal ? (options.total ?? total) : undefined,
    ...(references && { references }),
    ...(query.wantsPaths && { paths: items.map(({ path }) => path) }),
    ...(absent && { absent }),
    ...(facets && { beside: `"facets":${facets.toJson()}` }),
  };
}

function absentIn({ order, include = [] }: CollectionQuery, items: readonly Held[]): AbsentFields | undefined {
  if (order.length + include.length === 0) return undefined;
  const lacking = order.filter(({ source }, i) => source === "field" && items.every(({ values }) => !values[i]));
  const left = include.filter((_, i) => items.every(({ leads }) => !leads?.[i]));
  return lacking.length + left.length > 0 ? { order: lacking.map(({ key }) => key), include: left } : undefined;
}

/** The cursor's binding: everything that decides which items there are and in which order. */
function bindingOf({ path, filter, find, order }: CollectionQuery, scope: string): string {
  return cursorBinding(scope, path, filter, find, order);
}

/** The item after which the page starts; only a list has pages. */
function readAfter(query: CollectionQuery, scope: string): Cursor | undefined {
  if (query.cursor === undefined || query.returns !== "list") return undefined;
  return new Cursor(query.cursor, bindingOf(query, scope), query.order);
}
