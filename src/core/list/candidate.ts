import { parseCanonical } from "../lib/canonical-json.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Path } from "../path.ts";
import { compileFilter, type Filter } from "./filter.ts";
import { compileFacts, compileTexts, type Find } from "./find.ts";
import type { MatchContext } from "./match.ts";
import type { MemberTexts } from "./member.ts";
import { type Rank, type SortKey, type SortValue, sortValues } from "./order.ts";
import { maxObjectDepth } from "./projection.ts";

/** One possible item of a collection: an entry or a file. Times are Unix seconds. */
export type CollectionItem = {
  path: Path;
  /** The whole object's JSON text, as it is returned. */
  json: string;
  modifiedAt: number;
  createdAt: number;
  /** The size of the client's data in bytes. */
  size: number;
  /** The service's top-level keys, which a search does not read. */
  serviceKeys: ReadonlySet<string>;
  /** Further texts, which a search reads. */
  texts?: readonly string[];
  /** Of a file: see member.ts. */
  members?: MemberTexts;
  // What is derived from `json`, kept here by its first reader: an item may be in many collections.
  parsed?: JsonObject;
  jsonBytes?: number;
};

/** The item's object. Never changed. */
export function objectOf(item: CollectionItem): JsonObject {
  item.parsed ??= parseCanonical(item.json, maxObjectDepth) as JsonObject;
  return item.parsed;
}

/** The bytes of the item's text. */
export function jsonBytesOf(item: CollectionItem): number {
  item.jsonBytes ??= Buffer.byteLength(item.json);
  return item.jsonBytes;
}

/** The sort values of an item; undefined where they are not known. */
export type KnownValues = (item: CollectionItem) => readonly SortValue[] | undefined;

/** An item while a collection tests it; parsed at most once, and only when a test reads its contents. */
export class Candidate {
  readonly item: CollectionItem;
  private readonly valuesOf: KnownValues;
  private known: Rank | undefined;

  /** `valuesOf` answers its sort values, where they are known. */
  constructor(item: CollectionItem, valuesOf: KnownValues = () => undefined) {
    this.item = item;
    this.valuesOf = valuesOf;
  }

  readonly object = (): JsonObject => objectOf(this.item);

  /** Its sort position; `order` is the same for every call. */
  rank(order: readonly SortKey[]): Rank {
    const { item } = this;
    this.known ??= { path: item.path, values: this.valuesOf(item) ?? sortValues(order, item, this.object) };
    return this.known;
  }
}

/** What decides whether an item is in a collection. */
export type Membership = { path: Path; filter: Filter; find: Find };

/** The membership test, cheap conditions first. The test throws filter_too_costly. */
export function compileMembership(query: Membership, context: MatchContext): (candidate: Candidate) => boolean {
  const { path, filter, find } = query;
  const hasFacts = compileFacts(find, path, context);
  const hasTexts = compileTexts(find, context.budget);
  const passes = filter.all.length + filter.any.length > 0 ? compileFilter(filter, context) : undefined;
  return (candidate) =>
    hasFacts(candidate.item) &&
    (!passes || passes(candidate.object())) &&
    (!hasTexts || hasTexts(candidate.object(), candidate.item));
}
