import { isForgeable, isWrite, type Need } from "../src/core/http/auth.ts";
import { maxBodyBytes } from "../src/core/http/problem.ts";
import { takesSequence } from "../src/core/http/sequence.ts";
import { maxReplayedBytes } from "../src/core/idempotency.ts";
import { isOptional } from "../src/core/lib/json-schema.ts";
import { type Code, type Problem, problem } from "../src/core/problem.ts";
import "../src/features.ts";
import { maxDataBytes } from "../src/entry/entry.ts";
import { tooLarge } from "../src/entry/include-wire.ts";
import { maxPasskeys } from "../src/people/passkey.ts";
import { maxRoles } from "../src/people/role.ts";
import { maxUpdatedReferences } from "../src/reference/reference.ts";
import { maxPlanned, maxTypes } from "../src/type/type.ts";
import { maxRestoredEntries } from "../src/version/version.ts";
import { maxViews } from "../src/view/view.ts";
import { maxWebhooks } from "../src/webhook/webhook.ts";
import { maxReleaseEntries, maxReleases } from "../src/working-copy/release.ts";
import { maxCopies } from "../src/working-copy/staged.ts";
import type { ApiRoute } from "./api.ts";
import { type Provocation, type Sent, sampleGroup, sampleReleaseId, sampleViewId, sentArguments } from "./example.ts";

/** How to provoke each refusal on any route, unless the route defines it itself. */

/** The problems of every route. */
export const everywhere: readonly Code[] = [
  "argument_repeated",
  "query_too_complex",
  "key_forbidden",
  "text_invalid",
  "headers_too_large",
  "internal",
];
/** The problems of every route that requires a token. */
export const guarded: readonly Code[] = [
  "token_missing",
  "token_invalid",
  "token_ambiguous",
  "scope_missing",
  "call_limit_reached",
  "too_many_failures",
  "too_many_requests",
  "store_damaged",
];
/** The problems of every write. */
export const written: readonly Code[] = [
  "access_token_missing",
  "access_token_invalid",
  "body_invalid",
  "body_too_large",
  "media_type_unsupported",
  "argument_missing",
  "argument_invalid",
  "request_timeout",
  "busy",
  "storage_full",
  "outcome_unknown",
];

/** The problems of every write whose reply is kept. */
const kept: readonly Code[] = ["idempotency_mismatch", "idempotency_in_flight", "idempotency_too_large"];

/** What a session does not have: its tokens' places, their calls, the second token. */
const ofTokens: ReadonlySet<Code> = new Set([
  ...(["token_ambiguous", "call_limit_reached", "access_token_missing", "access_token_invalid"] as const),
]);

/** The problems of all routes with this need. */
export function sharedProblems(need: Need | undefined): Code[] {
  const ofSession: Code[] = need?.isOwn ? ["session_invalid"] : [];
  const forged: Code[] = need?.isOwn === "write" ? ["csrf_invalid"] : [];
  const shared = [...everywhere, ...(need ? guarded : []), ...(isForgeable(need) ? written : [])];
  return need?.isOwn ? [...ofSession, ...forged, ...shared.filter((code) => !ofTokens.has(code))] : shared;
}

/** All problems of a route, its own ones first. */
export function problemsOf(route: ApiRoute): Code[] {
  const { need, problems, arguments: schemas, replyForm } = route;
  const isOnce = replyForm.isSecret || need?.isOwn === "write";
  const repeated = isOnce ? (["idempotency_refused"] as const) : isWrite(need) ? kept : [];
  const all = new Set([...problems, ...sharedProblems(need), ...repeated]);
  if (takesSequence(route)) all.add("behind");
  if (Object.values(schemas).every(isOptional)) all.delete("argument_missing");
  if (Object.keys(schemas).length === 0) all.delete("argument_invalid");
  return [...all];
}

/**
 * The parts that replace those of the route's first example to provoke the problem; undefined where no single call can.
 */
