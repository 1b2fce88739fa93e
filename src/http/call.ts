import type { FastifyRequest } from "fastify";
import { problem } from "../domain/problem.ts";
import { parseUrlEncoded } from "../lib/brackets.ts";
import type { JsonObject } from "../lib/json.ts";
import { type Body, emptyBody } from "./body.ts";
import { readGroups } from "./json-text.ts";
import type { Call, Route } from "./route.ts";
import type { Hold } from "./send-budget.ts";

const maxQueryBytes = 16 * 1024;
const queryCaps = { maxPairs: 200, maxDepth: 8, maxItems: 100 };

/**
 * What a request asks of a route, nobody let in yet. Throws query_too_complex, key_forbidden, text_invalid,
 * argument_repeated, filter_invalid.
 */
export function readCall(request: FastifyRequest, route: Route, hold: () => Hold): Call {
  const { raw, body, params } = request;
  const url = raw.url as string;
  const ifMatch = raw.headers["if-match"];
  return {
    method: raw.method as string,
    url,
    rest: (params as { "*"?: string })["*"] ?? "",
    query: readGroups(readQuery(url), route.arguments, queryCaps),
    body: (body as Body | undefined) ?? emptyBody,
    file: undefined,
    token: undefined,
    isTokenInUrl: false,
    credentials: undefined,
    headers: raw.headers,
    ifMatch,
    accept: raw.headers.accept,
    reserve: (bytes) => hold().reserve(bytes),
    origin: () => originOf(request),
    nowSeconds: Math.floor(Date.now() / 1000),
  };
}

/** A host name or address with or without a port, as a URL has it (RFC 3986 §3.2.2), without users and escapes. */
const hostForm = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Scheme and host as the client used them; a proxy's word for them counts when it is trusted. Contract §5. */
function originOf(request: FastifyRequest): string {
  const host = request.host ?? "";
  const port = Number(/:(\d+)$/.exec(host)?.[1] ?? 0);
  if (!hostForm.test(host) || port > 65_535) throw problem("host_invalid", { came: host });
  return `${request.protocol === "https" ? "https" : "http"}://${host}`;
}

/** The arguments in a URL's query. Throws query_too_complex, key_forbidden, text_invalid, argument_repeated. */
function readQuery(url: string): JsonObject {
  const question = url.indexOf("?");
  if (question < 0) return new Map();
  const text = url.slice(question + 1);
  if (text.length > maxQueryBytes) throw problem("query_too_complex", { rule: `more than ${maxQueryBytes} bytes` });
  return parseUrlEncoded(text, queryCaps);
}
