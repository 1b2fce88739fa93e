import { type JsonObject, parseJson } from "../lib/json.ts";
import { compileFilter, type Filter } from "./filter.ts";
import { compileFacts, compileTexts, type Find } from "./find.ts";
import type { MatchContext } from "./match.ts";
import type { Path } from "./path.ts";
import { maxObjectDepth } from "./projection.ts";

/** One thing that may stand in a collection: an entry or a file. Times are Unix seconds. */
export type CollectionItem = {
  path: Path;
  /** The whole object's JSON text, as it is answered. */
  json: string;
  modifiedAt: number;
  createdAt: number;
  /** Bytes of the client's data. */
  size: number;
  /** The top-level keys of the service, which a search does not read. */
  serviceKeys: ReadonlySet<string>;
  /** The object, kept here by who looked into it first: an item may stand in many collections. Never changed. */
  parsed?: JsonObject;
};

/** An item on its way through a collection's questions; parsed at most once, and only when one looks into it. */
export class Candidate {
  readonly item: CollectionItem;

  constructor(item: CollectionItem) {
    this.item = item;
  }

  readonly object = (): JsonObject => {
    this.item.parsed ??= parseJson(this.item.json, maxObjectDepth) as JsonObject;
    return this.item.parsed;
  };
}

/** What decides whether an item is in a collection. */
export type Membership = { path: Path; filter: Filter; find: Find };

/** The test of being in the collection, the cheap questions first. It throws filter_too_costly. */
export function compileMembership(query: Membership, context: MatchContext): (candidate: Candidate) => boolean {
  const { path, filter, find } = query;
  const hasFacts = compileFacts(find, path, context);
  const hasTexts = compileTexts(find, context.budget);
  const passes = filter.all.length + filter.any.length > 0 ? compileFilter(filter, context) : undefined;
  return (candidate) =>
    hasFacts(candidate.item) &&
    (!passes || passes(candidate.object())) &&
    (!hasTexts || hasTexts(candidate.object(), candidate.item.serviceKeys));
}
