import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Path } from "../path.ts";
import type { Returns } from "./argument.ts";
import type { KnownValues } from "./candidate.ts";
import type { Filter } from "./filter.ts";
import type { Find } from "./find.ts";
import type { OptionalMember } from "./member.ts";
import type { SortKey } from "./order.ts";
import type { Projection } from "./projection.ts";

/** A collection read, validated. Plain data: it is passed to a store's thread. Contract §4, Collections. */
export type CollectionQuery = {
  /** The path whose descendants are the collection. */
  path: Path;
  filter: Filter;
  find: Find;
  order: SortKey[];
  returns: Returns;
  /** The number of random items; undefined for a single one, returned by itself. */
  randomCount: number | undefined;
  offset: number;
  limit: number;
  /** The client set the limit: then first, last, next, random and shuffle select within it, as in Flextype. */
  isLimited: boolean;
  groupBy: string | undefined;
  projection: Projection | undefined;
  /** Items are returned as an object by their path below `path`, not as a list. */
  isKeyed: boolean;
  wantsTotal: boolean;
  /** The answer says which paths its items have. */
  wantsPaths?: boolean;
  /** Fields whose references the answer lists; absent for none. */
  include?: readonly string[];
  /** Fields whose values are counted over all matches; absent for none. */
  facets?: readonly string[];
  /** What files have besides: see member.ts. */
  members?: readonly OptionalMember[];
  /** As sent; checked against the query when it runs. */
  cursor: string | undefined;
};

/** The client that requests a collection, and a signal that aborts when it disconnects. */
export type Asker = {
  client: string;
  signal: AbortSignal;
  /** Waits for memory for a large answer, before more is read than a few items. Throws busy. */
  makeRoom(): MaybePromise<void>;
};

/** What an answer waits for that is small, or whose memory was claimed already. */
export const noRoom = (): undefined => undefined;

/**
 * How candidates arrive: in any order; `ordered`: in the query's order; `reversed`: from the last to the first.
 */
export type Arrival = "any" | "ordered" | "reversed";

/** What the answer of a collection depends on besides its query. */
export type AnswerOptions = {
  /** How the candidates arrive. */
  arrival: Arrival;
  /** Items of the offset that the store has skipped already: in the query's order, none of them a candidate. */
  skipped?: number;
  /** How many items match in all, where the store knows; then a count needs no candidates. */
  total?: number;
  /** True when all candidates match and none is before the cursor: the store has tested them. */
  isExact?: boolean;
  /** The sort values of a candidate, where the store knows them. */
  valuesOf?: KnownValues;
  /** The size limit of a page, in bytes of JSON. */
  pageBytes: number;
  regexpBudgetMs: number;
  /** Numbers from 0 up to but not including 1. */
  random: () => number;
  nowSeconds: number;
};
