import { formatJson } from "../lib/json.ts";
import { joinLong, type LongText, LongTextWriter } from "../lib/long-text.ts";
import { problem } from "../problem.ts";
import { type Candidate, jsonBytesOf } from "./candidate.ts";
import { type Cursor, formatCursor } from "./cursor.ts";
import { leadsOf, referencesOf } from "./include.ts";
import { withMembers } from "./member.ts";
import { compareRanks, type Rank } from "./order.ts";
import { bytesOf, type Held, Page, Sample, shuffled, Undecided, type Window, withinBytes } from "./page.ts";
import { projectObject } from "./projection.ts";
import type { AnswerOptions, CollectionQuery } from "./query.ts";
import { textOf, valueAt } from "./value.ts";

/** The forms of a collection's answer, one for each value of `return`. Contract §4, Return. */

/** Collects the matches one by one, and returns the answer once all were read or it is done. */
export type Collector = {
  add(candidate: Candidate): void;
  /** No further match can change the answer. */
  isDone(): boolean;
  answer(): Answered;
};

/** `items` are those in `json`, in its order. */
type Answered = { json: LongText; next: string | undefined; items: readonly Held[] };
/** The items of a form of the answer, and the form. */
type Formed = Omit<Answered, "next">;

/** `binding` is that of its cursors: a hash, so it is called only for one. */
type Options = AnswerOptions & { after: Cursor | undefined; binding(): string };

/** How many pages may be held while sorting with an offset, or while selecting at random. */
const heldPages = 32;
const maxDrawnBytes = 64 * 1024 * 1024;

/** The collector for the query's `return`. */
export function collectorFor(query: CollectionQuery, options: Options): Collector {
  switch (query.returns) {
    case "list":
      // A path says where a page starts; other values may be cut in the cursor, and then the store does not test exactly.
      return isInOrder(options) && (query.order.length === 0 || options.isExact) && query.groupBy === undefined
        ? streamCollector(query, options)
        : listCollector(query, options);
    case "first":
      return windowCollector({ ...query, limit: Math.min(query.limit, 1) }, options, (items) => one(items[0]));
    case "next":
      return windowCollector({ ...query, limit: Math.min(query.limit, 2) }, options, (items) => one(items[1]));
    case "last":
      if (query.isLimited) return windowCollector(query, options, (items) => one(items.at(-1)));
      return lastCollector(query, options);
    case "random":
      return chanceCollector(query, query.randomCount ?? 1, options, (items) =>
        query.randomCount === undefined ? one(items[0]) : many(query, drawn(items, options)),
      );
    case "shuffle":
      return chanceCollector(query, query.limit, options, (items) =>
        many(query, withinBytes(items, options.pageBytes)),
      );
    case "exists":
      return countCollector((count) => String(count > 0), 1);
    case "count":
      return countCollector(String, Number.POSITIVE_INFINITY, options.total);
  }
}

const one = (held: Held | undefined): Formed => ({ json: held?.json ?? "null", items: held ? [held] : [] });

/** All the items in the collection's own form. */
function many({ isKeyed, path }: CollectionQuery, items: readonly Held[]): Formed {
  if (!isKeyed) return { json: joinLong(list(items)), items };
  const below = path === "" ? 0 : path.length + 1;
  return { json: joinLong(object(items.map((held) => [held.path.slice(below), [held.json]]))), items };
}

// In parts: a long answer is never in memory as one string.
function* list(items: readonly Held[]): Iterable<string> {
  yield "[";
  for (const [i, { json }] of items.entries()) {
    if (i > 0) yield ",";
    yield json;
  }
  yield "]";
}

function* object(members: readonly [key: string, value: Iterable<string>][]): Iterable<string> {
  yield "{";
  for (const [i, [key, value]] of members.entries()) {
    yield `${i > 0 ? "," : ""}${JSON.stringify(key)}:`;
    yield* value;
  }
  yield "}";
}

function countCollector(format: (count: number) => string, enough: number, known = 0): Collector {
  let count = known;
  return {
    add: () => {
      count++;
    },
    isDone: () => count >= enough,
    answer: () => ({ json: format(count), next: undefined, items: [] }),
  };
}

/** True when matches arrive in the order of the answer. */
const isInOrder = ({ arrival }: Options): boolean => arrival === "ordered";

