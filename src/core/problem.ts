/** The catalogue of all failures that a client may see. A code is part of the API and is never reused. Contract §3. */

export type Kind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "method"
  | "timeout"
  | "conflict"
  | "gone"
  | "precondition"
  | "range"
  | "unprocessable"
  | "locked"
  | "checksum"
  | "too_large"
  | "headers_too_large"
  | "unsupported"
  | "throttled"
  | "busy"
  | "storage"
  | "internal";

type Row<P> = { kind: Kind; title: string; detail: (params: P) => string };

const row = <P = Record<never, never>>(kind: Kind, title: string, detail: (params: P) => string): Row<P> => ({
  kind,
  title,
  detail,
});

/** Client text for a message: quoted, at most 80 characters. */
export function quote(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text.toWellFormed();
  return JSON.stringify(shown);
}

type Named = { argument: string };
type Received = Named & { received: string; accepted: string };
const wasNot = (p: Received): string => `"${p.argument}" was ${quote(p.received)}; expected ${p.accepted}`;
type Id = { id: string };
type Field = { field: string };
type PathArgument = Named & { path: string };
const missing = (what: string) => (p: PathArgument) =>
  `"${p.argument}" was ${quote(p.path)}; there is no ${what} there`;
const taken = (what: string) => (p: PathArgument) => `"${p.argument}" was ${quote(p.path)}; there is a ${what} already`;
const named = (what: string) => (p: Id) => `"id" was ${quote(p.id)}; there is no ${what} with this id`;

