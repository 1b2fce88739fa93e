import { BracketError } from "../lib/brackets.ts";
import { JsonError } from "../lib/json.ts";
import { type Code, type Fault, Problem, problem, rowOf } from "../problem.ts";
import type { Kind } from "../problem-row.ts";

/** The only place that maps failures to status numbers, and the only error format: RFC 9457. Contract §3. */
export const statusOf: Record<Kind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method: 405,
  timeout: 408,
  conflict: 409,
  gone: 410,
  precondition: 412,
  too_large: 413,
  unsupported: 415,
  range: 416,
  unprocessable: 422,
  locked: 423,
  throttled: 429,
  headers_too_large: 431,
  // Of the tus protocol.
  checksum: 460,
  internal: 500,
  busy: 503,
  storage: 507,
};

/** Served by this service: page/docs-routes.ts. */
export const problemDocsPath = "/docs/problems";

type ShownError = { code: Code; argument?: string | undefined; detail: string };
/** The contents of a problem besides its code; the errors of data_invalid are the faults of the data. */
export type Said = Pick<Problem, "detail"> & {
  errors: readonly (ShownError | Fault)[];
  references?: Problem["references"];
  entries?: Problem["entries"];
  operation?: Problem["operation"];
};

/** The body of a problem. `http_status_code` and `message` are for clients of Flextype (compatibility, Errors). */
export const problemBody = (failure: Problem, requestId: string): string =>
  bodyOf(
    failure.code,
    {
      detail: failure.detail,
      errors: failure.faults ?? failure.errors,
      references: failure.references,
      entries: failure.entries,
      operation: failure.operation,
    },
    requestId,
  );

/** The body of a refusal. */
export type ProblemBody = { contentType: string; text: string };

/** The same as a reply has it. */
export const formatProblem = (failure: Problem, requestId: string): ProblemBody => ({
  contentType: "application/problem+json; charset=utf-8",
  text: problemBody(failure, requestId),
});

/** The body of a problem with these contents. */
export function bodyOf(
  code: Code,
  { detail, errors, references, entries, operation }: Said,
  requestId: string,
): string {
  const { kind, title } = rowOf(code);
  const status = statusOf[kind];
  return JSON.stringify({
    type: `${problemDocsPath}#${code}`,
    title,
    status,
    code,
    detail,
    request_id: requestId,
    ...(errors.length > 0 ? { errors: errors.map(shownError) } : {}),
    ...(references && { references }),
    ...(entries && { entries }),
    ...(operation !== undefined && { operation }),
    http_status_code: status,
    message: detail,
  });
}

const shownError = (error: ShownError | Fault): ShownError | Fault =>
  "pointer" in error ? error : { code: error.code, argument: error.argument, detail: error.detail };

/** The problem with the room that is left, for a full disk whose failure did not say it. */
export function withFree(failure: Problem, freeBytes: () => number | undefined): Problem {
  if (failure.code !== "storage_full" || failure.params.free !== undefined) return failure;
  const failed = new Problem(failure.code, { ...failure.params, free: freeBytes() });
  return Object.assign(failed, { cause: failure.cause });
}

/** The headers of a problem, alternating names and values. */
export function problemHeaders({ code, kind, params }: Problem): string[] {
  const headers: string[] = [];
  if (kind === "busy" || code === "idempotency_in_flight") headers.push("Retry-After", "1");
  if (kind === "unauthenticated") headers.push("WWW-Authenticate", 'Bearer realm="octavo"');
  if (code === "method_not_allowed") headers.push("Allow", String(params.allowed));
  if (code === "too_many_failures" || code === "too_many_requests") headers.push("Retry-After", String(params.seconds));
  if (code === "range_not_satisfiable") headers.push("Content-Range", `bytes */${params.size}`);
  if (code === "tus_version_unsupported") headers.push("Tus-Version", String(params.accepted));
  // RFC 9110 §12.5.3.
  if (params.header === "Content-Encoding") headers.push("Accept-Encoding", "identity");
  return headers;
}

const jsonRules: Record<JsonError["rule"], string> = {
  syntax: "it is not JSON",
  duplicate_key: "an object has a key twice",
  too_deep: "it is nested too deep",
  number_range: "a number is out of range",
  text: "a text is not well-formed Unicode",
  forbidden_key: "an object has a key that is not accepted",
};

/** Any error as a problem: errors of the request parsers are the client's, all others are `internal`. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof JsonError) return fromJson(error);
  if (error instanceof BracketError) return fromBrackets(error);
  return internal(error);
}

function fromJson(error: JsonError): Problem {
  if (error.rule === "text") return problem("text_invalid", { argument: "body", rule: error.message });
  if (error.rule === "forbidden_key") return problem("key_forbidden", { argument: error.message });
  return problem("body_invalid", { reason: `${jsonRules[error.rule]} (${error.message})`, accepted: "a JSON object" });
}

function fromBrackets({ rule, key, message }: BracketError): Problem {
  const isToken = key === "token" || key === "access_token";
  switch (rule) {
    case "too_complex":
      return problem("query_too_complex", { rule: message });
    case "forbidden_key":
      return problem("key_forbidden", { argument: key });
    case "encoding":
      return problem("text_invalid", { argument: key.slice(0, 80), rule: message });
    default:
      return isToken ? problem("token_ambiguous", { argument: key }) : problem("argument_repeated", { argument: key });
  }
}

function internal(error: unknown): Problem {
  const failure = problem("internal");
  failure.cause = error;
  return failure;
}

/** 1.25 MiB: an entry's 1 MiB of data and its envelope. Contract §1. */
export const maxBodyBytes = 1_310_720;
export const acceptedBodies = "application/json, application/x-www-form-urlencoded or multipart/form-data";
