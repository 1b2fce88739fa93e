import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { ByteRange, Bytes } from "../bytes/blob.ts";
import { after, type MaybePromise } from "../lib/maybe-promise.ts";
import { problem } from "../problem.ts";
import { end, modifiedDate, namesTag, writeQuickHead } from "./reply.ts";
import { pieceBytes, piecesOf, sendPieces } from "./send.ts";
import type { Hold } from "./send-budget.ts";

/** A reply whose body is stored bytes, whole or in part. RFC 9110 §13, §14. */
export type BytesAnswer = {
  /**
   * The bytes, or a function that gets them where they may have to be created first. Not called when the client's copy
   * is current.
   */
  source: ByteSource | (() => MaybePromise<ByteSource>);
  /** Whether range requests are supported. */
  hasRanges: boolean;
  contentType: string;
  /** The strong ETag of the bytes, without quotes. */
  tag: string;
  modifiedAt: number;
  /** Whether If-Modified-Since may answer 304. False where the bytes depend on more than the dated file. */
  isDated: boolean;
  cacheControl: string;
  /** The value of Vary where it differs from that of every reply; empty for none. */
  vary?: string;
  /** More headers, alternating names and values. */
  headers: string[];
  /** The headers of its cache groups, as `headers`. */
  groups?: string[];
  /** As that of an Answer. */
  ignored?: readonly string[];
  /** True when no header has anything of a client in it. */
  isOwn?: boolean;
};

/** A reply in pieces whose length nobody knows before its end: a failure cuts it off. */
export type PiecesAnswer = {
  pieces: AsyncIterable<Uint8Array>;
  contentType: string;
  cacheControl: string;
  /** More headers, alternating names and values. */
  headers: string[];
};

export type ByteSource = { size: number; open(range: ByteRange): MaybePromise<Bytes> };

/** Bytes in memory are written in one piece up to this size, in several above it. */
const wholeBytes = 256 * 1024;
/** The most that a stream holds: the chunk being sent and the one read ahead. */
const streamBytes = 512 * 1024;

/**
 * Sends the bytes, or what the request's conditions select: 304, 206. Reserves memory for anything that is not small
 * before reading it. Returns the status sent, once all is sent or the client has disconnected. Throws
 * precondition_failed, range_not_satisfiable, busy.
 */
export function sendBytes(
  response: ServerResponse,
  method: string,
  requestHeaders: IncomingHttpHeaders,
  answer: BytesAnswer,
  headers: string[],
  hold: () => Hold,
): MaybePromise<number> {
  const { tag, modifiedAt, isDated, hasRanges } = answer;
  const quoted = `"${tag}"`;
  refuseOtherState(requestHeaders, quoted, modifiedAt);
  if (answer.vary === "") headers.splice(headers.indexOf("Vary"), 2);
  else if (answer.vary !== undefined) headers[headers.indexOf("Vary") + 1] = answer.vary;
  headers.push("Cache-Control", answer.cacheControl, "ETag", quoted, "Last-Modified", modifiedDate(modifiedAt));
  headers.push("Accept-Ranges", hasRanges ? "bytes" : "none", ...answer.headers);
  if (answer.groups) headers.push(...answer.groups);
  if (isKnown(requestHeaders, quoted, isDated ? modifiedAt : Number.POSITIVE_INFINITY))
    return end(response, method, 304, headers, "");
  headers.push("Content-Type", answer.contentType);
  const range =
    method === "GET" && hasRanges ? (size: number) => readRange(requestHeaders, size, quoted, modifiedAt) : whole;
  const source = typeof answer.source === "function" ? answer.source() : answer.source;
  const isOwn = answer.isOwn ?? false;
  return after(source, (found) => sendSource(response, method, found, range(found.size), headers, isOwn, hold));
}

const whole = (): undefined => undefined;

function sendSource(
  response: ServerResponse,
  method: string,
  { size, open }: ByteSource,
  range: ByteRange | undefined,
  headers: string[],
  isOwn: boolean,
  hold: () => Hold,
): MaybePromise<number> {
  const { start, end: last } = range ?? { start: 0, end: size - 1 };
  const length = last - start + 1;
  if (range) headers.push("Content-Range", `bytes ${start}-${last}/${size}`);
  headers.push("Content-Length", String(length));
  if (method === "HEAD") return write(response, range ? 206 : 200, headers, new Uint8Array(0));
  const heldBytes = Math.min(length, streamBytes);
  // Behind another reply on its connection even a small one is held in memory until its turn.
  const held = length > pieceBytes || response.socket === null ? hold() : undefined;
  // Opened before the head is sent: a read failure can still be reported as a problem.
  const opened = after(held?.reserve(heldBytes), () => open({ start, end: last }));
  return after(opened, (bytes) => {
    held?.resize(heldBytes);
    if (isOwn && !range) return writeOwn(response, headers, bytes);
    return write(response, range ? 206 : 200, headers, bytes);
  });
}

