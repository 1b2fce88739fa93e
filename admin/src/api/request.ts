import type { ProblemBody, ProblemCode } from "../../../client/src/api.ts";
import { formatJson, type Json, parseJson } from "./json.ts";

/** The service over HTTP, with the session's cookie: the one way this page speaks to it. */

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
export type Query = Record<string, string | number | boolean | undefined>;
type RequestOptions = {
  query?: Query;
  body?: Json;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  keepalive?: boolean;
};
type Reply<T> = { data: T; headers: Headers };

/** The code of a problem; `unreachable` when nothing answered, `unknown` when something other than the service did. */
type RefusalCode = ProblemCode | "unreachable" | "unknown";

/** A refusal of the service, or no answer at all (`status` is then 0). */
export class Refusal extends Error {
  readonly status: number;
  readonly code: RefusalCode;
  readonly requestId: string | undefined;
  constructor(status: number, code: RefusalCode, detail: string, requestId?: string) {
    super(detail);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }
}

/** Codes that mean that the session is over. */
const signedOut = new Set<ProblemCode>(["session_invalid", "token_missing", "token_invalid", "access_token_invalid"]);

let csrfToken = "";
let onSignedOut: () => void = () => undefined;

export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Listeners for the end of the session. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** The headers of a write. */
export const writeHeaders = (): Record<string, string> => ({ "X-CSRF-Token": csrfToken });

/** Sends a request and answers its `data`. Throws Refusal. */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<Reply<T>> {
  const { query, body, headers, signal, keepalive } = options;
  const response = await fetch(path + formatQuery(strictly(query)), {
    method,
    signal,
    keepalive,
    headers: {
      ...(method === "GET" ? {} : writeHeaders()),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : formatJson(body),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Refusal(0, "unreachable", "The service does not answer. Is it running?");
  });
  const text = await response.text();
  if (!response.ok) throw refusalOf(response.status, text);
  const parsed = text === "" ? {} : (parseJson(text) as { data?: T });
  return { data: (parsed as { data: T }).data, headers: response.headers };
}

/** By default the service ignores unknown keys of filter and options; with `strict` a mistake of this page is refused. */
function strictly(query: Query = {}): Query {
  const asks = Object.entries(query).some(([name, value]) => value !== undefined && /^(filter|options)\b/.test(name));
  return asks ? { ...query, strict: 1 } : query;
}

/** Parses the refusal in a problem body; notifies the listeners when it means that the session is over. */
export function refusalOf(status: number, text: string): Refusal {
  const { code, detail, request_id } = readProblem(text);
  if (code !== undefined && signedOut.has(code)) onSignedOut();
  return new Refusal(status, code ?? "unknown", detail ?? `The service answered ${status}.`, request_id);
}

function readProblem(text: string): Partial<ProblemBody> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** `?a=1&b=2` without what is undefined; empty for nothing. Brackets stay readable. */
export function formatQuery(query: Query = {}): string {
  const pairs = Object.entries(query).filter(
    (pair): pair is [string, string | number | boolean] => pair[1] !== undefined,
  );
  if (pairs.length === 0) return "";
  return `?${pairs.map(([name, value]) => `${encode(name)}=${encode(String(value))}`).join("&")}`;
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/%(5B|5D|2F|2C|3A)/g, (escaped) => decodeURIComponent(escaped));

/** The pattern (RE2) that matches this text and nothing else. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** The cursor of the page after this one, out of the Link header. */
export function nextCursor(headers: Headers): string | undefined {
  const [, url] = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
  return url === undefined ? undefined : (new URL(url, location.origin).searchParams.get("cursor") ?? undefined);
}
