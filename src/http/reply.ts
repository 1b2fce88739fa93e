import { hash } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { codingWeights } from "../lib/accept.ts";
import { Memo } from "../lib/memo.ts";

/** What a route answers: the whole text, or nothing (204), or where it is (302). */
export type Answer = {
  status: 200 | 204 | 302;
  body: string | Buffer;
  contentType: string;
  /** The strong tag of this state without quotes and coding; absent for what is not read. */
  tag?: string;
  /** An HTTP date. */
  lastModified?: string;
  cacheControl: string;
  /** More headers, name and value by turns. */
  headers?: string[];
  /** What is kept by the body between replies: its compressed forms. */
  coded?: Coded;
};

/** Compressed forms of one body, made when first asked for. */
export type Coded = Partial<Record<Coding, Buffer>>;
type Coding = "br" | "gzip";

const jsonType = "application/json; charset=utf-8";
export const managementCache = "private, no-cache";
const compressFromBytes = 1024;

/**
 * How a delivery answer may be kept: by shared caches only when the token is part of the address, so that nobody gets
 * what another's header opened. Contract §4.
 */
export function deliveryCache({ isTokenInUrl }: { isTokenInUrl: boolean }, sharedMaxAgeSeconds: number): string {
  if (!isTokenInUrl) return "private, max-age=0, must-revalidate";
  const shared = sharedMaxAgeSeconds > 0 ? `, s-maxage=${sharedMaxAgeSeconds}` : "";
  return `public, max-age=0${shared}, must-revalidate`;
}

export const json = (text: string, more: Partial<Answer> = {}): Answer => ({
  status: 200,
  body: text,
  contentType: jsonType,
  cacheControl: managementCache,
  ...more,
});

/** `{data: …}` around a value's JSON text. Contract, The service in short. */
export const data = (text: string, more: Partial<Answer> = {}): Answer => json(`{"data":${text}}`, more);

export const noContent: Answer = { status: 204, body: "", contentType: "", cacheControl: "no-store" };

/** Unix seconds as an HTTP date. RFC 9110 §5.6.7. */
const httpDate = (seconds: number): string => httpDates.get(seconds, () => new Date(seconds * 1000).toUTCString());
const httpDates = new Memo<number, string>(1000);

/** The same for Last-Modified, which is never ahead of the clock. RFC 9110 §8.8.2.1. */
export const modifiedDate = (seconds: number): string => httpDate(Math.min(seconds, Math.floor(Date.now() / 1000)));

/** A tag out of a body, for what has no revision of its own. */
export const tagOf = (body: string | Buffer): string => hash("sha256", body, "base64url").slice(0, 22);

/** `{data: …}` with a tag out of its text. */
export const tagged = (text: string, more: Partial<Answer> = {}): Answer => data(text, { tag: tagOf(text), ...more });

/** Headers of every reply, problems too. `Vary` and `Referrer-Policy`: contract §4. */
export function commonHeaders(requestId: string, cors: readonly string[]): string[] {
  // Concatenated: spreading a list into a new one costs a read a hundredth of its rate.
  return constantHeaders.concat("X-Request-Id", requestId, cors);
}

const constantHeaders = [
  "Vary",
  "Authorization, X-Access-Token, Accept-Encoding",
  "Referrer-Policy",
  "no-referrer",
  "X-Content-Type-Options",
  "nosniff",
];

/** Sends an answer: 304 where the client has it, compressed where that pays. `headers` are those of every reply. Answers the status sent. */
export function send(
  response: ServerResponse,
  method: string,
  asked: IncomingHttpHeaders,
  answer: Answer,
  headers: string[],
): number | Promise<number> {
  if (answer.status !== 200) return end(response, method, answer.status, headers.concat(answer.headers ?? []), "");
  const coding = chooseCoding(answer, asked["accept-encoding"]);
  headers.push("Cache-Control", answer.cacheControl);
  if (answer.headers) headers.push(...answer.headers);
  if (answer.tag !== undefined) {
    const tag = `"${answer.tag}${coding ? `-${coding}` : ""}"`;
    headers.push("ETag", tag);
    const known = method === "GET" || method === "HEAD" ? asked["if-none-match"] : undefined;
    if (known !== undefined && namesTag(known, tag)) return end(response, method, 304, headers, "");
  }
  if (answer.lastModified !== undefined) headers.push("Last-Modified", answer.lastModified);
  headers.push("Content-Type", answer.contentType);
  if (!coding) return end(response, method, 200, headers, answer.body);
  headers.push("Content-Encoding", coding);
  return compress(answer, coding).then((body) => end(response, method, 200, headers, body));
}

/** Writes the head as one flat array and the body in one piece: the cheapest way node:http has. */
export function end(
  response: ServerResponse,
  method: string,
  status: number,
  headers: string[],
  body: string | Buffer,
): number {
  if (status !== 204 && status !== 304) headers.push("Content-Length", String(Buffer.byteLength(body)));
  response.writeHead(status, headers);
  response.end(method === "HEAD" ? undefined : body);
  return status;
}

/** True when an If-None-Match value names the tag (`*`, a list, weak ones too). RFC 9110 §13.1.2. */
export function namesTag(header: string, tag: string): boolean {
  return header.trim() === "*" || header.split(",").some((part) => part.trim().replace(/^W\//, "") === tag);
}

function chooseCoding({ body }: Answer, accepted: string | undefined): Coding | undefined {
  if (accepted === undefined || body.length * 3 < compressFromBytes) return undefined;
  if (Buffer.byteLength(body) < compressFromBytes) return undefined;
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
  const compressed =
    coding === "br"
      ? await brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
      : await gzipAsync(plain, { level: 6 });
  if (answer.coded) answer.coded[coding] = compressed;
  return compressed;
}
