import { hash } from "node:crypto";
import { type Access, type Reader, readerOf, seesEveryWrite, sightOf } from "../domain/access.ts";
import type { CollectionAnswer, CollectionQuery } from "../domain/collection.ts";
import { maxIncludedBytes } from "../domain/include.ts";
import type { Asker } from "../domain/query.ts";
import { ByteCache } from "../lib/byte-cache.ts";
import { byteLengthOf, type LongText } from "../lib/long-text.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Call } from "./call.ts";
import { type Answer, data, dataWith, sharedBody, tagOfLong } from "./reply.ts";
import { pieceBytes } from "./send.ts";

/** Pages of collections: read from the store, or sent again while the store has not changed. Contract §4, decision 38. */

export type PageOptions = {
  /** The size limit of a page. */
  pageBytes: number;
  /** Memory for answers that are sent again. */
  cacheBytes: number;
  /** Changes with every write that the reader must see; undefined while that is not known. */
  version(reader: Reader): number | undefined;
};

/** A read of a page. */
export type PageRead = {
  access: Access;
  cacheControl: string;
  /** What the answer depends on besides the address and the access. */
  variant?: string;
  /** Throws as parseCollection does. */
  query(): CollectionQuery;
  list(query: CollectionQuery, asker: Asker): MaybePromise<CollectionAnswer>;
};

/** An answer that is the same until the store changes or the second ends: entries are published at a second. */
type Known = { answer: Answer; version: number; nowSeconds: number };

/** Few items are larger. For a reply with larger ones the rest is claimed once it is built. */
const usualItemBytes = 32 * 1024;
/** Few replies of a few items are larger, whatever their limit; the rest is claimed for them, too. */
const usualFewBytes = 1024 * 1024;
const maxLastBytes = 1000;
/** Rough bytes of a cached answer in addition to its body. */
const overheadBytes = 1024;

export class CollectionPages {
  private readonly options: PageOptions;
  private readonly cache: ByteCache<Known>;
  /** The last reply size by read: most sites repeat a few reads, whose replies are far below their limit. */
  private readonly lastBytes = new Map<string, number>();

  constructor(options: PageOptions) {
    this.options = options;
    // The compressed forms take about as much again as the body.
    this.cache = new ByteCache(options.cacheBytes, ({ answer }) => overheadBytes + 2 * answer.body.length);
  }

  /** Answers with a page. Throws what `query` and `list` throw, and busy when there is no memory for the reply. */
  read(call: Call, page: PageRead): MaybePromise<Answer> {
    const { access, cacheControl } = page;
    const key = keyOf(call, page);
    const version = this.options.version(readerOf(access));
    const known = this.cache.get(key);
    if (known && known.version === version && known.nowSeconds === access.nowSeconds) {
      return withTiming(call, { ...known.answer, cacheControl }, 'list;desc="cached"');
    }
    return this.readStore(call, page, key, version);
  }

  private async readStore(call: Call, page: PageRead, key: string, version: number | undefined): Promise<Answer> {
    const { pageBytes } = this.options;
    const query = page.query();
    const most = Math.min(pageBytes, mostItems(query) * usualItemBytes) + (query.include ? maxIncludedBytes : 0);
    const lastBytes = this.lastBytes.get(key);
    // Before the list is built: it is held in memory until it is sent.
    await call.reserve(Math.min(most, lastBytes ?? usualFewBytes));
    const makeRoom = () => (lastBytes === undefined && most > usualFewBytes ? call.reserve(most) : undefined);
    const startMs = performance.now();
    const found = await page.list(query, call.asker(makeRoom));
    const durationMs = performance.now() - startMs;
    if (this.lastBytes.size >= maxLastBytes) this.lastBytes.clear();
    const answer = pageAnswer(call, found, page.cacheControl);
    this.lastBytes.set(key, byteLengthOf(answer.body as LongText));
    // A read that is not repeated is not worth the memory.
    if (lastBytes !== undefined && version !== undefined && isRepeatable(query, answer)) {
      const body = sharedBody(answer.body as string);
      const repeated = { ...answer, body, coded: {} };
      this.cache.put(key, { answer: repeated, version, nowSeconds: page.access.nowSeconds });
    }
    const desc = found.plan === undefined ? "" : `;desc="${found.plan}"`;
    return withTiming(call, answer, `list${desc};dur=${durationMs.toFixed(1)}`);
  }
}

// A hash, because addresses hold tokens.
const keyOf = ({ url }: Call, { access, variant = "" }: PageRead): string =>
  hash("sha1", `${sightOf(access)} ${variant} ${url}`);

/** True for an answer that the next request gets as well, and that many requests can share. */
const isRepeatable = ({ returns }: CollectionQuery, { body }: Answer): boolean =>
  returns !== "random" && returns !== "shuffle" && typeof body === "string" && body.length <= pieceBytes;

/**
 * How the list was read is told to those who may see every write: to others `cached` that comes and goes would tell of
 * what they may not see.
 */
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
  { json, included, next, total }: CollectionAnswer,
  cacheControl: string,
): Answer {
  const headers: string[] = [];
  if (next !== undefined) headers.push("Link", `<${nextUrl(call.url, next)}>; rel="next"`);
  if (total !== undefined) headers.push("X-Total-Count", String(total));
  const answer = included === undefined ? data(json) : dataWith(json, included);
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