export function provocation(route: ApiRoute, code: Code): Provocation | undefined {
  const own = route.refused?.[code];
  return own === null ? undefined : (own ?? byCode[code] ?? firstArgumentAs(route, code));
}

const json = { "Content-Type": "application/json" };

const byCode: Partial<Record<Code, Provocation>> = {
  argument_repeated: { query: "note=first&note=second" },
  query_too_complex: { query: "a[b][c][d][e][f][g][h][i]=1" },
  key_forbidden: { query: "__proto__=1" },
  text_invalid: { query: "note=%00" },
  headers_too_large: { headers: { "X-Note": "x".repeat(33_000) } },

  token_missing: { token: "none" },
  token_invalid: { token: "unknown" },
  token_ambiguous: { query: "token=another" },
  scope_missing: { token: "another" },
  call_limit_reached: { token: "spent" },
  session_invalid: { headers: { Cookie: "octavo_session=unknown" } },
  csrf_invalid: { headers: { "X-CSRF-Token": "unknown" } },
  access_token_missing: { accessToken: "none" },
  access_token_invalid: { accessToken: "unknown" },

  body_invalid: { body: "{", headers: json },
  body_too_large: { body: JSON.stringify("x".repeat(maxBodyBytes)), headers: json },
  media_type_unsupported: { body: "Hello", headers: { "Content-Type": "text/plain" } },
  idempotency_refused: { headers: { "Idempotency-Key": "d41f2c" } },
  revision_mismatch: { headers: { "If-Match": '"0"' } },
  precondition_failed: { headers: { "If-Match": '"0"' } },
  range_not_satisfiable: { headers: { Range: "bytes=99999999-" } },
  host_invalid: { headers: { Host: "my service" } },

  argument_unknown: { arguments: { filter: { lmit: 2 }, strict: true } },
  filter_invalid: { arguments: { filter: { where: { key: "year" } } } },
  filter_too_complex: { arguments: { filter: { order_by: Array(11).fill({ field: "year" }) } } },
  limit_too_large: { arguments: { filter: { limit: 1_000_000 } } },
  cursor_invalid: { arguments: { filter: { limit: 2 }, cursor: "unknown" } },
};

/** Replaces the first argument of a call. */
const firstArgument = new Map<Code, unknown>([
  ["argument_missing", undefined],
  ["argument_invalid", ["a", "list"]],
  ["path_invalid", "movies/../secret"],
]);

function firstArgumentAs({ url, examples, arguments: schemas }: ApiRoute, code: Code): Sent | undefined {
  if (url.endsWith("*") && code === "path_invalid") return { path: "movies//solaris.jpg" };
  const sent = sentArguments(examples[0]);
  const name = Object.keys(schemas).find((argument) => argument in sent);
  return name !== undefined && firstArgument.has(code) ? { arguments: { [name]: firstArgument.get(code) } } : undefined;
}

const yearFault = {
  ...{ pointer: "/year", rule: "type", message: '"/year" was "soon"; expected integer', accepted: "integer" },
};

const invalid = {
  ...{ id: "movies/alien", code: "data_invalid", faults: [yearFault] },
  detail: `"data" of the entry "movies/alien" does not fit the type "movie": ${yearFault.message}`,
};

