import { createHash, hash } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { type Access, isDelivered } from "../access/access.ts";
import { codingWeights } from "../lib/accept.ts";
import { byteLengthOf, concatLong, type LongText, surround } from "../lib/long-text.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { Memo } from "../lib/memo.ts";
import { writeOwnHead } from "./own-head.ts";
import {
  brotliOptions,
  type Coding,
  compressedPieces,
  gzipOptions,
  ownPieces,
  pieceBytes,
  piecesOf,
  sendPieces,
} from "./send.ts";
import type { Hold } from "./send-budget.ts";

/** A route's answer: a whole text, nothing (201, 204), or a redirect (302). */
export type Answer = {
  /** Any other than 200, 201, 204 and 302 is of a protocol with refusals of its own: those of the API are problems. */
  status: 200 | 201 | 202 | 204 | 302 | 400 | 404;
  /** A Buffer is shared by all replies that send it. A long text belongs to this reply; sending frees its pieces. */
  body: LongText | Buffer;
  contentType: string;
  /** The strong ETag of this state without quotes and coding; absent for answers that are not reads. */
  tag?: string;
  /** An HTTP date. */
  lastModified?: string;
  cacheControl: string;
  /** More headers, alternating names and values. */
  headers?: string[];
  /** What of the request was ignored, beside unknown arguments: core/http/ignored.ts says so. */
  ignored?: readonly string[];
  /** The headers of its cache groups, as `headers`, with nothing of a client in them. */
  groups?: string[] | undefined;
  /** The cache of the body's compressed forms, kept between replies. */
  coded?: Coded;
};

/** Compressed forms of one body, created on first use. */
export type Coded = Partial<Record<Coding, Buffer>>;

const jsonType = "application/json; charset=utf-8";
export const managementCache = "private, no-cache";
const compressFromBytes = 1024;

/**
 * The cache policy of a delivery answer: shared caches may keep it only when the token is part of the URL, so that no
 * client gets a reply that another client's header authorised. Contract §4.
 */
export function deliveryCache({ isTokenInUrl }: { isTokenInUrl: boolean }, sharedMaxAgeSeconds: number): string {
  if (!isTokenInUrl) return "private, max-age=0, must-revalidate";
  const shared = sharedMaxAgeSeconds > 0 ? `, s-maxage=${sharedMaxAgeSeconds}` : "";
  return `public, max-age=0${shared}, must-revalidate`;
}

/** The cache policy of a read of content. Contract §4; part two, §11: of a preview no copy is kept. */
export function cacheOf(access: Access, isTokenInUrl: boolean, sharedMaxAgeSeconds: number): string {
  if (access.reads === "public") return deliveryCache({ isTokenInUrl }, sharedMaxAgeSeconds);
  return isDelivered(access) ? "private, no-store" : managementCache;
}

export const json = <Body extends Answer["body"]>(body: Body, more: More = {}): JsonAnswer<Body> => ({
  status: 200,
  body,
  contentType: jsonType,
  cacheControl: managementCache,
  ...more,
});

type JsonAnswer<Body = LongText> = Answer & { body: Body };
type More = Omit<Partial<Answer>, "body">;

/** `{data: …}` around a value's JSON text. Contract, The service in short. */
export const data = (text: LongText, more: More = {}): JsonAnswer => json(surround('{"data":', text, "}"), more);

/** The text of the value in such an answer; `null` for one without a body. */
export function dataText({ body }: Answer): LongText {
  if (typeof body === "string") return body === "" ? "null" : body.slice('{"data":'.length, -1);
  return Array.isArray(body) ? body.slice(1, -1) : body.toString().slice('{"data":'.length, -1);
}

/** The same with what is included beside it. Contract, part two, §10. */
export const dataWith = (text: LongText, included: LongText | undefined, beside?: string): JsonAnswer =>
  json(
    concatLong([
      '{"data":',
      text,
      ...(included === undefined ? [] : [',"included":', included]),
      ...(beside === undefined ? [] : [",", beside]),
      "}",
    ]),
  );

/** A body that many replies send: a long one as bytes, which each of them would otherwise copy out of the text. */
export const sharedBody = (text: string): string | Buffer => (text.length < longBody ? text : Buffer.from(text));
/** Shorter texts are faster: Node writes them in one piece with the head. */
const longBody = 8192;

