import { type Field, type Named, named, quote, row, wasNot } from "./problem-row.ts";

/** The failures that any feature has: of requests, callers, arguments, lists and the service itself. */
export const coreProblems = {
  route_not_found: row(
    "not_found",
    "Route not found",
    (p: { method: string; path: string; hint?: string | undefined }) =>
      `${p.method} ${quote(p.path)} is not an address of this service${p.hint === undefined ? "" : `; ${p.hint}`}`,
  ),
  method_not_allowed: row(
    "method",
    "Method not allowed",
    (p: { method: string; allowed: string }) => `${quote(p.method)} does not go here; accepted: ${p.allowed}`,
  ),
  body_invalid: row(
    "invalid",
    "Body unreadable",
    (p: { reason: string; accepted: string }) => `The body could not be read: ${p.reason}; expected ${p.accepted}`,
    "body",
  ),
  body_too_large: row(
    "too_large",
    "Body too large",
    (p: { limit: number }) => `The body is larger than the ${p.limit} bytes accepted here`,
    "body",
  ),
  media_type_unsupported: row(
    "unsupported",
    "Media type unsupported",
    (p: { header?: string; received: string; accepted: string }) =>
      `"${p.header ?? "Content-Type"}" was ${quote(p.received)}; expected ${p.accepted}`,
  ),
  headers_too_large: row(
    "headers_too_large",
    "Headers too large",
    (p: { limit: number }) => `The request line and headers are larger than the ${p.limit} bytes accepted`,
  ),
  request_invalid: row(
    "invalid",
    "Request unreadable",
    (p: { reason: string }) => `The request could not be read: ${p.reason}`,
  ),
  request_timeout: row("timeout", "Request timeout", () => "The request did not arrive completely in the time allowed"),
  query_too_complex: row(
    "invalid",
    "Query too complex",
    (p: { rule: string }) => `The query exceeds a limit: ${p.rule}`,
  ),
  key_forbidden: row(
    "invalid",
    "Key forbidden",
    (p: Named) => `"${p.argument}" is not accepted as a key; choose another name`,
  ),
  text_invalid: row(
    "invalid",
    "Text invalid",
    (p: Named & { rule: string }) =>
      `"${p.argument}" holds ${p.rule}; expected well-formed Unicode text without U+0000`,
  ),
  host_invalid: row(
    "invalid",
    "Host invalid",
    (p: { received: string }) =>
      `"Host" was ${quote(p.received)}; expected a host name or address, with or without a port`,
    "Host",
  ),
  token_missing: row(
    "unauthenticated",
    "Token missing",
    (p: { open?: string | undefined }) =>
      `"token" is missing; expected a token as the argument "token" or as "Authorization: Bearer"${p.open === undefined ? "" : `, or ${p.open}`}`,
    "token",
  ),
  token_invalid: row(
    "unauthenticated",
    "Token invalid",
    () => '"token" is unknown, disabled or expired; expected a token that is in force',
    "token",
  ),
  token_ambiguous: row(
    "invalid",
    "Token ambiguous",
    (p: Named) => `"${p.argument}" was sent in several places with different values; expected it once`,
  ),
  access_token_missing: row(
    "unauthenticated",
    "Access token missing",
    () =>
      '"access_token" is missing; a write needs an access token as the argument "access_token" or as "X-Access-Token"',
    "access_token",
  ),
  access_token_invalid: row(
    "unauthenticated",
    "Access token invalid",
    () => '"access_token" is unknown, disabled, expired or of another kind; expected an access token that is in force',
    "access_token",
  ),
  scope_missing: row(
    "forbidden",
    "Scope missing",
    (p: { needed: string }) => `"token" is good, but not for this; expected a token with the scope ${p.needed}`,
    "token",
  ),
  call_limit_reached: row(
    "throttled",
    "Call limit reached",
    (p: Named) => `"${p.argument}" has made all the calls its limit allows; expected a token with calls left`,
  ),
  too_many_failures: row(
    "throttled",
    "Too many failed authentications",
    (p: { seconds: number; what?: string }) =>
      `Too many bad ${p.what ?? "tokens were sent from this address"}; try again in ${p.seconds} seconds`,
  ),
  too_many_requests: row(
    "throttled",
    "Too many requests",
    (p: { limit: "address" | "token"; seconds: number }) =>
      `More requests came from this ${p.limit} than the setting "limit_${p.limit}" accepts; try again in ${p.seconds} seconds`,
  ),
  argument_missing: row(
    "invalid",
    "Argument missing",
    (p: Named & { accepted: string }) => `"${p.argument}" is missing; expected ${p.accepted}`,
  ),
  argument_invalid: row("invalid", "Argument invalid", wasNot),
  argument_unknown: row(
    "invalid",
    "Argument unknown",
    (p: Named & { near: string | undefined; names: readonly string[]; isMisplaced?: boolean }) => {
      if (p.isMisplaced) return `${quote(p.argument)} was sent in the query; expected it where the other arguments are`;
      const names = p.names.length > 0 ? `one of ${p.names.join(", ")}` : "no arguments";
      return `${quote(p.argument)} is unknown; ${p.near ? `did you mean "${p.near}"?` : `expected ${names}`}`;
    },
  ),
  too_many_streams: row(
    "throttled",
    "Too many streams",
    (p: { limit: number }) => `"token" has ${p.limit} streams open already, as many as it may have`,
  ),
  argument_conflict: row(
    "invalid",
    "Arguments conflict",
    (p: { first: string; second: string }) =>
      `"${p.first}" and "${p.second}" name the same thing and differ; send one of them`,
  ),
  argument_repeated: row(
    "invalid",
    "Argument repeated",
    (p: Named) => `"${p.argument}" was sent more than once with different values; expected it once`,
  ),
  path_invalid: row(
    "invalid",
    "Path invalid",
    (p: Named & { received: string; rule: string }) => `"${p.argument}" was ${quote(p.received)}; ${p.rule}`,
  ),
  field_invalid: row("invalid", "Field invalid", wasNot),
  filter_invalid: row("invalid", "Filter invalid", wasNot),
  filter_too_complex: row(
    "invalid",
    "Filter too complex",
    (p: { rule: string }) => `The filter exceeds a limit: ${p.rule}`,
    "filter",
  ),
  filter_too_costly: row(
    "busy",
    "Filter too costly",
    (p: Named) => `"${p.argument}" took longer than the time allowed; make it simpler or narrow the collection first`,
  ),
  limit_too_large: row(
    "invalid",
    "Limit too large",
    (p: Named & { received: string; max: number }) =>
      `"${p.argument}" was ${quote(p.received)}; expected at most ${p.max}`,
  ),
  cursor_invalid: row(
    "invalid",
    "Cursor invalid",
    () =>
      '"cursor" does not belong to this request; expected the cursor that the page before named, with the same arguments and token scope',
    "cursor",
  ),
  data_too_large: row(
    "too_large",
    "Data too large",
    (p: { argument: string; limit: number; unit?: string }) =>
      `"${p.argument}" is too large: at most ${p.limit} ${p.unit ?? "bytes"} are kept`,
  ),
  entry_not_found: row("not_found", "Entry not found", named("entry"), "id"),
  move_into_itself: row(
    "conflict",
    "Move into itself",
    (p: { argument?: string; id: string; newId: string }) =>
      `"${p.argument ?? "new_id"}" was ${quote(p.newId)}, which is inside ${quote(p.id)}; expected a place outside of it`,
    "new_id",
  ),
  revision_mismatch: row(
    "precondition",
    "Revision mismatch",
    (p: { received: string }) =>
      `"If-Match" was ${quote(p.received)}, which is not the current state; read again and retry`,
    "If-Match",
  ),
  file_type_refused: row("unsupported", "File type refused", wasNot),
  file_too_large: row(
    "too_large",
    "File too large",
    (p: { limit: number }) => `"file" is larger than the ${p.limit} bytes accepted (setting "upload_max_bytes")`,
    "file",
  ),
  field_reserved: row(
    "invalid",
    "Field reserved",
    (p: Field) =>
      `"field" was ${quote(p.field)}; this field is the service's own. Of these only title and description can be updated`,
    "field",
  ),
  range_not_satisfiable: row(
    "range",
    "Range not satisfiable",
    (p: { received: string; size: number }) =>
      `"Range" was ${quote(p.received)}; expected a range within ${p.size} bytes`,
    "Range",
  ),
  precondition_failed: row(
    "precondition",
    "Precondition failed",
    (p: Named & { received: string }) =>
      `"${p.argument}" was ${quote(p.received)}, which the current bytes do not meet`,
  ),
  batch_too_large: row(
    "too_large",
    "Batch too large",
    (p: { limit: number; what: string }) => `The batch has too many ${p.what}; expected at most ${p.limit}`,
    "operations",
  ),
  idempotency_refused: row(
    "invalid",
    "Idempotency key not accepted",
    () =>
      `The reply has a secret, or the request is about the own account, which is not done by repetition; send it without "Idempotency-Key"`,
    "Idempotency-Key",
  ),
  idempotency_mismatch: row(
    "unprocessable",
    "Idempotency key of another request",
    () => `"Idempotency-Key" was that of another request of this token; expected a new key for a new request`,
    "Idempotency-Key",
  ),
  idempotency_in_flight: row(
    "conflict",
    "Idempotency key in use",
    () => `A request with this "Idempotency-Key" is still running; try again in a second`,
    "Idempotency-Key",
  ),
  idempotency_too_large: row(
    "unprocessable",
    "Reply too large to be kept",
    (p: { limit: number }) =>
      `The request with this "Idempotency-Key" was successful, and its reply of more than ${p.limit} bytes was not kept`,
    "Idempotency-Key",
  ),
  behind: row(
    "busy",
    "Behind",
    (p: { sequence: string }) =>
      `This node does not have the event ${p.sequence} yet, which "min_sequence" names; try again in a second`,
  ),
  busy: row(
    "busy",
    "Busy",
    (p: { reason: string }) => `The service cannot take this now: ${p.reason}; try again in a second`,
  ),
  storage_full: row(
    "storage",
    "Storage full",
    // `free`: in bytes; null where nobody here knows.
    (p: { reason: string; free?: number | null | undefined }) =>
      `The service has no room for this: ${p.reason}${typeof p.free === "number" ? `, ${p.free} bytes are free` : ""}; nothing was stored; ask the operator of the service to free space before you send it again`,
  ),
  outcome_unknown: row(
    "busy",
    "Outcome unknown",
    () =>
      "The connection to the store was lost while it took the write, which may have happened or not; look before you repeat it",
  ),
  store_damaged: row(
    "busy",
    "Store damaged",
    () =>
      "The database of the service is damaged: all writes, and reads of damaged parts, are refused until it is repaired; ask the operator of the service",
  ),
  internal: row(
    "internal",
    "Internal error",
    () => "Something went wrong on our side; the log has the cause under this request id",
  ),
};