/** A page of a stream: each item is written when it arrives, so that a long page is held as UTF-8 only. */
function streamCollector(query: CollectionQuery, options: Options): Collector {
  const { after, binding, pageBytes, skipped = 0 } = options;
  const { order, path, limit, isKeyed, include, wantsPaths } = query;
  const text = new LongTextWriter();
  const below = path === "" ? 0 : path.length + 1;
  let toSkip = after ? 0 : query.offset - skipped;
  let [count, bytes] = [0, 0];
  /** Those with references or whose paths are wanted, and as many as show which keys of the order have a value. */
  const told: Held[] = [];
  const isTold = () =>
    include === undefined && !wantsPaths && order.every((_, i) => told.some(({ values }) => values[i]));
  let last: Candidate | undefined;
  let hasMore = false;
  text.add(isKeyed ? "{" : "[");
  const take = (candidate: Candidate): void => {
    const form = formOf(query, candidate);
    bytes += bytesOf(form);
    // The first item is never too large.
    hasMore = count === limit || (bytes > pageBytes && count > 0);
    if (hasMore) return;
    if (count++ > 0) text.add(",");
    if (isKeyed) text.add(`${JSON.stringify(candidate.item.path.slice(below))}:`);
    text.add(form.json);
    last = candidate;
    if (!isTold()) told.push({ ...candidate.rank(order), ...form, json: "" });
  };
  return {
    add: (candidate) => {
      const isBefore = after && (after.compare(candidate.rank(order)) ?? 0) <= 0;
      if (hasMore || isBefore || toSkip-- > 0) return;
      take(candidate);
    },
    isDone: () => hasMore || limit === 0,
    answer: () => {
      text.add(isKeyed ? "}" : "]");
      const next = hasMore && last ? formatCursor(binding(), last.rank(order)) : undefined;
      return { json: text.end(), next, items: told };
    },
  };
}

/** A page, with a cursor for the next. */
function listCollector(query: CollectionQuery, options: Options): Collector {
  if (query.groupBy !== undefined) return groupCollector(query, options);
  const ranked = rankedPage(query, options, options.pageBytes);
  return {
    ...ranked,
    answer: () => {
      const items = ranked.items();
      const last = items.at(-1);
      return {
        ...many(query, items),
        next: ranked.hasMore() && last ? formatCursor(options.binding(), last) : undefined,
      };
    },
  };
}

/** The groups of all matches, which must fit on one page: part of a group would look complete. */
function groupCollector(query: CollectionQuery, options: Options): Collector {
  const ranked = rankedPage(query, options, options.pageBytes);
  return {
    ...ranked,
    isDone: () => ranked.isDone() || ranked.hasMore(),
    answer: () => {
      const items = ranked.items();
      if (query.limit > 0 && ranked.hasMore()) throw tooManyToGroup();
      return { json: grouped(items), next: undefined, items };
    },
  };
}

const tooManyToGroup = () =>
  problem("filter_too_complex", {
    rule: 'what "filter[group_by]" groups must fit on one page; narrow the filter, name fewer fields in "filter[only]", or raise "filter[limit]"',
  });

/** A selection within offset and limit, which the byte limit may not truncate. */
function windowCollector(query: CollectionQuery, options: Options, format: (items: Held[]) => Formed): Collector {
  const ranked = rankedPage(query, options, Number.POSITIVE_INFINITY);
  return { ...ranked, answer: () => ({ ...format(ranked.items()), next: undefined }) };
}

/** The last of all: the first of the reverse order, if there are more items than the offset. */
function lastCollector(query: CollectionQuery, options: Options): Collector {
  const compare = compareRanks(query.order);
  const page = new Page((a, b) => compare(b, a), { ...windowOf(query, options), offset: 0, limit: 1 });
  let count = 0;
  return {
    add: (candidate) => {
      count++;
      const rank = candidate.rank(query.order);
      page.add(rank, () => hold(query, candidate));
    },
    // Reversed, the first match is the last item, unless the offset excludes it.
    isDone: () => options.arrival === "reversed" && count > query.offset,
    answer: () => ({ ...one(count > query.offset ? page.items()[0] : undefined), next: undefined }),
  };
}

/**
 * A random selection, in random order: within offset and limit when the client set a limit, otherwise from all after
 * the offset.
 */