export const noContent: Answer = { status: 204, body: "", contentType: "", cacheControl: "no-store" };

/** Unix seconds as an HTTP date. RFC 9110 §5.6.7. */
const httpDate = (seconds: number): string => httpDates.get(seconds, () => new Date(seconds * 1000).toUTCString());
const httpDates = new Memo<number, string>(1000);

/** The same for Last-Modified, which is never later than the clock. RFC 9110 §8.8.2.1. */
export const modifiedDate = (seconds: number): string => httpDate(Math.min(seconds, Math.floor(Date.now() / 1000)));

/** An ETag computed from a body, for answers without a revision. */
export const tagOf = (body: string | Buffer): string => hash("sha256", body, "base64url").slice(0, 22);

/** The same for a long text and the headers that belong to it. */
export function tagOfLong(text: LongText, beside: string): string {
  if (typeof text === "string") return tagOf(text + beside);
  const sha256 = createHash("sha256");
  for (const piece of text) sha256.update(piece);
  return sha256.update(beside).digest("base64url").slice(0, 22);
}

/** `{data: …}` with an ETag computed from its text. */
export const tagged = (text: string, more: Partial<Answer> = {}): Answer => data(text, { tag: tagOf(text), ...more });

/** The same with more members beside `data`, as JSON text. */
export const taggedWith = (text: string, beside: string): Answer => ({
  ...dataWith(text, undefined, beside),
  tag: tagOf(text + beside),
});

/** The headers of every reply, including problems. `Vary` and `Referrer-Policy`: contract §4. */
export function commonHeaders(requestId: string, cors: readonly string[], more = none): string[] {
  // Concatenated: spreading a list into a new one costs a read a hundredth of its rate.
  return constantHeaders.concat("X-Request-Id", requestId, cors, more);
}

const none: readonly string[] = [];
const constantHeaders = [
  "Vary",
  "Authorization, X-Access-Token, Accept-Encoding",
  "Referrer-Policy",
  "no-referrer",
  "X-Content-Type-Options",
  "nosniff",
];

/**
 * Sends an answer: 304 where the client's copy is current, compressed where that pays, in pieces where it is large.
 * `headers` are those of every reply. Only a large reply calls `hold`, and resolves when all of it is sent. Returns the
 * status. Throws busy when there is no memory for a large one.
 */
export function send(
  response: ServerResponse,
  method: string,
  requestHeaders: IncomingHttpHeaders,
  answer: Answer,
  headers: string[],
  hold: () => Hold,
): MaybePromise<number> {
  if (answer.status !== 200) {
    if (answer.body !== "") headers.push("Content-Type", answer.contentType, "Cache-Control", answer.cacheControl);
    return end(response, method, answer.status, headers.concat(answer.headers ?? []), answer.body as string);
  }
  const coding = chooseCoding(answer, requestHeaders["accept-encoding"]);
  headers.push("Cache-Control", answer.cacheControl);
  if (answer.headers) headers.push(...answer.headers);
  if (answer.groups) headers.push(...answer.groups);
  if (answer.tag !== undefined) {
    const tag = `"${answer.tag}${coding ? `-${coding}` : ""}"`;
    headers.push("ETag", tag);
    const known = isRead(method) ? requestHeaders["if-none-match"] : undefined;
    if (known !== undefined && namesTag(known, tag)) return end(response, method, 304, headers, "");
  }
  if (answer.lastModified !== undefined) headers.push("Last-Modified", answer.lastModified);
  headers.push("Content-Type", answer.contentType);
  if (coding) headers.push("Content-Encoding", coding);
  const { body } = answer;
  if (Array.isArray(body) || body.length > pieceBytes) {
    return sendLarge(response, method, answer, coding, headers, hold());
  }
  // Behind another reply on its connection even a small one is held in memory until its turn.
  if (response.socket === null) hold().claim(sizeOf(body), !isRead(method));
  if (!coding && method === "GET" && !answer.headers) return endQuickly(response, headers, body);
  if (!coding) return end(response, method, 200, headers, body);
  return compress(answer, coding).then((compressed) => end(response, method, 200, headers, compressed));
}

