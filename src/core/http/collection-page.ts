import { hash } from "node:crypto";
import { type Access, seesEveryWrite, sightOf } from "../access/access.ts";
import { byteLengthOf, type LongText } from "../lib/long-text.ts";
import { after, type MaybePromise } from "../lib/maybe-promise.ts";
import { maxIncludedBytes } from "../list/include.ts";
import type { CollectionAnswer, CollectionQuery } from "../list/list.ts";
import type { Asker } from "../list/query.ts";
import { type GroupHeaders, grouped } from "./cache-group.ts";
import type { Call } from "./call.ts";
import { type Answer, data, dataWith, tagOfLong } from "./reply.ts";
import { type FieldScope, unknownFields } from "./unknown-field.ts";

/** Pages of collections, and the memory that their replies claim. Contract §4. */

/** A read of a page. */
export type PageRead = {
  access: Access;
  cacheControl: string;
  /** Where fields are looked for that no item of the page has; absent where items have the service's fields alone. */
  fields?: Pick<FieldScope, "isDeclared">;
  /** Absent where replies have none. */
  groups?: PageGroups | undefined;
  query: CollectionQuery;
  list(query: CollectionQuery, asker: Asker): MaybePromise<CollectionAnswer>;
};

/** Few items are larger. For a reply with larger ones the rest is claimed once it is built. */
const usualItemBytes = 32 * 1024;
/** Few replies of a few items are larger, whatever their limit; the rest is claimed for them, too. */
const usualFewBytes = 1024 * 1024;
const maxLastBytes = 1000;

/** The cache groups of a page: what it depends on, known once it was read. */
export type PageGroups = {
  headers: GroupHeaders;
  of(query: CollectionQuery, isEmpty: boolean): MaybePromise<Iterable<string>>;
};

export class CollectionPages {
  /** The size limit of a page. */
  private readonly pageBytes: number;
  /** The last reply size by read: most sites repeat a few reads, whose replies are far below their limit. */
  private readonly lastBytes = new Map<string, number>();

  constructor(pageBytes: number) {
    this.pageBytes = pageBytes;
  }

  /** Answers with a page. Throws what `list` throws, and busy when there is no memory for the reply. */
  async read(call: Call, page: PageRead): Promise<Answer> {
    const key = keyOf(call, page);
    const { query } = page;
    const most = Math.min(this.pageBytes, mostItems(query) * usualItemBytes) + (query.include ? maxIncludedBytes : 0);
    const lastBytes = this.lastBytes.get(key);
    // Before the list is built: it is held in memory until it is sent.
    await call.reserve(Math.min(most, lastBytes ?? usualFewBytes));
    const makeRoom = () => (lastBytes === undefined && most > usualFewBytes ? call.reserve(most) : undefined);
    const startMs = performance.now();
    const asker = call.asker(makeRoom);
    const found = await page.list(query, asker);
    const durationMs = performance.now() - startMs;
    if (this.lastBytes.size >= maxLastBytes) this.lastBytes.clear();
    const whole = pageAnswer(call, found, page.cacheControl);
    if (found.absent && page.fields) {
      const scope = { ...page.fields, path: query.path, list: (look: CollectionQuery) => page.list(look, asker) };
      whole.ignored = await unknownFields(scope, found.absent, call.query);
    }
    const answer = await groupedPage(whole, query, found, page.groups);
    this.lastBytes.set(key, byteLengthOf(answer.body as LongText));
    const desc = found.plan === undefined ? "" : `;desc="${found.plan}"`;
    return withTiming(call, answer, `list${desc};dur=${durationMs.toFixed(1)}`);
  }
}

/** What says that nothing was found, in each form of a list. */
const nothing: ReadonlySet<LongText> = new Set(["[]", "{}", "null", "0", "false"]);

function groupedPage(
  answer: Answer,
  query: CollectionQuery,
  { json }: CollectionAnswer,
  groups: PageGroups | undefined,
): MaybePromise<Answer> {
  if (!groups) return answer;
  return after(groups.of(query, nothing.has(json)), (names) => grouped(answer, groups.headers, () => names));
}

// A hash, because addresses hold tokens.
const keyOf = ({ url }: Call, { access }: PageRead): string => hash("sha1", `${sightOf(access)} ${url}`);

/** How the list was read, and for how long, is reported to those who may see every write: others could learn of writes from it. */
function withTiming({ access }: Call, answer: Answer, timing: string): Answer {
  if (!seesEveryWrite(access)) return answer;
  return { ...answer, headers: [...(answer.headers ?? []), "Server-Timing", timing] };
}

function mostItems({ returns, limit, randomCount }: CollectionQuery): number {
  if (returns === "list" || returns === "shuffle") return limit;
  return returns === "random" ? (randomCount ?? 1) : 1;
}

/** A page of a collection, with a link to the next. */
export function pageAnswer(
  call: Call,
  { json, included, beside, next, total }: CollectionAnswer,
  cacheControl: string,
): Answer {
  const headers: string[] = [];
  if (next !== undefined) headers.push("Link", `<${nextUrl(call.url, next)}>; rel="next"`);
  if (total !== undefined) headers.push("X-Total-Count", String(total));
  const answer = included === undefined && beside === undefined ? data(json) : dataWith(json, included, beside);
  return { ...answer, cacheControl, tag: tagOfLong(answer.body, headers.join()), headers };
}

/** The same request with another cursor and without tokens, relative to the host. Contract §4. */
function nextUrl(url: string, cursor: string): string {
  const [path = "", query = ""] = url.split("?", 2);
  const dropped = new Set(["token", "access_token", "cursor"]);
  const kept = query
    .split("&")
    .filter((pair) => pair && !dropped.has(decodeURIComponent(pair.split("=", 1)[0] as string)));
  const next = `${path}?${[...kept, `cursor=${cursor}`].join("&")}`;
  // Clients may send characters unencoded that are not allowed between the angle brackets of a Link header.
  return next.replace(/[^!#-;=?-~]/g, (odd) => `%${odd.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}