function chanceCollector(
  query: CollectionQuery,
  size: number,
  options: Options,
  format: (items: Held[]) => Formed,
): Collector {
  const choose = (items: readonly Held[]) => format(shuffled(items, options.random).slice(0, size));
  if (query.isLimited) return windowCollector(query, options, choose);
  const { offset } = query;
  const window = windowOf(query, options);
  const first = new Page(compareRanks(query.order), { ...window, offset: 0, limit: offset });
  // Of `size + offset` drawn from all at most `offset` are before the offset. The rest is still a uniform draw.
  const sample = new Sample(size + offset, window.heldBytes, options.random);
  return {
    add: (candidate) => {
      const rank = candidate.rank(query.order);
      if (offset > 0) first.add(rank, () => ({ ...rank, json: "", jsonBytes: 0, group: "" }));
      sample.add(() => hold(query, candidate));
    },
    isDone: () => size === 0,
    answer: () => {
      const left = new Set(offset > 0 ? first.items().map(({ path }) => path) : []);
      return { ...choose(sample.items().filter(({ path }) => !left.has(path))), next: undefined };
    },
  };
}

/** All items of a random sample, also beyond the bytes of a page. Throws filter_too_complex above maxDrawnBytes. */
function drawn(items: readonly Held[], { pageBytes }: Options): readonly Held[] {
  if (withinBytes(items, Math.max(maxDrawnBytes, pageBytes)).length < items.length) {
    throw problem("filter_too_complex", {
      rule: 'so many at random are too large for one answer; lower "filter[random_value]", or name fewer fields in "filter[only]"',
    });
  }
  return items;
}

const windowOf = ({ offset, limit }: CollectionQuery, { pageBytes }: Options): Window => ({
  offset,
  limit,
  pageBytes,
  heldBytes: heldPages * pageBytes,
});

/** The page for the query's order, offset, limit and cursor. */
function rankedPage(query: CollectionQuery, options: Options, pageBytes: number) {
  const isSorted = isInOrder(options);
  const { after } = options;
  // A cursor includes the offset already. In a sorted stream the offset is counted, not held.
  let toSkip = after ? 0 : query.offset - (options.skipped ?? 0);
  const window = { ...windowOf(query, options), pageBytes, offset: isSorted ? 0 : toSkip };
  const page = new Page(compareRanks(query.order), window, isSorted);
  const undecided = new Undecided(window.heldBytes);
  return {
    add: (candidate: Candidate): void => {
      const rank = candidate.rank(query.order);
      const place = after ? after.compare(rank) : 1;
      if (place === undefined) undecided.add(hold(query, candidate));
      if (place === undefined || place <= 0) return;
      if (isSorted && toSkip-- > 0) return;
      page.add(rank, () => hold(query, candidate));
    },
    isDone: () => query.limit === 0 || (isSorted && page.hasMore),
    items: () => {
      for (const held of undecided.decide(after)) page.add(held, () => held);
      return page.items();
    },
    hasMore: () => page.hasMore,
  };
}

const hold = (query: CollectionQuery, candidate: Candidate): Held => ({
  ...candidate.rank(query.order),
  ...formOf(query, candidate),
});

/**
 * An item as it will be returned. Without a projection that is its own text, without parsing or formatting it again.
 */
function formOf(query: CollectionQuery, { item, object }: Candidate): Omit<Held, keyof Rank> {
  const { projection, groupBy, include } = query;
  const projected = query.members
    ? withMembers(item, query.members, object, projection)
    : projection && formatJson(projectObject(object(), projection));
  return {
    json: projected ?? item.json,
    jsonBytes: projected === undefined ? jsonBytesOf(item) : Buffer.byteLength(projected),
    group: groupBy === undefined ? "" : groupOf(object(), groupBy),
    ...(include && { references: referencesOf(object(), include), leads: leadsOf(object(), include) }),
  };
}

function groupOf(object: ReturnType<Candidate["object"]>, key: string): string {
  const value = valueAt(object, key);
  return typeof value === "boolean" ? String(value) : (textOf(value) ?? "");
}

/** An object of lists, groups in the order of their first item. Items without a text to group by are under "". */
function grouped(items: readonly Held[]): LongText {
  const groups = [...Map.groupBy(items, (held) => held.group)];
  return joinLong(object(groups.map(([group, members]) => [group, list(members)])));
}