/** True for a method that changes nothing. Only a read may be refused for lack of memory: a write has happened. */
export const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/** Sends a large answer; resolves when all of it is sent. */
async function sendLarge(
  response: ServerResponse,
  method: string,
  answer: Answer,
  coding: Coding | undefined,
  headers: string[],
  hold: Hold,
): Promise<number> {
  const { body } = answer;
  // A shared body is in memory once, for all replies.
  const isShared = Buffer.isBuffer(body);
  if (!isShared) hold.claim(sizeOf(body), !isRead(method));
  const onHeld = (bytes: number) => (isShared ? undefined : hold.resize(bytes));
  const pieces = await piecesToSend(answer, coding, headers, onHeld);
  response.writeHead(200, headers);
  if (method === "HEAD") response.end();
  else await sendPieces(response, pieces);
  return 200;
}

/** The pieces of a large answer. Adds Content-Length to the headers where the length is known. */
async function piecesToSend(
  answer: Answer,
  coding: Coding | undefined,
  headers: string[],
  onHeld: (bytes: number) => void,
): Promise<Iterable<Uint8Array> | AsyncIterable<Uint8Array>> {
  const { body, coded } = answer;
  if (Buffer.isBuffer(body) || (coding && coded)) {
    const whole = coding ? await compress(answer, coding) : (body as Buffer);
    onHeld(whole.length);
    headers.push("Content-Length", String(whole.length));
    return piecesOf(whole);
  }
  const parts = typeof body === "string" ? [new TextEncoder().encode(body)] : body;
  // The length of a body that is compressed while it is sent is unknown: it is sent chunked.
  if (coding) return compressedPieces(parts, coding, onHeld);
  headers.push("Content-Length", String(sizeOf(body)));
  return ownPieces(parts, onHeld);
}

/** Bytes of a body as it is sent without compression. */
export const sizeOf = (body: LongText | Buffer): number => (Buffer.isBuffer(body) ? body.length : byteLengthOf(body));

/** Writes the head as one flat array and the body in one piece. */
export function end(
  response: ServerResponse,
  method: string,
  status: number,
  headers: string[],
  body: string | Buffer,
): number {
  const length = Buffer.byteLength(body);
  if (status !== 204 && status !== 304) headers.push("Content-Length", String(length));
  response.writeHead(status, headers);
  if (method === "HEAD") response.end();
  else endWith(response, body, length);
  return status;
}

/**
 * The same for a 200 to a GET whose headers are the service's own, with nothing of a client in them: their characters
 * need no check. Decision 32.
 */
function endQuickly(response: ServerResponse, headers: string[], body: string | Buffer): number {
  const length = Buffer.byteLength(body);
  headers.push("Content-Length", String(length));
  writeQuickHead(response, headers);
  endWith(response, body, length);
  return 200;
}

/** The head of such a reply; `headers` without Date. */
export function writeQuickHead(response: ServerResponse, headers: string[]): void {
  headers.push("Date", httpDate(Math.floor(Date.now() / 1000)));
  if (!writeOwnHead(response, headers)) response.writeHead(200, headers);
}

/** A text without characters beyond ASCII has the same bytes in Latin-1, which Node copies instead of encoding it. */
function endWith(response: ServerResponse, body: string | Buffer, length: number): void {
  if (typeof body === "string" && body.length === length) response.end(body, "latin1");
  else response.end(body);
}

/** True when an If-None-Match value names the tag (`*`, a list, weak ones too). RFC 9110 §13.1.2. */
export function namesTag(header: string, tag: string): boolean {
  return header.trim() === "*" || header.split(",").some((part) => part.trim().replace(/^W\//, "") === tag);
}

function chooseCoding({ body }: Answer, accepted: string | undefined): Coding | undefined {
  if (accepted === undefined) return undefined;
  if (typeof body === "string" || Buffer.isBuffer(body)) {
    if (body.length * 3 < compressFromBytes || Buffer.byteLength(body) < compressFromBytes) return undefined;
  }
  const weightOf = codingWeights(accepted);
  const gzipped = weightOf("gzip");
  if (weightOf("br") > 0 && weightOf("br") >= gzipped) return "br";
  return gzipped > 0 ? "gzip" : undefined;
}

const brotli = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

async function compress(answer: Answer, coding: Coding): Promise<Buffer> {
  const known = answer.coded?.[coding];
  if (known) return known;
  const plain = Buffer.from(answer.body as string);
  const compressed = coding === "br" ? await brotli(plain, brotliOptions) : await gzipAsync(plain, gzipOptions);
  if (answer.coded) answer.coded[coding] = compressed;
  return compressed;
}
