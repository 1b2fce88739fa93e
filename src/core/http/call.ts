import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { EventOrigin } from "../event.ts";
import { parseUrlEncoded } from "../lib/brackets.ts";
import type { JsonObject } from "../lib/json.ts";
import type { TProperties } from "../lib/json-schema.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Asker } from "../list/query.ts";
import { problem } from "../problem.ts";
import type { Unit, Written } from "../unit.ts";
import type { Authenticated } from "./auth.ts";
import type { Body } from "./body.ts";
import { readGroups } from "./json-text.ts";
import type { ReceivedFile } from "./receive.ts";

const maxQueryBytes = 16 * 1024;
const queryCaps = { maxPairs: 200, maxDepth: 8, maxItems: 100 };

/** The head of a request, parsed: everything but the body. */
export type RequestHead = Readonly<{
  method: string;
  /** The path and query as sent. */
  url: string;
  /** What matched the `*` of the route's address, percent-decoded once, not validated yet. */
  rest: string;
  query: JsonObject;
  headers: IncomingHttpHeaders;
  nowSeconds: number;
}>;

/** One call of a route, created once, when everything about it is known. */
export type Call = RequestHead &
  Authenticated &
  Readonly<{
    body: Body;
    /** The form's `file`, on routes that accept one. Discarded after the reply. */
    file: ReceivedFile | undefined;
    /** The body of a route that takes bytes. Throws request_timeout, request_invalid (the client has disconnected). */
    bytes(): AsyncIterable<Uint8Array>;
    ifMatch: string | undefined;
    /** What its writes go through. */
    unit: Unit | undefined;
    /** What it wrote. */
    written: Written;
    /** The Accept header: the media types that the client accepts. */
    accept: string | undefined;
    /**
     * Reserves memory for a reply of at most this many bytes before it is built, in place of what it reserved before;
     * waits for it. Throws busy.
     */
    reserve(bytes: number): MaybePromise<void>;
    /**
     * The client, for work that is queued per client and stops when the client disconnects. Without `makeRoom` for an answer
     * that is small, or whose memory was claimed already.
     */
    asker(makeRoom?: Asker["makeRoom"]): Asker;
    /** The client's address. */
    address: string;
    /** What the log keeps of this request with its writes. */
    eventOrigin: EventOrigin;
    /** Whether the tokens of the request, or its session, are still good for it, for a reply that goes on. Counts no call. */
    isAdmitted(): Promise<boolean>;
    /** Scheme and host that the client used, `http://localhost:8080`. Throws host_invalid. */
    origin(): string;
  }>;

/**
 * Parses the head of a request for a route with these arguments. Throws query_too_complex, key_forbidden, text_invalid,
 * argument_repeated, filter_invalid.
 */
export function readHead(
  { method, url, headers }: { method: string; url: string; headers: IncomingHttpHeaders },
  taken: TProperties,
  rest: string,
): RequestHead {
  const query = readGroups(readQuery(url), taken, queryCaps);
  return { method, url, rest, query, headers, nowSeconds: Math.floor(Date.now() / 1000) };
}

/** Parses the arguments in a URL's query. Throws query_too_complex, key_forbidden, text_invalid, argument_repeated. */
function readQuery(url: string): JsonObject {
  const question = url.indexOf("?");
  if (question < 0) return new Map();
  const text = url.slice(question + 1);
  if (text.length > maxQueryBytes) throw problem("query_too_complex", { rule: `more than ${maxQueryBytes} bytes` });
  return parseUrlEncoded(text, queryCaps);
}

/** True when the token was sent in the URL, so caches key the reply by it. */
export const isTokenInUrl = ({ credentials }: Call): boolean => credentials?.isInUrl === true;

const overridable = new Set(["PATCH", "PUT", "DELETE"]);

/** For clients that can send GET and POST only. Contract §1. */
export function methodOf({ method, headers }: IncomingMessage): string {
  const override = method === "POST" ? headers["x-http-method-override"] : undefined;
  const name = typeof override === "string" ? override.toUpperCase() : "";
  return overridable.has(name) ? name : (method as string);
}