/** Sample problems that no single call on the sample site can provoke. */
export const unprovoked: Partial<Record<Code, Problem>> = {
  too_many_failures: problem("too_many_failures", { seconds: 60 }),
  too_many_requests: problem("too_many_requests", { limit: "token", seconds: 2 }),
  feed_too_old: problem("feed_too_old", { since: 18, oldest: 4711 }),
  host_invalid: problem("host_invalid", { received: "my service" }),
  too_many_streams: problem("too_many_streams", { limit: 100 }),
  locales_missing: problem("locales_missing"),
  locale_unknown: problem("locale_unknown", { argument: "locale", received: "es", accepted: "en, de, fr" }),
  search_off: problem("search_off"),
  signature_invalid: problem("signature_invalid", { rule: "it does not fit the path and the arguments" }),
  request_timeout: problem("request_timeout"),
  filter_too_costly: problem("filter_too_costly", { argument: "filter[where][value]" }),
  include_too_large: tooLarge(),
  file_too_large: problem("file_too_large", { limit: 100 * 1024 * 1024 }),
  image_too_large: problem("image_too_large", { argument: "path", received: "400000000", limit: 100_000_000 }),
  image_unreadable: problem("image_unreadable", { argument: "file" }),
  image_too_costly: problem("image_too_costly", { reason: "it took longer than 10 seconds" }),
  behind: problem("behind", { sequence: "4712" }),
  busy: problem("busy", { reason: "its write queue is full" }),
  storage_full: problem("storage_full", { reason: "the disk of the data folder is full", free: 40960 }),
  outcome_unknown: problem("outcome_unknown"),
  idempotency_mismatch: problem("idempotency_mismatch"),
  idempotency_in_flight: problem("idempotency_in_flight"),
  idempotency_too_large: problem("idempotency_too_large", { limit: maxReplayedBytes }),
  store_damaged: problem("store_damaged"),
  subtree_too_large: problem("subtree_too_large", { id: "movies", count: 25_000, limit: maxRestoredEntries }),
  revision_not_found: problem("revision_not_found", { id: "movies/alien", at: 1_767_225_600 }),
  release_published: problem("release_published", { argument: "release", id: sampleReleaseId }),
  publish_scheduled: problem("publish_scheduled", {
    ...{ argument: "release", id: sampleReleaseId, release: sampleReleaseId, at: 2_210_230_800 },
  }),
  release_full: problem("release_full", { release: sampleReleaseId, limit: maxReleaseEntries }),
  release_invalid: problem("release_invalid", { id: sampleReleaseId, entries: [invalid] }),
  release_changed: problem("release_changed", { id: sampleReleaseId, entries: [{ id: "movies/alien" }] }),
  in_release: problem("in_release", { argument: "id", id: "movies/alien", release: sampleReleaseId }),
  too_many_releases: problem("too_many_releases", { limit: maxReleases }),
  too_many_copies: problem("too_many_copies", { limit: maxCopies }),
  data_invalid: problem("data_invalid", { id: "movies/alien", type: "movie", count: 1, faults: [yearFault] }),
  last_owner: problem("last_owner"),
  passkeys_unavailable: problem("passkeys_unavailable"),
  too_many_passkeys: problem("too_many_passkeys", { limit: maxPasskeys }),
  last_credential: problem("last_credential"),
  sign_in_again: problem("sign_in_again", { minutes: 10 }),
  too_many_views: problem("too_many_views", { limit: maxViews, what: "views of this person" }),
  view_not_own: problem("view_not_own", { id: sampleViewId }),
  too_many_roles: problem("too_many_roles", { limit: maxRoles }),
  too_many_webhooks: problem("too_many_webhooks", { limit: maxWebhooks }),
  plan_too_large: problem("plan_too_large", { limit: maxPlanned }),
  too_many_types: problem("too_many_types", { limit: maxTypes }),
  too_many_references: problem("too_many_references", { limit: maxUpdatedReferences }),
  in_use: problem("in_use", {
    ...{ argument: "id", path: "people/ridley-scott", references: [{ id: "movies/alien", pointers: ["/director"] }] },
    hasMore: false,
  }),
  data_too_large: problem("data_too_large", { argument: "data", limit: maxDataBytes }),
  type_too_costly: problem("type_too_costly", { type: "movie" }),
  schema_invalid: problem("schema_invalid", { pointer: "/properties/year", rule: "it refers to nothing" }),
  type_in_use: problem("type_in_use", { id: "person", by: "credit", pointer: "/properties/who/$ref" }),
  migration_changed: problem("migration_changed", { group: sampleGroup, types: [], entries: [{ id: "movies/alien" }] }),
  internal: problem("internal"),
  docs_not_built: problem("docs_not_built"),
};
