import type { IncomingMessage } from "node:http";

/** The headers of a reply that let scripts of other origins read it. `origins` is `*`, or those that may call. */
export function corsHeaders({ headers: { origin } }: IncomingMessage, origins: readonly string[]): readonly string[] {
  if (origins.includes("*")) return openCors;
  if (origin === undefined || !origins.includes(origin)) return ["Vary", "Origin"];
  return ["Access-Control-Allow-Origin", origin, "Vary", "Origin", ...exposed];
}

/** The answer to a preflight, by the methods that the address has. */
export const preflightHeaders = (methods: readonly string[]): string[] => [
  "Access-Control-Allow-Methods",
  "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
  "Access-Control-Allow-Headers",
  allowed,
  "Access-Control-Max-Age",
  "86400",
  "Allow",
  [...methods, "OPTIONS"].join(", "),
];

const exposed = [
  "Access-Control-Expose-Headers",
  "ETag, Link, X-Total-Count, Octavo-Ignored, Octavo-Staged, Octavo-Publish-At, Octavo-Outdated, Octavo-Faults, Octavo-Outcome, Octavo-Release, Octavo-Previews-Pending, Octavo-Fallback, Octavo-Path, Octavo-Locales, Octavo-Sequence, Octavo-File, Idempotent-Replayed, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Accept-Ranges, Content-Disposition, Content-Range, Location, Tus-Checksum-Algorithm, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset",
];
export const openCors: readonly string[] = ["Access-Control-Allow-Origin", "*", ...exposed];
const allowed =
  "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-Modified-Since, If-None-Match, If-Range, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Origin, Range, Traceparent, Tracestate, Tus-Resumable, Upload-Checksum, Upload-Length, Upload-Metadata, Upload-Offset, X-Access-Token, X-Http-Method-Override, X-Request-Id, X-Requested-With";
