import type { Filter } from "./filter.ts";
import type { Find } from "./find.ts";
import type { SortKey } from "./order.ts";
import type { Path } from "./path.ts";
import type { Projection } from "./projection.ts";

/** What is answered: a list in order, one of its ends, some of it by chance, or only a number or a yes. */
export type Returns = "list" | "first" | "last" | "next" | "random" | "shuffle" | "exists" | "count";

/** A collection read, checked. Plain data: it crosses to a store's thread. Contract §4, Collections. */
export type CollectionQuery = {
  /** What the collection lies below. */
  path: Path;
  filter: Filter;
  find: Find;
  order: SortKey[];
  returns: Returns;
  /** How many at random; undefined for one, answered by itself. */
  randomCount: number | undefined;
  offset: number;
  limit: number;
  /** The client named the limit: then first, last, next, random and shuffle choose within it, as in the original. */
  isLimited: boolean;
  groupBy: string | undefined;
  projection: Projection | undefined;
  /** Items are answered as an object by their path below `path`, not as a list. */
  isKeyed: boolean;
  wantsTotal: boolean;
  /** As sent; checked against the query when it is answered. */
  cursor: string | undefined;
};

/** What the answer of a collection depends on beside its query. */
export type AnswerOptions = {
  /** The candidates come in path order. */
  sorted: boolean;
  /** Where a page ends, in bytes of JSON. */
  pageBytes: number;
  regexpBudgetMs: number;
  /** Numbers from 0 up to but not including 1. */
  random: () => number;
  nowSeconds: number;
};