/** Sends the pieces as they come, after it has reserved memory for what a stream holds. Throws busy. */
export async function sendUnsized(
  response: ServerResponse,
  method: string,
  { pieces, contentType, cacheControl, headers: more }: PiecesAnswer,
  headers: string[],
  hold: () => Hold,
): Promise<number> {
  headers.push("Content-Type", contentType, "Cache-Control", cacheControl, ...more);
  if (method === "HEAD") return end(response, method, 200, headers, "");
  await hold().reserve(streamBytes);
  response.writeHead(200, headers);
  await sendPieces(response, pieces);
  return 200;
}

function write(response: ServerResponse, status: number, headers: string[], bytes: Bytes): MaybePromise<number> {
  response.writeHead(status, headers);
  return writeBody(response, status, bytes);
}

function writeOwn(response: ServerResponse, headers: string[], bytes: Bytes): MaybePromise<number> {
  writeQuickHead(response, headers);
  return writeBody(response, 200, bytes);
}

function writeBody(response: ServerResponse, status: number, bytes: Bytes): MaybePromise<number> {
  if (bytes instanceof Uint8Array && bytes.length <= wholeBytes) {
    response.end(bytes);
    return status;
  }
  const pieces = bytes instanceof Uint8Array ? piecesOf(bytes) : bytes;
  return sendPieces(response, pieces).then(() => status);
}

/** Evaluates If-Match, or If-Unmodified-Since when it is absent. Throws precondition_failed. */
function refuseOtherState(requestHeaders: IncomingHttpHeaders, tag: string, modifiedAt: number): void {
  const ifMatch = requestHeaders["if-match"];
  const since = requestHeaders["if-unmodified-since"];
  if (ifMatch !== undefined) {
    if (!namesStrongTag(ifMatch, tag))
      throw problem("precondition_failed", { argument: "If-Match", received: ifMatch });
  } else if (since !== undefined && modifiedAt > (readHttpDate(since) ?? Number.POSITIVE_INFINITY)) {
    throw problem("precondition_failed", { argument: "If-Unmodified-Since", received: since });
  }
}

/** Evaluates If-None-Match, or If-Modified-Since when it is absent: true when the client has these bytes. */
function isKnown(requestHeaders: IncomingHttpHeaders, tag: string, modifiedAt: number): boolean {
  const ifNoneMatch = requestHeaders["if-none-match"];
  if (ifNoneMatch !== undefined) return namesTag(ifNoneMatch, tag);
  const since = requestHeaders["if-modified-since"];
  return since !== undefined && modifiedAt <= (readHttpDate(since) ?? Number.NEGATIVE_INFINITY);
}

const namesStrongTag = (header: string, tag: string): boolean =>
  header.trim() === "*" || header.split(",").some((part) => part.trim() === tag);

/**
 * The single range to send; undefined for all of the bytes: no Range, one that cannot be parsed, several (RFC 9110
 * §14.2 lets a server ignore them), or an If-Range that names another state. Throws range_not_satisfiable.
 */
function readRange(
  requestHeaders: IncomingHttpHeaders,
  size: number,
  tag: string,
  modifiedAt: number,
): ByteRange | undefined {
  const { range } = requestHeaders;
  const ifRange = requestHeaders["if-range"];
  const [, first = "", last = ""] = /^bytes[ \t]*=[ \t]*(\d*)[ \t]*-[ \t]*(\d*)[ \t]*$/i.exec(range ?? "") ?? [];
  if (range === undefined || (first === "" && last === "")) return undefined;
  if (typeof ifRange === "string" && ifRange.trim() !== tag && readHttpDate(ifRange) !== modifiedAt) return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const stop = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start >= size || (first === "" && Number(last) === 0)) {
    throw problem("range_not_satisfiable", { received: range, size });
  }
  return { start, end: stop };
}

/**
 * Unix seconds of an HTTP date, or undefined. The three forms of RFC 9110 §5.6.7 are the only ones with GMT that Date
 * parses.
 */
function readHttpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const milliseconds = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}