export const catalogue = {
  // Before authentication.
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
  ),
  body_too_large: row(
    "too_large",
    "Body too large",
    (p: { limit: number }) => `The body is larger than the ${p.limit} bytes accepted here`,
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

  origin_refused: row(
    "forbidden",
    "Origin refused",
    (p: { received: string }) =>
      `"Origin" was ${quote(p.received)}; expected none, that of the service, or one that the setting cors_origin names`,
  ),
  host_invalid: row(
    "invalid",
    "Host invalid",
    (p: { received: string }) =>
      `"Host" was ${quote(p.received)}; expected a host name or address, with or without a port`,
  ),

  // Authentication and access.
  token_missing: row(
    "unauthenticated",
    "Token missing",
    (p: { open?: string | undefined }) =>
      `"token" is missing; expected a token as the argument "token" or as "Authorization: Bearer"${p.open === undefined ? "" : `, or ${p.open}`}`,
  ),
  token_invalid: row(
    "unauthenticated",
    "Token invalid",
    () => '"token" is unknown, disabled or expired; expected a token that is in force',
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
  ),
  access_token_invalid: row(
    "unauthenticated",
    "Access token invalid",
    () => '"access_token" is unknown, disabled, expired or of another kind; expected an access token that is in force',
  ),
  scope_missing: row(
    "forbidden",
    "Scope missing",
    (p: { needed: string }) => `"token" is good, but not for this; expected a token with the scope ${p.needed}`,
  ),
  call_limit_reached: row(
    "throttled",
    "Call limit reached",
    (p: Named) => `"${p.argument}" has made all the calls its limit allows; expected a token with calls left`,
  ),
  signature_invalid: row(
    "forbidden",
    "Signature invalid",
    (p: { rule: string }) => `"s" is no signature of this address: ${p.rule}`,
  ),
  session_invalid: row(
    "unauthenticated",
    "Session over",
    () => "The session of the admin page is over or unknown; sign in again",
  ),
  csrf_invalid: row(
    "forbidden",
    "Write not from the admin page",
    (p: { rule: string }) => `A session is good for its own page alone: ${p.rule}`,
  ),
  sign_in_link_invalid: row(
    "unauthenticated",
    "Sign-in link invalid",
    () => '"code" is unknown, used or too old; expected the code of a sign-in link that was printed a short while ago',
  ),
  upload_link_invalid: row(
    "gone",
    "Upload link invalid",
    () =>
      '"code" is unknown, used or too old, or its token is; expected that of a link which was made a short while ago',
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
  sign_in_failed: row("unauthenticated", "Sign-in failed", (p: { issuer?: string } | undefined) =>
    p?.issuer === undefined
      ? "The email address or the password is wrong, or this person may not sign in"
      : `The sign-in at ${p.issuer} was not completed, or whoever signed in there may not sign in here: people are invited by the email address that is verified there`,
  ),
  sign_in_again: row(
    "forbidden",
    "Sign in again",
    (p: { minutes: number }) =>
      `A password or an email address is changed within ${p.minutes} minutes of signing in; sign in again, or send "current_password"`,
  ),
  token_sign_in_off: row(
    "forbidden",
    "Sign-in with tokens is off",
    () => "People sign in here with their email address and password; the setting token_sign_in is off",
  ),

  // Arguments.
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
  feed_too_old: row("gone", "Feed too old", (p: { since?: number; oldest?: number }) =>
    p.since === undefined
      ? 'What changed after "cursor" is no longer kept. Begin again without a cursor'
      : `The events after ${p.since} are no longer kept; the oldest is ${p.oldest}. Read everything anew, and follow from there`,
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
  focal_invalid: row("unprocessable", "Focal point invalid", wasNot),
  filter_invalid: row("invalid", "Filter invalid", wasNot),
  filter_too_complex: row(
    "invalid",
    "Filter too complex",
    (p: { rule: string }) => `The filter exceeds a limit: ${p.rule}`,
  ),
  filter_too_costly: row(
    "busy",
    "Filter too costly",
    (p: Named) => `"${p.argument}" took longer than the time allowed; make it simpler or narrow the collection first`,
  ),
  include_too_large: row(
    "invalid",
    "Too much to include",
    (p: Named & { rule: string }) => `"${p.argument}" includes too much: ${p.rule}`,
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
  ),
  data_too_large: row(
    "too_large",
    "Data too large",
    (p: { argument: string; limit: number; unit?: string }) =>
      `"${p.argument}" is too large: at most ${p.limit} ${p.unit ?? "bytes"} are kept`,
  ),

  // Nouns.
  entry_not_found: row("not_found", "Entry not found", named("entry")),
  entry_exists: row(
    "conflict",
    "Entry exists",
    (p: Named & Id) => `"${p.argument}" was ${quote(p.id)}; an entry with this id exists already`,
  ),
  move_into_itself: row(
    "conflict",
    "Move into itself",
    (p: { argument?: string; id: string; newId: string }) =>
      `"${p.argument ?? "new_id"}" was ${quote(p.newId)}, which is inside ${quote(p.id)}; expected a place outside of it`,
  ),
  revision_mismatch: row(
    "precondition",
    "Revision mismatch",
    (p: { received: string }) =>
      `"If-Match" was ${quote(p.received)}, which is not the current state; read again and retry`,
  ),
  folder_not_found: row("not_found", "Folder not found", missing("folder")),
  folder_exists: row("conflict", "Folder exists", taken("folder")),
  file_not_found: row("not_found", "File not found", missing("file")),
  file_exists: row("conflict", "File exists", taken("file")),
  file_type_refused: row("unsupported", "File type refused", wasNot),
  file_too_large: row(
    "too_large",
    "File too large",
    (p: { limit: number }) => `"file" is larger than the ${p.limit} bytes accepted (setting "upload_max_bytes")`,
  ),
  upload_not_found: row(
    "not_found",
    "Upload not found",
    (p: Id) =>
      `There is no upload ${quote(p.id)} that was begun with this token: it was ended, or kept for as long as uploads are`,
  ),
  upload_locked: row(
    "locked",
    "Upload in use",
    (p: Id) => `Another request appends to the upload ${quote(p.id)} now; try again in a few seconds`,
  ),
  upload_offset_mismatch: row(
    "conflict",
    "Upload offset mismatch",
    (p: { received: number; offset: number }) =>
      `"Upload-Offset" was ${p.received}; the service has ${p.offset} bytes: go on there`,
  ),
  upload_unfinished: row(
    "conflict",
    "Upload unfinished",
    (p: { offset: number; length: number }) =>
      `The upload is no file yet: ${p.offset} of its ${p.length} bytes are here`,
  ),
  upload_too_long: row(
    "too_large",
    "Longer than announced",
    (p: { length: number }) => `The bytes go past the ${p.length} that "Upload-Length" announced`,
  ),
  too_many_uploads: row(
    "throttled",
    "Too many uploads",
    (p: { limit: number }) => `"token" has begun ${p.limit} uploads that are not finished, as many as it may have`,
  ),
  tus_version_unsupported: row(
    "precondition",
    "Version of tus unsupported",
    (p: { received: string; accepted: string }) => `"Tus-Resumable" was ${quote(p.received)}; expected ${p.accepted}`,
  ),
  checksum_unsupported: row("invalid", "Checksum unsupported", wasNot),
  checksum_mismatch: row(
    "checksum",
    "Checksum mismatch",
    () => `The bytes do not have the hash of "Upload-Checksum", and were not kept; send them again`,
  ),
  image_too_large: row(
    "too_large",
    "Image too large",
    (p: Named & { limit: number; received?: string }) =>
      `"${p.argument}" is an image ${p.received === undefined ? "of too many" : `of ${p.received}`} pixels; expected at most ${p.limit} in all`,
  ),
  image_unreadable: row(
    "unprocessable",
    "Image unreadable",
    (p: Named) => `"${p.argument}" is an image that cannot be read; expected an intact one`,
  ),
  image_unsupported: row(
    "unsupported",
    "Image not supported",
    (p: Named & { received: string }) =>
      `"${p.argument}" is a file of type ${quote(p.received)}; expected a JPEG, PNG, GIF, WebP, AVIF, TIFF or SVG`,
  ),
  image_too_costly: row(
    "unprocessable",
    "Image too costly",
    (p: { reason: string }) => `The image could not be made within the bounds of the service: ${p.reason}`,
  ),
  field_exists: row("conflict", "Field exists", (p: Field) => `"field" was ${quote(p.field)}; the file has it already`),
  field_not_found: row(
    "not_found",
    "Field not found",
    (p: Field) => `"field" was ${quote(p.field)}; the file has none`,
  ),
  field_reserved: row(
    "invalid",
    "Field reserved",
    (p: Field) =>
      `"field" was ${quote(p.field)}; this field is the service's own. Of these only title and description can be updated`,
  ),
  range_not_satisfiable: row(
    "range",
    "Range not satisfiable",
    (p: { received: string; size: number }) =>
      `"Range" was ${quote(p.received)}; expected a range within ${p.size} bytes`,
  ),
  precondition_failed: row(
    "precondition",
    "Precondition failed",
    (p: Named & { received: string }) =>
      `"${p.argument}" was ${quote(p.received)}, which the current bytes do not meet`,
  ),
  registry_item_not_found: row("not_found", "Registry item not found", named("registry item")),
  registry_item_read_only: row(
    "conflict",
    "Registry item is read-only",
    (p: Id) => `"id" was ${quote(p.id)}; this item is built in and cannot be set or deleted`,
  ),
  token_not_found: row("not_found", "Token not found", named("token")),
  session_not_found: row("not_found", "Session not found", named("session")),
  revision_not_found: row("not_found", "Revision not found", (p: Id & { revision?: number; at?: number }) =>
    p.revision === undefined
      ? `The history of ${quote(p.id)} does not reach back to the time ${p.at}`
      : `"revision" was ${p.revision}; the history of ${quote(p.id)} has no content that was in force then`,
  ),
  nothing_staged: row(
    "conflict",
    "Nothing staged",
    (p: Id & { isRelease?: boolean }) =>
      `"id" was ${quote(p.id)}; ${p.isRelease ? "the release has no working copies and no drafts" : "the entry has no working copy; only a draft can be published without one"}`,
  ),
  staged_outdated: row(
    "conflict",
    "Working copy outdated",
    (p: Id & { keys: string; entries?: readonly NamedEntry[] }) =>
      `"id" was ${quote(p.id)}; keys of ${p.entries ? "its working copies" : "its working copy"} were changed live since they were staged: ${p.keys}; stage them again, drop them, or publish without "current"`,
  ),
  publish_scheduled: row(
    "conflict",
    "Publishing scheduled",
    (p: Id & { at: number; argument?: string; release?: string | null }) =>
      `"${p.argument ?? "id"}" was ${quote(p.id)}; ${p.release === p.id ? "the release" : "its working copy"} is published at ${p.at} and cannot change until then; ${p.release ? `POST /api/releases/publish of the release ${quote(p.release)}` : "publish"} with "at": null takes the time back`,
  ),
  too_many_copies: row(
    "conflict",
    "Too many working copies",
    (p: { limit: number }) => `There are ${p.limit} working copies already, as many as a store can have`,
  ),
  release_not_found: row(
    "not_found",
    "Release not found",
    (p: Named & Id) => `"${p.argument}" was ${quote(p.id)}; there is no release with this id`,
  ),
  release_published: row(
    "conflict",
    "Release published",
    (p: Named & Id) =>
      `"${p.argument}" was ${quote(p.id)}; the release is published and does not change any more, unless it is undone`,
  ),
  release_not_published: row(
    "conflict",
    "Release not published",
    (p: Id) => `"id" was ${quote(p.id)}; the release is not published, so there is nothing to undo`,
  ),
  release_full: row(
    "conflict",
    "Release full",
    (p: { release: string; limit: number }) =>
      `"release" was ${quote(p.release)}; it has ${p.limit} entries already, as many as a release can have`,
  ),
  release_invalid: row(
    "unprocessable",
    "Release invalid",
    (p: Id & { entries: readonly NamedEntry[] }) =>
      `"id" was ${quote(p.id)}; nothing was changed, since ${entriesOf(p.entries)} cannot be as the release says: ${p.entries[0]?.detail}`,
  ),
  release_changed: row(
    "precondition",
    "Release changed",
    (p: Id & { entries: readonly NamedEntry[] }) =>
      `"id" was ${quote(p.id)}; nothing was undone, since ${entriesOf(p.entries)} changed after the release was published: ${listed(p.entries)}`,
  ),
  in_release: row(
    "conflict",
    "In a release",
    (p: Named & Id & { release: string }) =>
      `"${p.argument}" was ${quote(p.id)}; its working copy goes live with the release ${quote(p.release)}; PATCH /api/entries/staged with "release": null takes it out`,
  ),
  too_many_releases: row(
    "conflict",
    "Too many releases",
    (p: { limit: number }) => `There are ${p.limit} releases already, as many as a store can have`,
  ),
  type_not_found: row("not_found", "Type not found", named("type")),
  schema_invalid: row(
    "invalid",
    "Schema invalid",
    (p: { pointer: string; rule: string }) => `"schema" is not accepted at ${quote(p.pointer)}: ${p.rule}`,
  ),
  type_in_use: row(
    "conflict",
    "Type in use",
    (p: Id & { by: string; pointer: string }) =>
      `"id" was ${quote(p.id)}; the schema of the type ${quote(p.by)} refers to it at ${quote(p.pointer)}, which would refer to nothing`,
  ),
  too_many_types: row(
    "conflict",
    "Too many types",
    (p: { limit: number }) => `There are ${p.limit} types already, as many as a store can have`,
  ),
  in_use: row(
    "conflict",
    "In use",
    (p: Named & { path: string; references: readonly NamedReference[]; hasMore: boolean }) =>
      `"${p.argument}" is ${quote(p.path)}, which ${p.hasMore ? "more than " : ""}${p.references.length} entries refer to, first ${quote(p.references[0]?.id ?? "")}; change these, or send "restrict" as false`,
  ),
  too_many_references: row(
    "conflict",
    "Too many references",
    (p: { limit: number }) =>
      `More than ${p.limit} entries refer to what would be moved; nothing was moved. Move it without "update_references", or in parts`,
  ),
  type_too_costly: row(
    "unprocessable",
    "Type too costly",
    (p: { type: string }) =>
      `"data" cannot be checked by the type ${quote(p.type)} within the bounds of the service; its schema has too many alternatives for such data, or for so many entries`,
  ),
  data_invalid: row(
    "unprocessable",
    "Data invalid",
    (p: Id & { type: string; count: number; faults: readonly Fault[] }) =>
      `"data" of the entry ${quote(p.id)} does not fit the type ${quote(p.type)}: ${p.faults[0]?.message}${p.count > 1 ? `, and ${p.count - 1} more` : ""}`,
  ),
  subtree_too_large: row(
    "conflict",
    "Subtree too large",
    (p: Id & { count: number; limit: number }) =>
      `"id" was ${quote(p.id)}; ${p.count} entries are at and below it; expected at most ${p.limit}`,
  ),
  trash_item_not_found: row(
    "not_found",
    "Trash item not found",
    (p: { id: number }) =>
      `"id" was ${p.id}; there is no such item in the trash: it was restored or purged, or never existed`,
  ),
  passkey_invalid: row(
    "unprocessable",
    "Passkey invalid",
    (p: Named & { rule: string }) => `"${p.argument}" cannot be verified: ${p.rule}`,
  ),
  passkeys_unavailable: row(
    "conflict",
    "Passkeys unavailable",
    () =>
      "Browsers have passkeys for host names with TLS and for localhost only, and this service has another address; expected a setting public_url that begins with https:// and a host name",
  ),
  passkey_not_found: row("not_found", "Passkey not found", named("passkey of yours")),
  too_many_passkeys: row(
    "conflict",
    "Too many passkeys",
    (p: { limit: number }) => `There are ${p.limit} passkeys of this person already, the most that one may have`,
  ),
  last_credential: row(
    "conflict",
    "Last credential",
    () => "This is the only passkey of somebody without a password; add another one or set a password first",
  ),
  view_not_found: row("not_found", "View not found", named("view of yours, and none that is shared,")),
  view_not_own: row(
    "forbidden",
    "View of somebody else",
    (p: Id) =>
      `"id" was ${quote(p.id)}; another person shares this view; expected one of yours, or the role of an owner`,
  ),
  too_many_views: row(
    "conflict",
    "Too many views",
    (p: { limit: number; what: string }) => `There are ${p.limit} ${p.what} already, the most that there may be`,
  ),
  person_not_found: row("not_found", "Person not found", named("person")),
  person_exists: row(
    "conflict",
    "Person exists",
    (p: { email: string }) => `"email" was ${quote(p.email)}; there is a person with this address already`,
  ),
  subject_taken: row(
    "conflict",
    "Subject taken",
    (p: { subject: string }) => `"subject" was ${quote(p.subject)}; another person is bound to it already`,
  ),
  person_disabled: row(
    "conflict",
    "Person disabled",
    (p: Id) => `"id" was ${quote(p.id)}; this person is disabled, and a link could not be used`,
  ),
  last_owner: row(
    "conflict",
    "Last owner",
    () => "This is the only active owner; make another one first, so that somebody can manage people",
  ),
  password_weak: row(
    "unprocessable",
    "Password too weak",
    (p: Named & { rule: string }) => `"${p.argument}" is no good password: ${p.rule}`,
  ),
  role_not_found: row(
    "not_found",
    "Role not found",
    (p: Named & { role: string }) => `"${p.argument}" was ${quote(p.role)}; there is no role with this id`,
  ),
  role_built_in: row(
    "conflict",
    "Role built in",
    (p: Id) => `"id" was ${quote(p.id)}; this role is built in and cannot be changed`,
  ),
  role_in_use: row(
    "conflict",
    "Role in use",
    (p: Id) => `"id" was ${quote(p.id)}; people have this role; give them another one first`,
  ),
  too_many_roles: row(
    "conflict",
    "Too many roles",
    (p: { limit: number }) => `There are ${p.limit} roles already, the most that a store may have`,
  ),
  webhook_not_found: row("not_found", "Webhook not found", named("webhook")),
  webhook_delivery_not_found: row(
    "not_found",
    "Webhook delivery not found",
    (p: { sequence: number }) =>
      `"sequence" was ${p.sequence}; the webhook is sent no delivery that begins with this event, or the event is no longer kept`,
  ),
  too_many_webhooks: row(
    "conflict",
    "Too many webhooks",
    (p: { limit: number }) => `There are ${p.limit} webhooks already, the most that a store may have`,
  ),
  webhook_address_refused: row(
    "invalid",
    "Webhook address refused",
    (p: Named & { received: string }) =>
      `"${p.argument}" was ${quote(p.received)}; expected an https address outside of private networks`,
  ),
  token_exists: row("conflict", "Token exists", () => "A token with this text exists; one text belongs to one token"),

  // The service.
  admin_not_built: row(
    "not_found",
    "Admin page not built",
    () => "The files of the admin page are not there; build them with: npm run build",
  ),
  docs_not_built: row(
    "not_found",
    "Documentation not built",
    () => "The files of the API reference are not there; build them with: npm run build",
  ),
  batch_too_large: row(
    "too_large",
    "Batch too large",
    (p: { limit: number; what: string }) => `The batch has too many ${p.what}; expected at most ${p.limit}`,
  ),
  operation_refused: row("invalid", "Operation not accepted in a batch", (p: Received) => `${wasNot(p)}`),
  idempotency_refused: row(
    "invalid",
    "Idempotency key not accepted",
    () =>
      `The reply has a secret, or the request is about the own account, which is not done by repetition; send it without "Idempotency-Key"`,
  ),
  idempotency_mismatch: row(
    "unprocessable",
    "Idempotency key of another request",
    () => `"Idempotency-Key" was that of another request of this token; expected a new key for a new request`,
  ),
  idempotency_in_flight: row(
    "conflict",
    "Idempotency key in use",
    () => `A request with this "Idempotency-Key" is still running; try again in a second`,
  ),
  idempotency_too_large: row(
    "unprocessable",
    "Reply too large to be kept",
    (p: { limit: number }) =>
      `The request with this "Idempotency-Key" was successful, and its reply of more than ${p.limit} bytes was not kept`,
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
  issuer_unavailable: row(
    "busy",
    "Issuer unavailable",
    (p: { issuer: string }) =>
      `${p.issuer}, where people sign in, does not answer as it should; try again, or sign in otherwise`,
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
} satisfies Record<string, Row<never>>;

export type Code = keyof typeof catalogue;

/** What a write of an entry whose data its type refuses throws. */
export const typeProblems = ["data_invalid", "type_too_costly"] as const;

/** What a write that brings an entry into a release throws. */
export const releaseProblems = [
  "release_not_found",
  "release_published",
  "publish_scheduled",
  "release_full",
  "in_release",
  "too_many_copies",
] as const;
type Params<C extends Code> = Parameters<(typeof catalogue)[C]["detail"]>[0];

type Sent<P> = [P] extends [undefined] ? [] : undefined extends P ? [P?] : [P];

/** The argument or header that a code always concerns, where its parameters do not name one. */
const impliedArguments: Partial<Record<Code, string>> = {
  body_too_large: "body",
  body_invalid: "body",
  host_invalid: "Host",
  token_missing: "token",
  token_invalid: "token",
  scope_missing: "token",
  access_token_missing: "access_token",
  access_token_invalid: "access_token",
  signature_invalid: "s",
  sign_in_link_invalid: "code",
  upload_link_invalid: "code",
  filter_too_complex: "filter",
  cursor_invalid: "cursor",
  entry_not_found: "id",
  move_into_itself: "new_id",
  revision_mismatch: "If-Match",
  file_too_large: "file",
  upload_not_found: "id",
  upload_locked: "id",
  upload_offset_mismatch: "Upload-Offset",
  upload_too_long: "Upload-Length",
  tus_version_unsupported: "Tus-Resumable",
  checksum_mismatch: "Upload-Checksum",
  field_exists: "field",
  field_not_found: "field",
  field_reserved: "field",
  range_not_satisfiable: "Range",
  registry_item_not_found: "id",
  registry_item_read_only: "id",
  token_not_found: "id",
  session_not_found: "id",
  person_not_found: "id",
  person_exists: "email",
  subject_taken: "subject",
  person_disabled: "id",
  role_built_in: "id",
  role_in_use: "id",
  revision_not_found: "revision",
  nothing_staged: "id",
  staged_outdated: "id",
  publish_scheduled: "id",
  release_not_published: "id",
  release_full: "release",
  release_invalid: "id",
  release_changed: "id",
  type_not_found: "id",
  type_in_use: "id",
  too_many_references: "update_references",
  schema_invalid: "schema",
  data_invalid: "data",
  type_too_costly: "data",
  subtree_too_large: "id",
  batch_too_large: "operations",
  idempotency_refused: "Idempotency-Key",
  idempotency_mismatch: "Idempotency-Key",
  idempotency_in_flight: "Idempotency-Key",
  idempotency_too_large: "Idempotency-Key",
  trash_item_not_found: "id",
};

/** What is wrong with data: where, by which keyword of the schema, in words, and what is accepted. */
export type Fault = {
  readonly pointer: string;
  readonly rule: string;
  readonly message: string;
  readonly accepted: string;
};

/** An entry that a problem of several names, and what is wrong with it. */
export type NamedEntry = {
  readonly id: string;
  readonly code?: string;
  readonly detail?: string;
  readonly faults?: readonly Fault[];
};

const entriesOf = ({ length }: readonly NamedEntry[]): string => (length === 1 ? "one entry" : `${length} entries`);
const maxListed = 10;
const listed = (entries: readonly NamedEntry[]): string =>
  entries
    .slice(0, maxListed)
    .map(({ id }) => quote(id))
    .join(", ") + (entries.length > maxListed ? ", …" : "");

/** An entry that refers to what a problem is about, as its reply has it. */
export type NamedReference = {
  readonly id: string;
  readonly pointers: readonly string[];
  readonly has_more?: boolean;
  /** Where only its working copy refers. */
  readonly staged?: boolean;
};

/** The parameters of a problem: strings, numbers and lists of them, so that it can be passed to another thread. */
type Facts = Readonly<Record<string, unknown>>;
/** One failure, as plain data: what a store's thread passes to the request's. */
export type ProblemData = { code: Code; params: Facts };

/**
 * A failure from the catalogue: a code and its parameters, from which the sentence is generated. `errors` lists all
 * failures of the same request, when there are several.
 */
export class Problem extends Error {
  readonly code: Code;
  readonly params: Facts;
  readonly errors: readonly Problem[];
  constructor(code: Code, params: Facts = {}, errors: readonly Problem[] = []) {
    super((catalogue[code].detail as (params: Facts) => string)(params));
    this.code = code;
    this.params = params;
    this.errors = errors;
  }
  get kind(): Kind {
    return catalogue[this.code].kind;
  }
  get title(): string {
    return catalogue[this.code].title;
  }
  /** The sentence: names the argument, what was sent and what is accepted. */
  get detail(): string {
    return this.message;
  }
  /** The argument or header it concerns, if any. */
  get argument(): string | undefined {
    const { argument, first, header } = this.params as { argument?: string; first?: string; header?: string };
    return argument ?? first ?? header ?? impliedArguments[this.code];
  }
  /** What is wrong with the data of an entry, for data_invalid. */
  get faults(): readonly Fault[] | undefined {
    return this.params.faults as readonly Fault[] | undefined;
  }
  /** The entries that refer to what is in use, for in_use. */
  get references(): readonly NamedReference[] | undefined {
    return this.params.references as readonly NamedReference[] | undefined;
  }
  /** The entries that are wrong, for problems of a release. */
  get entries(): readonly NamedEntry[] | undefined {
    return this.params.entries as readonly NamedEntry[] | undefined;
  }
  /** The number of the operation of a batch that failed. */
  get operation(): number | undefined {
    return this.params.operation as number | undefined;
  }
  /** The same failure, of this operation of a batch. */
  ofOperation(operation: number | undefined): Problem {
    const failure = new Problem(this.code, { ...this.params, operation }, this.errors);
    if (this.cause !== undefined) failure.cause = this.cause;
    return failure;
  }
  /** The same failure with its arguments renamed. */
  renamed(rename: (argument: string) => string): Problem {
    const { argument, cause } = this;
    const names = (["first", "second"] as const).filter((key) => typeof this.params[key] === "string");
    const renamed = Object.fromEntries(names.map((key) => [key, rename(this.params[key] as string)]));
    const name = argument === undefined || names.length > 0 ? argument : rename(argument);
    const failure = new Problem(
      this.code,
      name === argument ? { ...this.params, ...renamed } : { ...this.params, argument: name },
      this.errors.map((error) => error.renamed(rename)),
    );
    if (cause !== undefined) failure.cause = cause;
    return failure;
  }
}

/** The failure with its cause, which the log shows and no client. */
export const caused = (failure: Problem, cause: unknown): Problem => Object.assign(failure, { cause });

/** True for a failure of the catalogue with this code. */
export const isProblem = (error: unknown, code: Code): error is Problem =>
  error instanceof Problem && error.code === code;

/** Creates a problem; its sentence is from the catalogue. */
export function problem<C extends Code>(code: C, ...params: Sent<Params<C>>): Problem {
  return new Problem(code, params[0]);
}

/** One problem for several found at once: it has the code of the first, `errors` holds all. */
export function problems(found: readonly [Problem, ...Problem[]]): Problem {
  const [first] = found;
  if (found.length === 1) return first;
  return new Problem(first.code, first.params, found);
}

/** Runs all the checks and throws all their refusals together; returns their results, in order. */
export function checkAll<T extends unknown[]>(...checks: { [K in keyof T]: () => T[K] }): T {
  const faults: Problem[] = [];
  const read = checks.map((check) => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      faults.push(...(error.errors.length > 0 ? error.errors : [error]));
      return undefined;
    }
  });
  const [first, ...rest] = faults;
  if (first) throw problems([first, ...rest]);
  return read as T;
}
