// Made by npm run docs out of /api/openapi.json: the types of the operations, without their tokens.

/** For programs: a code never changes its meaning. */
export type ProblemCode =
  | "access_token_invalid"
  | "access_token_missing"
  | "admin_not_built"
  | "argument_conflict"
  | "argument_invalid"
  | "argument_missing"
  | "argument_repeated"
  | "argument_unknown"
  | "batch_too_large"
  | "behind"
  | "body_invalid"
  | "body_too_large"
  | "busy"
  | "call_limit_reached"
  | "checksum_mismatch"
  | "checksum_unsupported"
  | "csrf_invalid"
  | "cursor_invalid"
  | "data_invalid"
  | "data_too_large"
  | "docs_not_built"
  | "entry_exists"
  | "entry_not_found"
  | "feed_too_old"
  | "field_exists"
  | "field_invalid"
  | "field_not_found"
  | "field_reserved"
  | "file_exists"
  | "file_not_found"
  | "file_too_large"
  | "file_type_refused"
  | "filter_invalid"
  | "filter_too_complex"
  | "filter_too_costly"
  | "focal_invalid"
  | "folder_exists"
  | "folder_not_found"
  | "headers_too_large"
  | "host_invalid"
  | "idempotency_in_flight"
  | "idempotency_mismatch"
  | "idempotency_refused"
  | "idempotency_too_large"
  | "image_too_costly"
  | "image_too_large"
  | "image_unreadable"
  | "image_unsupported"
  | "in_release"
  | "in_use"
  | "include_too_large"
  | "internal"
  | "issuer_unavailable"
  | "key_forbidden"
  | "last_credential"
  | "last_owner"
  | "limit_too_large"
  | "locale_unknown"
  | "locales_missing"
  | "media_type_unsupported"
  | "method_not_allowed"
  | "migration_changed"
  | "migration_invalid"
  | "migration_not_found"
  | "move_into_itself"
  | "name_taken"
  | "nothing_staged"
  | "operation_refused"
  | "origin_refused"
  | "outcome_unknown"
  | "passkey_invalid"
  | "passkey_not_found"
  | "passkeys_unavailable"
  | "password_weak"
  | "path_invalid"
  | "person_disabled"
  | "person_exists"
  | "person_not_found"
  | "plan_too_large"
  | "precondition_failed"
  | "publish_scheduled"
  | "query_too_complex"
  | "range_not_satisfiable"
  | "registry_item_not_found"
  | "registry_item_read_only"
  | "release_changed"
  | "release_full"
  | "release_invalid"
  | "release_not_found"
  | "release_not_published"
  | "release_published"
  | "request_invalid"
  | "request_timeout"
  | "revision_mismatch"
  | "revision_not_found"
  | "role_built_in"
  | "role_in_use"
  | "role_not_found"
  | "route_not_found"
  | "schema_invalid"
  | "scope_missing"
  | "search_off"
  | "session_invalid"
  | "session_not_found"
  | "sign_in_again"
  | "sign_in_failed"
  | "sign_in_link_invalid"
  | "signature_invalid"
  | "staged_outdated"
  | "storage_full"
  | "store_damaged"
  | "subject_taken"
  | "subtree_too_large"
  | "text_invalid"
  | "token_ambiguous"
  | "token_exists"
  | "token_invalid"
  | "token_missing"
  | "token_not_found"
  | "token_sign_in_off"
  | "too_many_copies"
  | "too_many_failures"
  | "too_many_passkeys"
  | "too_many_references"
  | "too_many_releases"
  | "too_many_requests"
  | "too_many_roles"
  | "too_many_streams"
  | "too_many_types"
  | "too_many_uploads"
  | "too_many_views"
  | "too_many_webhooks"
  | "translation_exists"
  | "translation_not_found"
  | "trash_item_not_found"
  | "tus_version_unsupported"
  | "type_exists"
  | "type_in_use"
  | "type_not_found"
  | "type_too_costly"
  | "types_refused"
  | "upload_link_invalid"
  | "upload_locked"
  | "upload_not_found"
  | "upload_offset_mismatch"
  | "upload_too_long"
  | "upload_unfinished"
  | "view_not_found"
  | "view_not_own"
  | "webhook_address_refused"
  | "webhook_delivery_not_found"
  | "webhook_not_found"
  | "xliff_invalid";

/** RFC 9457. */
export type ProblemBody = {
  /** The URL of the problem's documentation. */
  type: string;
  /** The problem in a few words, the same for each code. */
  title: string;
  /** The status of the reply. */
  status: number;
  /** For programs: a code never changes its meaning. */
  code: ProblemCode;
  /** Names the argument, what was sent and what is accepted. */
  detail: string;
  /** Identifies the request in the log. */
  request_id: string;
  /** All faults with their codes and details, if there are several; for data_invalid the first hundred faults of the data. */
  errors?: {
    /** Of this fault. */
    code?: string;
    /** The argument or header of this fault; absent if it has none. */
    argument?: string;
    /** Of this fault. */
    detail?: string;
    /** For data_invalid: a JSON pointer. */
    pointer?: string;
    /** The keyword of the schema. */
    rule?: string;
    /** In words. */
    message?: string;
    /** What is accepted. */
    accepted?: string;
  }[];
  /** For in_use: the first entries that refer to the thing. */
  references?: Reference[];
  /** Of a release: the entries that are wrong, each with what is wrong with it. */
  entries?: {
    /** The entry. */
    id: string;
    /** What it would be refused for alone. */
    code?: string;
    /** The same in words. */
    detail?: string;
    /** The first faults of its data. */
    faults?: object[];
    /** For staged_outdated: the outdated keys. */
    keys?: string[];
  }[];
  /** Of a batch: the number of the operation that failed, from 0. */
  operation?: number;
  /** The status again, for clients of the Flextype API. */
  http_status_code?: number;
  /** The detail again, for clients of the Flextype API. */
  message?: string;
};

/** An entry: the client's own keys and the service's. */
export type EntryObject = {
  /** Supplied by the client, like every key that is not listed here. */
  title?: unknown;
  /** Supplied by the client; "" when it was not. */
  content: unknown;
  /** When it is or becomes public. Unix seconds. */
  published_at: number;
  /** When it was created. Unix seconds. */
  created_at: number;
  /** When it last changed. Unix seconds. */
  modified_at: number;
  /** The publisher; empty when not set. */
  published_by: string;
  /** The creator; empty when not set. */
  created_by: string;
  /** Whether a site shows a page for it; the service only stores it. */
  routable: boolean;
  /** `hidden` is fetched by id but never listed; `draft` is not public. */
  visibility: "visible" | "hidden" | "draft";
  /** Generated by the service; stays when the entry moves. */
  uuid: string;
  /** The entry's id. */
  slug: string;
};

/** The fields that `only` and `except` leave. */
export type PartialEntry = {
  /** Supplied by the client, like every key that is not listed here. */
  title?: unknown;
  /** Supplied by the client; "" when it was not. */
  content?: unknown;
  /** When it is or becomes public. Unix seconds. */
  published_at?: number;
  /** When it was created. Unix seconds. */
  created_at?: number;
  /** When it last changed. Unix seconds. */
  modified_at?: number;
  /** The publisher; empty when not set. */
  published_by?: string;
  /** The creator; empty when not set. */
  created_by?: string;
  /** Whether a site shows a page for it; the service only stores it. */
  routable?: boolean;
  /** `hidden` is fetched by id but never listed; `draft` is not public. */
  visibility?: "visible" | "hidden" | "draft";
  /** Generated by the service; stays when the entry moves. */
  uuid?: string;
  /** The entry's id. */
  slug?: string;
};

/** A folder. */
export type FolderObject = {
  /** The folder's path. */
  path: string;
  /** The absolute directory on the server. */
  full_path: string;
  /** Path below the site's root, not encoded. */
  url: string;
  /** The absolute URL, percent-encoded. */
  full_url: string;
};

/** The fields that `only` and `except` leave. */
export type PartialFolder = {
  /** The folder's path. */
  path?: string;
  /** The absolute directory on the server. */
  full_path?: string;
  /** Path below the site's root, not encoded. */
  url?: string;
  /** The absolute URL, percent-encoded. */
  full_url?: string;
};

/** A file: the service's fields and, at the same level, the client's own. */
export type FileObject = {
  /** The title; by default the name without extension. */
  title: string;
  /** A text about the file; may be empty. */
  description: string;
  /** The media type detected in the bytes. */
  type: string;
  /** Bytes. */
  filesize: number;
  /** When the bytes were uploaded. Unix seconds. */
  uploaded_on: number;
  /** Only of images; the size as stored, before any EXIF rotation. */
  exif: {
    /** Width and height as attributes of an `img`. */
    html?: string;
    /** Pixels. */
    Height?: number;
    /** Pixels. */
    Width?: number;
    /** 1, or 0 for a greyscale image. */
    IsColor?: number;
  };
  /** With `options[preview]`: what stands in for a picture until it is loaded; null for what is no picture, or one that cannot be drawn; absent where it is not made yet (see `Octavo-Previews-Pending`). */
  preview?: {
    /** A ThumbHash of the upright picture, in base64. */
    thumbhash: string;
    /** The mean colour of what is not transparent. */
    color: string;
  } | null;
  /** The name with its extension. */
  filename: string;
  /** The name without its extension. */
  basename: string;
  /** In lower case, without the dot. */
  extension: string;
  /** The absolute directory on the server. */
  dirname: string;
  /** Path below the site's root, not encoded. */
  url: string;
  /** The absolute URL, percent-encoded. */
  full_url: string;
  /** Changes whenever the bytes do. */
  version: string;
  /** With `options[sent_name]`: the name under which the file was uploaded; null for files from before this was kept, and for copies. */
  sent_name?: string | null;
};

/** The fields that `only` and `except` leave. */
export type PartialFile = {
  /** The title; by default the name without extension. */
  title?: string;
  /** A text about the file; may be empty. */
  description?: string;
  /** The media type detected in the bytes. */
  type?: string;
  /** Bytes. */
  filesize?: number;
  /** When the bytes were uploaded. Unix seconds. */
  uploaded_on?: number;
  /** Only of images; the size as stored, before any EXIF rotation. */
  exif?: {
    /** Width and height as attributes of an `img`. */
    html?: string;
    /** Pixels. */
    Height?: number;
    /** Pixels. */
    Width?: number;
    /** 1, or 0 for a greyscale image. */
    IsColor?: number;
  };
  /** With `options[preview]`: what stands in for a picture until it is loaded; null for what is no picture, or one that cannot be drawn; absent where it is not made yet (see `Octavo-Previews-Pending`). */
  preview?: {
    /** A ThumbHash of the upright picture, in base64. */
    thumbhash: string;
    /** The mean colour of what is not transparent. */
    color: string;
  } | null;
  /** The name with its extension. */
  filename?: string;
  /** The name without its extension. */
  basename?: string;
  /** In lower case, without the dot. */
  extension?: string;
  /** The absolute directory on the server. */
  dirname?: string;
  /** Path below the site's root, not encoded. */
  url?: string;
  /** The absolute URL, percent-encoded. */
  full_url?: string;
  /** Changes whenever the bytes do. */
  version?: string;
  /** With `options[sent_name]`: the name under which the file was uploaded; null for files from before this was kept, and for copies. */
  sent_name?: string | null;
};

/** A registry item. */
export type RegistryItem = {
  /** A dotted key. */
  key: string;
  /** The value as stored; for a key that only has keys below it, an object of their values. */
  value: unknown;
};

/** A token without its secret. */
export type Token = {
  /** The paths of entries and uploads at and below which it holds; absent for all. */
  paths?: string[];
  /** `staged`: its writes never change what is live; absent for `all`. */
  writes?: "all" | "staged";
  /** The locales that its writes may change; absent for all. */
  locales?: string[];
  /** Of a preview: who made it, the id of a token or `person:<id>`. */
  maker?: string;
  /** Of a preview: the release that it shows; absent for none. */
  release?: string;
  /** Identifies the token in requests; not a secret. */
  id: string;
  /** What the token is for. */
  kind: "delivery" | "management" | "preview" | "images" | "access";
  /** The resources it gives access to. */
  resources: ("entries" | "registry" | "files" | "folders" | "admin")[];
  /** A label for people. */
  label: string;
  /** Where it is used, such as `production`. */
  environment: string;
  /** Whether it is accepted. */
  state: "enabled" | "disabled";
  /** Maximum number of calls; 0 for no limit. */
  limit_calls: number;
  /** Number of calls so far. */
  calls: number;
  /** Unix seconds, or null. */
  expires_at: number | null;
  /** When it was created. Unix seconds. */
  created_at: number;
  /** Unix seconds, or null. */
  last_used_at: number | null;
};

/** A token with its secret. */
export type TokenWithSecret = {
  /** The paths of entries and uploads at and below which it holds; absent for all. */
  paths?: string[];
  /** `staged`: its writes never change what is live; absent for `all`. */
  writes?: "all" | "staged";
  /** The locales that its writes may change; absent for all. */
  locales?: string[];
  /** Of a preview: who made it, the id of a token or `person:<id>`. */
  maker?: string;
  /** Of a preview: the release that it shows; absent for none. */
  release?: string;
  /** Identifies the token in requests; not a secret. */
  id: string;
  /** What the token is for. */
  kind: "delivery" | "management" | "preview" | "images" | "access";
  /** The resources it gives access to. */
  resources: ("entries" | "registry" | "files" | "folders" | "admin")[];
  /** A label for people. */
  label: string;
  /** Where it is used, such as `production`. */
  environment: string;
  /** Whether it is accepted. */
  state: "enabled" | "disabled";
  /** Maximum number of calls; 0 for no limit. */
  limit_calls: number;
  /** Number of calls so far. */
  calls: number;
  /** Unix seconds, or null. */
  expires_at: number | null;
  /** When it was created. Unix seconds. */
  created_at: number;
  /** Unix seconds, or null. */
  last_used_at: number | null;
  /** The secret, shown only in this reply. */
  token: string;
};

/** A live session of the admin page. */
export type Session = {
  /** Identifies the session in requests; not a secret. */
  id: string;
  /** Who signed in: the id of a management token, or `person:` and the id of a person. */
  actor: string;
  /** The person's name; absent for tokens and the service. */
  actor_name?: string;
  /** When it was started. Unix seconds. */
  created_at: number;
  /** When it was last used, at most a minute behind. Unix seconds. */
  last_seen_at: number;
  /** When it ends. Unix seconds. */
  expires_at: number;
};

/** A live session of the person who asks. */
export type OwnSession = {
  /** Identifies the session in requests; not a secret. */
  id: string;
  /** When it was started. Unix seconds. */
  created_at: number;
  /** When it was last used, at most a minute behind. Unix seconds. */
  last_seen_at: number;
  /** When it ends. Unix seconds. */
  expires_at: number;
  /** True for the session of the call itself. */
  current: boolean;
};

/** A key on a person's devices, with which the person signs in. */
export type Passkey = {
  /** Identifies the passkey in requests. */
  id: string;
  /** What the person calls it. */
  name: string;
  /** When it was added. Unix seconds. */
  created_at: number;
  /** When somebody last signed in with it, in Unix seconds; null for never. */
  last_used_at: number | null;
  /** When the authenticator last counted no further than before, in Unix seconds: there may be a copy of the key. Null for never. */
  counter_back_at: number | null;
};

/** What `PublicKeyCredential.parseCreationOptionsFromJSON()` takes, with the names of WebAuthn: `rp`, `user`, `challenge`, `pubKeyCredParams`, `timeout`, `excludeCredentials`, `authenticatorSelection` and `attestation`. */
export type PasskeyOptions = {
  /** Good for one passkey within five minutes, base64url. */
  challenge: string;
};

/** Somebody who signs in. */
export type Person = {
  /** Identifies the person in requests; in the log behind `person:`. */
  id: string;
  /** The name; empty until the invitation is accepted, unless it was given. */
  name: string;
  /** The email address, unique without case. */
  email: string;
  /** The id of the role. */
  role: string;
  /** `invited` until the link is used; `disabled` may not sign in. */
  state: "invited" | "active" | "disabled";
  /** The issuer of OpenID Connect at which the person signs in; null for who is bound to none. */
  issuer: string | null;
  /** Who the person is there: its `sub`. */
  subject: string | null;
  /** When the person was invited. Unix seconds. */
  created_at: number;
  /** When the person last used a session, in Unix seconds, at most a minute behind; null for never. */
  last_seen_at: number | null;
};

/** The person who asks. */
export type OwnPerson = {
  /** Identifies the person in requests; in the log behind `person:`. */
  id: string;
  /** The name; empty until the invitation is accepted, unless it was given. */
  name: string;
  /** The email address, unique without case. */
  email: string;
  /** The id of the role. */
  role: string;
  /** `invited` until the link is used; `disabled` may not sign in. */
  state: "invited" | "active" | "disabled";
  /** The issuer of OpenID Connect at which the person signs in; null for who is bound to none. */
  issuer: string | null;
  /** Who the person is there: its `sub`. */
  subject: string | null;
  /** When the person was invited. Unix seconds. */
  created_at: number;
  /** When the person last used a session, in Unix seconds, at most a minute behind; null for never. */
  last_seen_at: number | null;
  /** What the admin page keeps for the person, by name. */
  preferences: object;
};

/** A person with a one-use link. */
export type PersonWithLink = {
  /** Identifies the person in requests; in the log behind `person:`. */
  id: string;
  /** The name; empty until the invitation is accepted, unless it was given. */
  name: string;
  /** The email address, unique without case. */
  email: string;
  /** The id of the role. */
  role: string;
  /** `invited` until the link is used; `disabled` may not sign in. */
  state: "invited" | "active" | "disabled";
  /** The issuer of OpenID Connect at which the person signs in; null for who is bound to none. */
  issuer: string | null;
  /** Who the person is there: its `sub`. */
  subject: string | null;
  /** When the person was invited. Unix seconds. */
  created_at: number;
  /** When the person last used a session, in Unix seconds, at most a minute behind; null for never. */
  last_seen_at: number | null;
  /** True when the setting's mail server took the link. */
  mailed: boolean;
  /** The address of the page that takes the password, only in this reply; absent when it was mailed. */
  link?: string;
  /** When the link ends. Unix seconds. */
  link_expires_at: number;
};

/** What people may do: the rights of a management token. */
export type Role = {
  /** 1 to 64 small letters, digits, `_` and `-`. */
  id: string;
  /** For people. */
  title: string;
  /** What its people have access to. */
  resources: ("entries" | "registry" | "files" | "folders" | "admin")[];
  /** The paths of entries and uploads at and below which it holds; null for everywhere. */
  paths: string[] | null;
  /** `none` reads only; `staged` changes nothing that is live. */
  writes: "none" | "staged" | "all";
  /** The locales that its people may change; null for all. */
  locales: string[] | null;
  /** True for the roles of every store, which cannot be changed. */
  built_in: boolean;
};

/** A table of entries that a person saved. */
export type View = {
  /** Identifies the view in requests. */
  id: string;
  /** For people. */
  title: string;
  /** The entries below this path; empty for all. */
  path: string;
  /** The names of fields, in the order of the columns. */
  columns: string[];
  /** As the argument `sort` of lists; empty for the order of ids. */
  sort: string;
  /** True for all who may read entries. */
  shared: boolean;
  /** The id of the person who made it. */
  owner: string;
  /** The name of this person. */
  owner_name: string;
  /** What the table shows: the JSON value that was saved. */
  filter: unknown;
};

/** An address that is sent the events of writes. */
export type Webhook = {
  /** Identifies the webhook in requests. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** What people call it. */
  label: string;
  /** The kinds of events that it is sent, `entry.*` for all of a noun; null for all. */
  kinds: string[] | null;
  /** Only events of entries and files at and below these paths; null for everywhere. */
  paths: string[] | null;
  /** `failed`: it did not acknowledge for seven days, or answered 410. It stays so until it is switched on. */
  state: "on" | "off" | "failed";
  /** The last event that it acknowledged, or that it is not sent. */
  sequence: number;
  /** Since when the delivery that is next fails, in Unix seconds; null while none does. */
  failing_since: number | null;
  /** When that is tried again, in Unix seconds; null while none fails. */
  next_at: number | null;
  /** Until when the secret before the last rotation signs, too, in Unix seconds; null if it was never rotated. */
  old_secret_until: number | null;
  /** When it was made. Unix seconds. */
  created_at: number;
};

/** A webhook with its secret. */
export type WebhookWithSecret = {
  /** Identifies the webhook in requests. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** What people call it. */
  label: string;
  /** The kinds of events that it is sent, `entry.*` for all of a noun; null for all. */
  kinds: string[] | null;
  /** Only events of entries and files at and below these paths; null for everywhere. */
  paths: string[] | null;
  /** `failed`: it did not acknowledge for seven days, or answered 410. It stays so until it is switched on. */
  state: "on" | "off" | "failed";
  /** The last event that it acknowledged, or that it is not sent. */
  sequence: number;
  /** Since when the delivery that is next fails, in Unix seconds; null while none does. */
  failing_since: number | null;
  /** When that is tried again, in Unix seconds; null while none fails. */
  next_at: number | null;
  /** Until when the secret before the last rotation signs, too, in Unix seconds; null if it was never rotated. */
  old_secret_until: number | null;
  /** When it was made. Unix seconds. */
  created_at: number;
  /** Verifies deliveries; `whsec_` and base64. It is not shown again. */
  secret: string;
};

/** One attempt to deliver. */
export type WebhookAttempt = {
  /** The first event of the delivery; null for a test. */
  sequence: number | null;
  /** 1 for the first. */
  attempt: number;
  /** When it was sent. Unix seconds. */
  at: number;
  /** Of the reply; null when there was none. */
  status: number | null;
  /** How long the reply took, in milliseconds. */
  duration_ms: number;
  /** Why there was no reply: `timeout`, `webhook_address_refused`, `secret_unreadable` or the name of a failure of the network, as `ECONNREFUSED`; null when there was one. */
  error: string | null;
  /** When it is tried again, in Unix seconds; null for never. */
  next_at: number | null;
};

/** One write. */
export type LogEvent = {
  /** Rises with each event. */
  sequence: number;
  /** When it happened. Unix seconds. */
  at: number;
  /** The kind of write: noun and verb. */
  kind: string;
  /** What changed: a slug, a registry key, the id of a token, session, role or person. */
  subject: string;
  /** The destination of a move or copy. */
  target: string | null;
  /** Number of changed things: the size of the subtree. */
  count: number;
  /** The id of the token that wrote, `person:` and the id of a person, or `octavo`. */
  actor: string;
  /** The person's name; absent for tokens and the service. */
  actor_name?: string;
  /** The id of the request, as in its header `X-Request-Id` and its log line; absent for commands. */
  request_id?: string;
  /** The client's address, where the setting `audit_addresses` is on. */
  address?: string;
  /** Of a write of a translation: its locale. Absent for the source. */
  locale?: string;
  /** Of a publication: the keys that it put back, though they had been changed live since they were staged. */
  outdated?: string[];
};

/** Statistics of the running service. */
export type Stats = {
  /** Version of Octavo. */
  version: string;
  /** Uptime of the process in seconds. */
  uptime_seconds: number;
  /** Number of entries, including drafts. */
  entries?: number;
  /** Number of folders. */
  folders?: number;
  /** Number of files. */
  files?: number;
  /** Bytes of all files; equal files count once. */
  blob_bytes?: number;
  /** Number of cached images. */
  renditions: number;
  /** Bytes of the cached images. */
  rendition_bytes: number;
  /** Number of earlier contents that are kept. */
  history_rows?: number;
  /** Their size, with the bytes of files. */
  history_bytes?: number;
  /** Number of items in the trash. */
  trash_items?: number;
  /** Their size. */
  trash_bytes?: number;
  /** Number of registry items, without the built-in ones. */
  registry_items?: number;
  /** Number of tokens, including disabled ones. */
  tokens?: number;
  /** Number of webhooks that failed, and stay so until they are switched on. */
  webhooks_failed?: number;
  /** Number of files in `uploads.unknown/` of the data folder: moved there from `uploads/`, since the service did not create them. */
  unknown_uploads: number;
  /** Size of the database on the disk. */
  store_bytes: number;
  /** Resident memory of the process. */
  memory_bytes: number;
  /** `damaged` refuses all writes. */
  store_state: "ok" | "damaged";
  /** The damage that was found, one fault per line; "" for none. */
  store_faults: string;
  /** When this process last checked the whole database file, in Unix seconds; 0 for never, absent on PostgreSQL. */
  store_checked_at?: number;
  /** Seconds by which the newest event is ahead of the clock; 0 if it is not. */
  clock_behind_seconds?: number;
  /** Number of entries not visible yet because the clock was ahead when they were created. */
  future_entries?: number;
};

/** An earlier content of an entry, a file or a registry item. */
export type HistoryRow = {
  /** The event that made this content. */
  revision: number;
  /** When, in Unix seconds; null when it is not known. */
  at: number | null;
  /** The id of the token that made it; null when it is not known any more. */
  actor: string | null;
  /** When it was replaced. Unix seconds. */
  replaced_at: number;
  /** The person's name; absent for tokens and the service. */
  actor_name?: string;
  /** The id of the token that replaced it, or `person:` and the id of a person. */
  replaced_by: string;
  /** The person's name; absent for tokens and the service. */
  replaced_by_name?: string;
  /** The size of the content, with the bytes of a file. */
  bytes: number;
};

/** An entry that was changed lately. */
export type RecentEntry = {
  /** The entry. */
  id: string;
  /** Its field `title`, if that is a text. */
  title: string;
  /** Its visibility now. */
  visibility: "visible" | "hidden" | "draft";
  /** When it is or becomes public. Unix seconds. */
  published_at: number;
  /** Whether it has a working copy. */
  staged: boolean;
  /** The kind of the change. */
  kind: string;
  /** When it was changed. Unix seconds. */
  at: number;
  /** Who changed it: the id of a token, `person:` and that of a person, or `octavo`. */
  actor: string;
  /** The person's name; absent for tokens and the service. */
  actor_name?: string;
};

/** An entry that has a working copy. */
export type StagedRow = {
  /** The entry. */
  id: string;
  /** Its field `title` with the copy laid over, if that is a text. */
  title: string;
  /** The event that changed the working copy last. */
  revision: number;
  /** When it was changed last. Unix seconds. */
  staged_at: number;
  /** The id of the token that changed it last, or `person:` and the id of a person. */
  staged_by: string;
  /** The person's name; absent for tokens and the service. */
  staged_by_name?: string;
  /** When it is published, in Unix seconds; null when that is not scheduled. */
  publish_at: number | null;
  /** The keys that were changed live since they were staged: publishing puts them back. */
  outdated: string[];
  /** Of a translation; absent for the source. */
  locale?: string;
  /** The release that it goes live with; absent without one. */
  release?: string;
};

/** A set of working copies and drafts that go live together. */
export type Release = {
  /** Made by the service. */
  id: string;
  /** What people call it. */
  title: string;
  /** `failed`: its time came, and it was refused; it may be corrected and published again. */
  state: "open" | "scheduled" | "published" | "failed";
  /** When it is published, or was, in Unix seconds; absent where it has no time. */
  at?: number;
  /** The number of its entries, of those that the token may see. */
  count: number;
  /** When it was made. Unix seconds. */
  created_at: number;
  /** The id of the token that made it, or `person:` and the id of a person. */
  created_by: string;
  /** The person's name; absent for tokens and the service. */
  created_by_name?: string;
};

/** A key of a working copy that was changed live since it was staged. */
export type OutdatedKey = {
  /** A key of the client's data, or a field of the service. */
  key: string;
  /** The content that it was staged on; null when the history has that no longer. */
  revision: number | null;
  /** Its value when it was staged; absent when there was none, or `revision` is null. */
  base?: unknown;
  /** Its value now; absent when it was removed. */
  live?: unknown;
  /** Its value in the working copy; absent when that removes it. */
  staged?: unknown;
};

/** An entry that refers to another thing. */
export type Reference = {
  /** The entry that refers. */
  id: string;
  /** Where in its data, as JSON pointers: the first 100. */
  pointers: string[];
  /** True when it refers in more places than these. */
  has_more?: boolean;
  /** True where only its working copy refers; in refusals. */
  staged?: boolean;
};

/** A content type: which data the entries of some paths have. */
export type ContentType = {
  /** 1 to 64 small letters, digits, `_` and `-`. */
  id: string;
  /** For people. */
  title: string;
  /** For people. */
  description: string;
  /** Patterns of the ids of its entries. */
  paths: string[];
  /** A JSON Schema 2020-12. */
  schema: unknown;
  /** `enforce` refuses data that does not fit; `off` checks nothing. */
  mode: "enforce" | "off";
  /** Only where an earlier version took the schema: why a PUT of it would be refused. */
  fault?: {
    /** Where in the schema: a JSON pointer. */
    pointer: string;
    /** Why, in words, with the name to use instead. */
    message: string;
  };
};

/** What a type would refuse of what is stored. */
export type TypeCheck = {
  /** The entries that the type would have. */
  checked: number;
  /** Those of them whose data does not fit. */
  failing: number;
  /** The first hundred of these, by id, with at most ten faults each. */
  first: {
    /** The entry. */
    id: string;
    /** At most ten. */
    errors: {
      /** Where in the data: a JSON pointer. */
      pointer: string;
      /** The keyword of the schema. */
      rule: string;
      /** The fault in words. */
      message: string;
      /** What is accepted there. */
      accepted: string;
    }[];
  }[];
  /** True when its time (`scan_management_ms`) ended before all entries were looked at: the figures are those of the entries up to `last`. Absent otherwise. */
  has_more?: boolean;
  /** With `has_more`, the id of the entry that the check came to: send it as `after` to go on. */
  last?: string;
};

/** What one DELETE took away. */
export type TrashItem = {
  /** The sequence of the event that deleted it. */
  id: number;
  /** What it is. */
  noun: "entry" | "folder" | "file";
  /** Where it was; after a restore where it is. */
  path: string;
  /** The number of entries, or of folders and files. */
  count: number;
  /** The size of the data of entries, or of the bytes of files. */
  bytes: number;
  /** When it was deleted. Unix seconds. */
  deleted_at: number;
  /** The id of the token that deleted it, or `person:` and the id of a person. */
  deleted_by: string;
  /** The person's name; absent for tokens and the service. */
  deleted_by_name?: string;
  /** Of a translation that was deleted alone. */
  locale?: string;
  /** When it is deleted for good. Unix seconds. */
  expires_at: number;
};

/** A condition on a field. */
export type Condition = {
  /** A field; dots separate the keys of nested objects. */
  key?: string;
  /** One of eq, neq, lt, lte, gt, gte, in, nin, contains, ncontains, member_of, starts_with, ends_with, between, nbetween, newer, older, regexp, nregexp, exists, or another spelling of these, such as = or >=. */
  expr?: string;
  /** Another name of `expr`. */
  operator?: string;
  /** The value to compare with, of which the text counts; a list for operators that take one. */
  value?: string | unknown | boolean | null | (string | unknown | boolean | null)[];
};

/** A sort key. */
export type SortKey = {
  /** A field; dots separate the keys of nested objects. */
  field?: string;
  /** asc or desc. */
  direction?: string;
};

/** Search and sort arguments, and fields to answer. `filter` itself reads a collection; `options[filter]` applies to a single entry, too. */
export type Filter = {
  /** The first condition, or a list of conditions. */
  where?: Condition | Condition[];
  /** More conditions that must hold, by index: `filter[and_where][0][key]` and so on. */
  and_where?: Condition | Condition[];
  /** Alternatives to all the other conditions together, by index. */
  or_where?: Condition | Condition[];
  /** A sort key, or a list of them. */
  order_by?: SortKey | SortKey[];
  /** Maximum number of results. */
  limit?: number;
  /** Number of results to skip. */
  offset?: number;
  /** all, first, last, next, random, shuffle, exists or count: what to answer in place of the list. `random_value` is the number of random results, drawn from all matches, or from those within `limit` if it is sent. */
  return?: string;
  /** A list of the fields to answer; dots separate the keys of nested objects. */
  only?: string | string[];
  /** A list of the fields to leave out. */
  except?: string | string[];
  /** A field: answers an object of lists by its values. The matches must fit on one page. */
  group_by?: string;
  /** Words. Each must occur in a text field of the client's data, at any depth and in any case. For a file these are the title, the description and the meta fields; a folder has none. */
  search?: string;
  /** A text that must occur in any text field of the whole object, or a list of texts of which one must. `/pattern/flags` is a regular expression (RE2) with the flags i, m, s and u, here and in `not_contains` and `path`. */
  contains?: string | string[];
  /** A text or pattern that must not occur in any text field, or a list of them. */
  not_contains?: string | string[];
  /** A text or pattern that must occur in the id, or in the part of it below the collection; or a list of which one must. */
  path?: string | string[];
  /** Depth below the id: 1, >1, <=3, a list of these, or *. */
  depth?: string | number | (string | number)[];
  /** Fields, at most 5, as commas or a list: beside the data stands how often each has which values, over all matches. */
  facets?: string | string[];
  /** `true` sends the total number of matches in X-Total-Count. */
  total?: boolean;
};

/** What a model of types changes. */
export type ModelChange = {
  /** Whether nothing was stored. */
  dry_run: boolean;
  /** The types that change, by id. */
  changes: {
    /** The type. */
    id: string;
    /** What becomes of it. */
    change: "added" | "changed" | "removed";
    /** Of a type that is changed. */
    differences: {
      /** Where in the type object: a JSON pointer. */
      pointer: string;
      /** What becomes of it. Of a list of texts or numbers each item is added or removed. */
      change: "added" | "removed" | "changed" | "reordered";
      /** The value, unless it is added. */
      before?: unknown;
      /** The value, unless it is removed. */
      after?: unknown;
    }[];
  }[];
  /** How many types stay as they are. */
  unchanged: number;
};

/** What the reply has besides. */
export type UploadOptions = {
  /** `true` sends `sent_name`, the name under which the file was uploaded. */
  sent_name?: boolean;
};

/** By id: where each entry is in the locale, and in others. */
export type LocaleInfo = Record<
  string,
  {
    path: string;
    /** Keys that fell back. */
    fallback: string[];
    /** Its path in each locale. */
    locales: Record<string, string>;
  }
>;

/** How far an entry is translated into a locale. */
export type Translation = {
  /** The locale. */
  locale: string;
  /** Whether there is a translation. */
  exists: boolean;
  /** The last part of its path in this locale; null for that of the entry. */
  name: string | null;
  /** Null without a translation, as what follows. */
  visibility: "visible" | "hidden" | "draft" | null;
  /** When it is or becomes public. Unix seconds. */
  published_at: number | null;
  /** The event that made it. */
  revision: number | null;
  /** When it last changed. Unix seconds. */
  modified_at: number | null;
  /** The id of the token that changed it, or `person:` and the id of a person. */
  modified_by: string | null;
  /** The translated keys. */
  keys: string[];
  /** Keys that its type lets be translated, and that the source has and it has not. */
  missing: string[];
  /** Translated keys whose source has changed since. */
  outdated: string[];
  /** Keys of its working copy. */
  staged: string[];
};

/** How far one entry is translated into one locale. */
export type TranslationRow = {
  /** The id of the entry. */
  id: string;
  /** Its title in the source; empty without one. */
  title: string;
  /** The locale. */
  locale: string;
  /** Whether there is a translation. */
  exists: boolean;
  /** The last part of its path in this locale; null for that of the entry. */
  name: string | null;
  /** Null without a translation, as what follows. */
  visibility: "visible" | "hidden" | "draft" | null;
  /** When it is or becomes public. Unix seconds. */
  published_at: number | null;
  /** The event that made it. */
  revision: number | null;
  /** When it last changed. Unix seconds. */
  modified_at: number | null;
  /** The id of the token that changed it, or `person:` and the id of a person. */
  modified_by: string | null;
  /** The translated keys. */
  keys: string[];
  /** Keys that its type lets be translated, and that the source has and it has not. */
  missing: string[];
  /** Translated keys whose source has changed since. */
  outdated: string[];
  /** Keys of its working copy. */
  staged: string[];
};

/** How far entries are translated into a locale. */
export type TranslationCounts = {
  /** The entries that there are. */
  entries: number;
  /** Those that are neither missing nor outdated. */
  done: number;
  /** Those with outdated keys. */
  outdated: number;
  /** Those without a translation, or with missing keys; some are outdated, too. */
  missing: number;
};

/** What became of the units of a translators' file. */
export type XliffOutcome = {
  /** Units whose targets were staged. */
  applied: number;
  /** Units whose targets are there already. */
  unchanged: number;
  /** Units whose source has changed since the file was written. */
  outdated: {
    /** The id of the entry. */
    id: string;
    /** The JSON pointer of the text. */
    pointer: string;
  }[];
  /** Units of which some segments have no target. */
  partial: {
    /** The id of the entry. */
    id: string;
    /** The JSON pointer of the text. */
    pointer: string;
  }[];
  /** The names of units of texts that are not there. */
  unknown: string[];
  /** Entries that could not be staged. */
  refused: {
    /** The id of the entry. */
    id: string;
    /** The code of the problem. */
    code: string;
    /** What is wrong. */
    detail: string;
  }[];
};

/** How one of `data` was found, in the same order. */
export type SearchMatch = {
  /** What was found. */
  id: string;
  /** How many words of the query it has. */
  words: number;
  /** How many typos these have. */
  typos: number;
  /** The fields in which they stand. */
  fields: string[];
  /** By field where they stand. */
  highlights: Record<string, number[][]>;
  /** The best 160 characters around them. */
  snippet: string;
  /** What it is worth in each rule of the order, for management alone. */
  why?: {
    words: number;
    typos: number;
    weight: number;
    nearness: number;
    whole: number;
    published_at: number;
  };
};

/** One change of a field: one of rename, move, convert, default, drop. */
export type MigrationStep = {
  /** The type. */
  type: string;
  /** The field that gets another name: a JSON pointer, where `*` is each item of a list. */
  rename?: string;
  /** The field that goes to another place. */
  move?: string;
  /** The field whose values become those of another kind: number, integer, string, boolean, list. */
  convert?: string;
  /** The field that gets `value` where it is missing. */
  default?: string;
  /** The field that is removed. */
  drop?: string;
  /** Of `rename` and `move` the new place, of `convert` the kind. */
  to?: string;
  /** Of `default`: any JSON. */
  value?: unknown;
};

/** What a plan changed, or would change. */
export type Migration = {
  /** The sequence of its first event, by which it is undone; null where nothing was written. */
  group: number | null;
  /** The entries that change. */
  entries: number;
  /** The working copies that change. */
  copies: number;
  /** The types whose schema changes. */
  types: string[];
  /** The tables whose columns change: saved ones, and those that people chose columns for. */
  views: number;
  /** What each step changes, in their order. */
  steps: {
    /** Entries. */
    entries: number;
    /** Working copies. */
    copies: number;
    /** Entries that fail. */
    failing: number;
  }[];
  /** Of a dry run: the entries that the plan cannot be done with. */
  failing: number;
  /** The first 10 of these by id. */
  first: {
    /** The entry. */
    id: string;
    /** True where its working copy is what fails. */
    staged: boolean;
    /** The number of the step, from 0; null where the result would not fit the type. */
    step: number | null;
    /** Why. */
    message: string;
  }[];
};

/** What was changed back. */
export type MigrationUndo = {
  /** The migration. */
  group: number;
  /** The entries that change. */
  entries: number;
  /** The working copies that change. */
  copies: number;
  /** The types whose schema changes. */
  types: string[];
  /** The tables whose columns change: saved ones, and those that people chose columns for. */
  views: number;
};

/** By method and address: the arguments, and the `data` of the reply. */
export type Api = {
  /** Fetch one type, or list the types */
  "GET /api/types": {
    arguments: {
      /** The type; absent for a list. */
      id?: string;
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: ContentType | ContentType[];
  };
  /** Create or replace a type */
  "PUT /api/types": {
    arguments: {
      /** The type. */
      id: string;
      /** A text for people. Defaults to none. */
      title?: string;
      /** A text for people. Defaults to none. */
      description?: string;
      /** Patterns of the ids of its entries: `*` is one segment, `**` any number. Defaults to none. */
      paths?: string[];
      /** A JSON Schema 2020-12 of the data of its entries. */
      schema: unknown;
      /** `off` checks nothing. Defaults to `enforce`. */
      mode?: "enforce" | "off";
    };
    data: ContentType;
  };
  /** Delete a type; its entries stay as they are */
  "DELETE /api/types": {
    arguments: {
      /** The type. */
      id: string;
    };
    data: undefined;
  };
  /** Give a type another id; what refers to it follows */
  "PATCH /api/types": {
    arguments: {
      /** The type. */
      id: string;
      /** Its new id. */
      new_id: string;
    };
    data: ContentType;
  };
  /** Check the entries that a type would have; stores nothing */
  "POST /api/types/check": {
    arguments: {
      /** The type. */
      id: string;
      /** Patterns of the ids of its entries: `*` is one segment, `**` any number. Defaults to none. */
      paths?: string[];
      /** A JSON Schema 2020-12 of the data of its entries. */
      schema: unknown;
      /** Only entries behind this id are checked: `last` of a check whose time ended. */
      after?: string;
    };
    data: TypeCheck;
  };
  /** Make the types those of a model, all or none */
  "POST /api/types/apply": {
    arguments: {
      /** Type objects, as PUT takes them. */
      types: {
        /** 1 to 64 small letters, digits, `_` and `-`. */
        id: string;
        /** For people. */
        title?: string;
        /** For people. */
        description?: string;
        /** Patterns of the ids of its entries. */
        paths?: string[];
        /** A JSON Schema 2020-12. */
        schema: unknown;
        /** `enforce` refuses data that does not fit; `off` checks nothing. */
        mode?: "enforce" | "off";
      }[];
      /** Whether types that are not in the list are removed. */
      prune?: boolean;
      /** Whether only what would change is answered. */
      dry_run?: boolean;
    };
    data: ModelChange;
  };
  /** Read the event log, oldest first by default */
  "GET /api/events": {
    arguments: {
      /** A sequence, an integer from 0: answers the events after it. */
      since?: number;
      /** True or false: true answers the newest events, newest first; with `before` the newest before that sequence. */
      newest?: boolean;
      /** A sequence: with `newest`, the events before it. */
      before?: number;
      /** An integer from 1 to 1000. */
      limit?: number;
      /** `1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has. */
      strict?: boolean;
    };
    data: LogEvent[];
  };
  /** List the earlier contents of an entry */
  "GET /api/entries/history": {
    arguments: {
      /** The entry. */
      id: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: HistoryRow[];
  };
  /** Bring back the earlier content of an entry, or of a subtree */
  "POST /api/entries/restore": {
    arguments: {
      /** The entry; with `subtree` a path; empty for the root. */
      id: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** A revision: the content that was in force then. */
      revision?: number;
      /** A time: Unix seconds, or an ISO 8601 date. */
      at?: unknown;
      /** True, with `at`: all entries at and below the id. */
      subtree?: boolean;
      /** True: the service's fields as they were then, too; absent: they stay. */
      state?: boolean;
    };
    data:
      | EntryObject
      | {
          /** How many differed. */
          restored: number;
        };
  };
  /** List the earlier bytes and fields of a file */
  "GET /api/files/history": {
    arguments: {
      /** The file. */
      path: string;
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: HistoryRow[];
  };
  /** Fetch the earlier fields of a file */
  "GET /api/files/history/state": {
    arguments: {
      /** The file. */
      path: string;
      /** A revision: the content that was in force then. */
      revision: number;
    };
    data: FileObject;
  };
  /** Bring back the earlier bytes and fields of a file */
  "POST /api/files/restore": {
    arguments: {
      /** The file. */
      path: string;
      /** A revision: the content that was in force then. */
      revision: number;
    };
    data: FileObject;
  };
  /** List the earlier values of a registry item */
  "GET /api/registry/history": {
    arguments: {
      /** A dotted key. */
      id: string;
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: HistoryRow[];
  };
  /** Fetch the earlier value of a registry item */
  "GET /api/registry/history/state": {
    arguments: {
      /** A dotted key. */
      id: string;
      /** A revision: the value that was in force then. */
      revision: number;
    };
    data: RegistryItem;
  };
  /** Bring back the earlier value of a registry item */
  "POST /api/registry/restore": {
    arguments: {
      /** A dotted key. */
      id: string;
      /** A revision: the value that was in force then. */
      revision: number;
    };
    data: RegistryItem;
  };
  /** Fetch one folder or the folders in it */
  "GET /api/folders": {
    arguments: {
      /** The folder; empty for the root. */
      path: string;
      /** True reads the contents of the folder. */
      collection?: boolean;
      /** Search and sort arguments, and fields to answer. `filter` itself reads a collection; `options[filter]` applies to a single entry, too. */
      filter?: Filter;
      /** Options of a read. */
      options?: {
        /** `true` reads a collection. */
        collection?: boolean;
        filter?: Filter;
        find?: Filter;
      };
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
      /** `1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has. */
      strict?: boolean;
    };
    data: FolderObject | PartialFolder | (FolderObject | PartialFolder)[] | boolean | number | null;
  };
  /** Create a folder and its missing parents */
  "POST /api/folders": {
    arguments: {
      /** The new folder. */
      path: string;
    };
    data: FolderObject;
  };
  /** Rename or move a folder with its contents */
  "PUT /api/folders": {
    arguments: {
      /** The folder. */
      path: string;
      /** Where it goes. */
      new_path: string;
      /** True redirects the references to what is moved, in fields that types mark as references and in links of prose, as far as the token reaches: each is an update of its entry, or of its working copy. */
      update_references?: boolean;
    };
    data: FolderObject;
  };
  /** Delete a folder with its contents */
  "DELETE /api/folders": {
    arguments: {
      /** The folder. */
      path: string;
      /** True deletes for good at once, with the history, instead of moving to the trash. */
      purge?: boolean;
      /** True refuses the delete while an entry refers to it in a field that its type marks as a reference, or by a link in prose, as far as the token reaches. */
      restrict?: boolean;
    };
    data: undefined;
  };
  /** Copy a folder with its contents */
  "PUT /api/folders/copy": {
    arguments: {
      /** The folder. */
      path: string;
      /** Where it goes. */
      new_path: string;
    };
    data: FolderObject;
  };
  /** Fetch one file or the files of a folder */
  "GET /api/files": {
    arguments: {
      /** The file or folder; empty for the root. */
      path: string;
      /** True reads the contents of the folder. */
      collection?: boolean;
      /** A locale of the setting `locales`: what is translated is answered in it, or in those that it falls back to. */
      locale?: string;
      /** Search and sort arguments, and fields to answer. `filter` itself reads a collection; `options[filter]` applies to a single entry, too. */
      filter?: Filter;
      /** Options of a read. */
      options?: {
        /** `true` reads a collection. */
        collection?: boolean;
        filter?: Filter;
        find?: Filter;
        /** `true` sends the `preview` of each picture, which stands in for it until it is loaded. */
        preview?: boolean;
        /** `true` sends `sent_name`, the name under which each file was uploaded; null where it is not kept. */
        sent_name?: boolean;
      };
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
      /** `1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has. */
      strict?: boolean;
    };
    data: FileObject | PartialFile | Record<string, FileObject | PartialFile> | boolean | number | null;
  };
  /** Upload a file */
  "POST /api/files": {
    arguments: {
      /** The file. */
      file: Blob;
      /** The folder, created when missing; empty for the root. */
      folder: string;
      /** The title; defaults to the name without extension. */
      title?: string;
      /** A description. */
      description?: string;
      /** What happens when the name is taken. */
      on_conflict?: "replace" | "fail" | "suffix";
      options?: UploadOptions;
    };
    data: FileObject;
  };
  /** Rename or move a file */
  "PUT /api/files": {
    arguments: {
      /** The file. */
      path: string;
      /** Where it goes. */
      new_path: string;
      /** True redirects the references to what is moved, in fields that types mark as references and in links of prose, as far as the token reaches: each is an update of its entry, or of its working copy. */
      update_references?: boolean;
    };
    data: FileObject;
  };
  /** Delete a file */
  "DELETE /api/files": {
    arguments: {
      /** The file. */
      path: string;
      /** True deletes for good at once, with the history, instead of moving to the trash. */
      purge?: boolean;
      /** True refuses the delete while an entry refers to it in a field that its type marks as a reference, or by a link in prose, as far as the token reaches. */
      restrict?: boolean;
    };
    data: undefined;
  };
  /** Copy a file */
  "PUT /api/files/copy": {
    arguments: {
      /** The file. */
      path: string;
      /** Where it goes. */
      new_path: string;
    };
    data: FileObject;
  };
  /** Update a meta field */
  "PATCH /api/files/meta": {
    arguments: {
      /** The file. */
      path: string;
      /** The field's name; dots separate the keys of nested objects. */
      field: string;
      /** A locale of the setting `locales`: the text is that of this locale alone. Without it that of the source. */
      locale?: string;
      /** A text; in a JSON body any JSON value. */
      value: unknown;
    };
    data: FileObject;
  };
  /** Add a meta field */
  "POST /api/files/meta": {
    arguments: {
      /** The file. */
      path: string;
      /** The field's name; dots separate the keys of nested objects. */
      field: string;
      /** A locale of the setting `locales`: the text is that of this locale alone. Without it that of the source. */
      locale?: string;
      /** A text; in a JSON body any JSON value. */
      value: unknown;
    };
    data: FileObject;
  };
  /** Delete a meta field */
  "DELETE /api/files/meta": {
    arguments: {
      /** The file. */
      path: string;
      /** The field's name; dots separate the keys of nested objects. */
      field: string;
      /** A locale of the setting `locales`: the text is that of this locale alone. Without it that of the source. */
      locale?: string;
    };
    data: FileObject;
  };
  /** Fetch one entry or a collection */
  "GET /api/entries": {
    arguments: {
      /** The entry, or the parent of a collection; empty for the root. */
      id: string;
      /** Fields that refer to entries or files by id or path, separated by commas: these are sent as `included`. A name goes on from one thing to the next: `author,tags.parent`. */
      include?: string;
      /** `html` answers sanitised HTML for the texts that the entry's type marks as Markdown or HTML, and for `content` where no type speaks of it; `raw` the texts as they are stored. `options[render]` is the same. HTML is for delivery and preview: with a management token only /api/delivery/entries answers it. */
      render?: "html" | "raw";
      /** With `render=html`: a preset of the setting `image_public`, in which the pictures of the store are shown, with `srcset`, `width`, `height` and `loading`. `options[image_preset]` is the same. */
      image_preset?: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** `off`: only what that very locale says; an entry without a translation in it is not there. */
      locale_fallback?: "on" | "off";
      /** `1` sends beside a list the paths of its entries in all locales, as `locales`. */
      locale_info?: boolean;
      /** In place of `id`: a path in the locale. */
      path?: string;
      /** Search and sort arguments, and fields to answer. `filter` itself reads a collection; `options[filter]` applies to a single entry, too. */
      filter?: Filter;
      /** Options of a read. */
      options?: {
        /** `true` reads a collection. */
        collection?: boolean;
        filter?: Filter;
        find?: Filter;
        /** `true` sends the `preview` of each picture that `include` sends along. */
        preview?: boolean;
        /** `true` sends `sent_name` of each file that `include` sends along. */
        sent_name?: boolean;
      };
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
      /** `1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has. */
      strict?: boolean;
      /** Another name of `filter`, of which one may be sent. */
      args?: object;
    };
    data:
      | EntryObject
      | PartialEntry
      | (EntryObject | PartialEntry)[]
      | Record<string, (EntryObject | PartialEntry)[]>
      | boolean
      | number
      | null;
  };
  /** Create an entry */
  "POST /api/entries": {
    arguments: {
      /** The id of the new entry. */
      id: string;
      /** An object of fields to store. */
      data: object;
      /** The id of a release with which the draft goes live. Only for drafts. */
      release?: string;
      /** What becomes of an entry that is there: `fail` (the default) refuses, `update` merges as PATCH does, `replace` sets the data whole and keeps the fields of the service that it does not name, `skip` leaves it. */
      on_conflict?: "fail" | "update" | "replace" | "skip";
    };
    data: EntryObject;
  };
  /** Update an entry */
  "PATCH /api/entries": {
    arguments: {
      /** The entry. */
      id: string;
      /** An object of fields to store. */
      data: object;
    };
    data: EntryObject;
  };
  /** Rename or move an entry with all its descendants */
  "PUT /api/entries": {
    arguments: {
      /** The entry. */
      id: string;
      /** Where it goes. */
      new_id: string;
      /** True redirects the references to what is moved, in fields that types mark as references and in links of prose, as far as the token reaches: each is an update of its entry, or of its working copy. */
      update_references?: boolean;
    };
    data: EntryObject;
  };
  /** Delete an entry with all its descendants */
  "DELETE /api/entries": {
    arguments: {
      /** The entry. */
      id: string;
      /** True deletes for good at once, with the history, instead of moving to the trash. */
      purge?: boolean;
      /** True refuses the delete while an entry refers to it in a field that its type marks as a reference, or by a link in prose, as far as the token reaches. */
      restrict?: boolean;
    };
    data: undefined;
  };
  /** Fetch one entry or a collection, drafts included */
  "GET /api/management/entries": {
    arguments: {
      /** The entry, or the parent of a collection; empty for the root. */
      id: string;
      /** A revision: the content that was in force then, with today's id. */
      revision?: number;
      /** Fields that refer to entries or files by id or path, separated by commas: these are sent as `included`. A name goes on from one thing to the next: `author,tags.parent`. */
      include?: string;
      /** `html` answers sanitised HTML for the texts that the entry's type marks as Markdown or HTML, and for `content` where no type speaks of it; `raw` the texts as they are stored. `options[render]` is the same. HTML is for delivery and preview: with a management token only /api/delivery/entries answers it. */
      render?: "html" | "raw";
      /** With `render=html`: a preset of the setting `image_public`, in which the pictures of the store are shown, with `srcset`, `width`, `height` and `loading`. `options[image_preset]` is the same. */
      image_preset?: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** `off`: only what that very locale says; an entry without a translation in it is not there. */
      locale_fallback?: "on" | "off";
      /** `1` sends beside a list the paths of its entries in all locales, as `locales`. */
      locale_info?: boolean;
      /** In place of `id`: a path in the locale. */
      path?: string;
      /** Search and sort arguments, and fields to answer. `filter` itself reads a collection; `options[filter]` applies to a single entry, too. */
      filter?: Filter;
      /** Options of a read. */
      options?: {
        /** `true` reads a collection. */
        collection?: boolean;
        filter?: Filter;
        find?: Filter;
        /** `true` sends the `preview` of each picture that `include` sends along. */
        preview?: boolean;
        /** `true` sends `sent_name` of each file that `include` sends along. */
        sent_name?: boolean;
      };
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
      /** `1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has. */
      strict?: boolean;
      /** Another name of `filter`, of which one may be sent. */
      args?: object;
    };
    data:
      | EntryObject
      | PartialEntry
      | (EntryObject | PartialEntry)[]
      | Record<string, (EntryObject | PartialEntry)[]>
      | boolean
      | number
      | null;
  };
  /** Copy an entry with all its descendants */
  "PUT /api/entries/copy": {
    arguments: {
      /** The entry. */
      id: string;
      /** Where it goes. */
      new_id: string;
    };
    data: EntryObject;
  };
  /** List the children of an entry, with the facts a tree view needs */
  "GET /api/management/entries/children": {
    arguments: {
      /** The parent entry; empty for the root. */
      id: string;
      /** The slug of the last entry of the previous page. */
      after?: string;
      /** An integer from 1 to 1000. */
      limit?: number;
      /** `1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has. */
      strict?: boolean;
    };
    data: {
      /** The slug. */
      slug: string;
      /** Whether it has descendants. */
      has_children: boolean;
      /** Null for a path segment without an entry. */
      entry: {
        /** The title; "" if that is not a text. */
        title: string;
        /** As of the entry. */
        visibility: "visible" | "hidden" | "draft";
        /** When it is or becomes public. Unix seconds. */
        published_at: number;
      } | null;
    }[];
  };
  /** List the entries that were changed last, and by whom */
  "GET /api/entries/recent": {
    arguments: {
      /** True: only what the caller changed. */
      mine?: boolean;
      /** Only entries of this visibility. */
      visibility?: "visible" | "hidden" | "draft";
      /** An integer from 1 to 100; defaults to 20. */
      limit?: number;
    };
    data: RecentEntry[];
  };
  /** Compare an entry with its translations */
  "GET /api/entries/translations": {
    arguments: {
      /** The entry. */
      id: string;
    };
    data: Translation[];
  };
  /** Make or change a translation, or say where an entry is public */
  "PATCH /api/entries/translations": {
    arguments: {
      /** The entry. */
      id: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** The translated keys; with `visibility` and `published_at` of the translation. */
      data?: object;
      /** The last part of its path in this locale; null takes it away. */
      name?: string | null;
      /** Keys whose translation still fits what the source says now. */
      checked?: string[];
      /** The locales in which alone the entry is public; null for all. Stands alone beside `id`. */
      only_locales?: string[] | null;
    };
    data: EntryObject;
  };
  /** Move a translation to the trash */
  "DELETE /api/entries/translations": {
    arguments: {
      /** The entry. */
      id: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
    };
    data: undefined;
  };
  /** List how far the entries of a subtree are translated */
  "GET /api/entries/translations/list": {
    arguments: {
      /** The entry at the top; empty for the root. */
      id: string;
      /** How many levels below `id`, without `id` itself. By default `id` and everything below it. */
      depth?: number;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** Only what is in this state. What is missing may be outdated, too. */
      state?: "missing" | "outdated" | "done" | "staged";
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: TranslationRow[];
  };
  /** Count how far the entries of a subtree are translated */
  "GET /api/entries/translations/summary": {
    arguments: {
      /** The entry at the top; empty for the root. */
      id: string;
      /** How many levels below `id`, without `id` itself. By default `id` and everything below it. */
      depth?: number;
    };
    data: Record<string, TranslationCounts>;
  };
  /** Follow what changes in public */
  "GET /api/delivery/changes": {
    arguments: {
      /** From the page before; without it the feed begins with all entries. */
      cursor?: string;
      /** An integer from 1 to 1000; defaults to 100. A page of large entries has fewer. */
      limit?: number;
      /** `id` leaves out the entries themselves. */
      only?: "id";
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
    };
    data: (
      | {
          /** It is public, as `entry` says */
          op: "put";
          /** The entry; it keeps its uuid when it moves. */
          uuid: string;
          /** Its id now. */
          id: string;
          entry?: EntryObject;
        }
      | {
          /** It is not public any more */
          op: "gone";
          /** The entry; it keeps its uuid when it moves. */
          uuid: string;
          /** The id that it last had in public. */
          id: string;
        }
    )[];
  };
  /** Fetch a registry item */
  "GET /api/registry": {
    arguments: {
      /** A dotted key. */
      id: string;
      /** `1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has. */
      strict?: boolean;
    };
    data: RegistryItem;
  };
  /** Set a registry item */
  "PUT /api/registry": {
    arguments: {
      /** A dotted key. */
      id: string;
      /** A text; in a JSON body any JSON value. */
      value: unknown;
    };
    data: RegistryItem;
  };
  /** Delete a registry item and all items below it */
  "DELETE /api/registry": {
    arguments: {
      /** A dotted key. */
      id: string;
    };
    data: undefined;
  };
  /** List the registry items at and below a key */
  "GET /api/registry/items": {
    arguments: {
      /** A dotted key; empty for all items. */
      id: string;
      /** `1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has. */
      strict?: boolean;
    };
    data: {
      /** A dotted key. */
      key: string;
      /** The value as stored. */
      value: unknown;
      /** True for items that describe the service. */
      read_only: boolean;
    }[];
  };
  /** List what is in the trash */
  "GET /api/trash": {
    arguments: {
      /** Only items of this noun. */
      noun?: "entry" | "folder" | "file";
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** Only items whose path has this text, in any case. */
      search?: string;
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: TrashItem[];
  };
  /** Delete an item of the trash for good */
  "DELETE /api/trash": {
    arguments: {
      /** The item's id. */
      id: number;
    };
    data: undefined;
  };
  /** Restore an item of the trash, where it was or elsewhere */
  "POST /api/trash/restore": {
    arguments: {
      /** The item's id. */
      id: number;
      /** Where it goes instead. */
      new_id?: string;
      /** True: names of translations that are taken are left out. */
      drop_names?: boolean;
    };
    data: TrashItem;
  };
  /** List the releases, or read one */
  "GET /api/releases": {
    arguments: {
      /** The release's id. */
      id?: string;
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: Release | Release[];
  };
  /** Create a release */
  "POST /api/releases": {
    arguments: {
      /** A line of 1 to 200 characters. */
      title: string;
    };
    data: Release;
  };
  /** Rename a release */
  "PATCH /api/releases": {
    arguments: {
      /** The release's id. */
      id: string;
      /** A line of 1 to 200 characters. */
      title: string;
    };
    data: Release;
  };
  /** Delete a release; its working copies stay */
  "DELETE /api/releases": {
    arguments: {
      /** The release's id. */
      id: string;
    };
    data: undefined;
  };
  /** List the working copies of a release */
  "GET /api/releases/entries": {
    arguments: {
      /** The release's id. */
      id: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: StagedRow[];
  };
  /** Publish all entries of a release together, now or at a time */
  "POST /api/releases/publish": {
    arguments: {
      /** The release's id. */
      id: string;
      /** When: Unix seconds or an ISO 8601 date; null takes the time back. Absent: now. */
      at?: unknown;
      /** True: refuses a copy with keys that were changed live since they were staged. */
      current?: boolean;
      /** True: is refused for what is wrong as the call would be, and changes nothing. */
      dry_run?: boolean;
    };
    data: Release;
  };
  /** Undo a published release */
  "POST /api/releases/undo": {
    arguments: {
      /** The release's id. */
      id: string;
    };
    data: Release;
  };
  /** Fetch one entry or a collection, with working copies laid over */
  "GET /api/entries/staged": {
    arguments: {
      /** The entry, or the parent of a collection; empty for the root. */
      id: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** `off`: only what that very locale says; an entry without a translation in it is not there. */
      locale_fallback?: "on" | "off";
      /** `1` sends beside a list the paths of its entries in all locales, as `locales`. */
      locale_info?: boolean;
      /** In place of `id`: a path in the locale. */
      path?: string;
      /** Fields that refer to entries or files by id or path, separated by commas: these are sent as `included`. A name goes on from one thing to the next: `author,tags.parent`. */
      include?: string;
      /** `html` answers sanitised HTML for the texts that the entry's type marks as Markdown or HTML, and for `content` where no type speaks of it; `raw` the texts as they are stored. `options[render]` is the same. HTML is for delivery and preview: with a management token only /api/delivery/entries answers it. */
      render?: "html" | "raw";
      /** With `render=html`: a preset of the setting `image_public`, in which the pictures of the store are shown, with `srcset`, `width`, `height` and `loading`. `options[image_preset]` is the same. */
      image_preset?: string;
      /** Search and sort arguments, and fields to answer. `filter` itself reads a collection; `options[filter]` applies to a single entry, too. */
      filter?: Filter;
      /** Options of a read. */
      options?: {
        /** `true` reads a collection. */
        collection?: boolean;
        filter?: Filter;
        find?: Filter;
        /** `true` sends the `preview` of each picture that `include` sends along. */
        preview?: boolean;
        /** `true` sends `sent_name` of each file that `include` sends along. */
        sent_name?: boolean;
      };
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
      /** `1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has. */
      strict?: boolean;
      /** Another name of `filter`, of which one may be sent. */
      args?: object;
    };
    data:
      | EntryObject
      | PartialEntry
      | (EntryObject | PartialEntry)[]
      | Record<string, (EntryObject | PartialEntry)[]>
      | boolean
      | number
      | null;
  };
  /** Change the working copy of an entry */
  "PATCH /api/entries/staged": {
    arguments: {
      /** The entry. */
      id: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** An object of fields to store. Optional beside `release`: then nothing else changes. */
      data?: object;
      /** The id of a release that the copy goes live with; null takes it out of its release. */
      release?: string | null;
    };
    data: EntryObject;
  };
  /** Drop the working copy of an entry, or keys of it */
  "DELETE /api/entries/staged": {
    arguments: {
      /** The entry. */
      id: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** Only these keys of the copy; absent for all of it. */
      keys?: string[];
    };
    data: undefined;
  };
  /** List the entries that have a working copy */
  "GET /api/entries/staged/list": {
    arguments: {
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: StagedRow[];
  };
  /** Compare the outdated keys of a working copy */
  "GET /api/entries/staged/outdated": {
    arguments: {
      /** The entry. */
      id: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
    };
    data: OutdatedKey[];
  };
  /** Publish the working copy of an entry, or a draft, now or at a time */
  "POST /api/entries/publish": {
    arguments: {
      /** The entry. */
      id: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** When: Unix seconds or an ISO 8601 date; null takes the time back. Absent: now. */
      at?: unknown;
      /** True: refuses a copy with keys that were changed live since they were staged. */
      current?: boolean;
    };
    data: EntryObject;
  };
  /** List the entries that refer to an entry */
  "GET /api/entries/references": {
    arguments: {
      /** The entry that is referred to. */
      id: string;
      /** True lists the references to what is below it, too, from outside of it. */
      descendants?: boolean;
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: Reference[];
  };
  /** List the entries that refer to a file */
  "GET /api/files/references": {
    arguments: {
      /** The file that is referred to, or a folder. */
      path: string;
      /** True lists the references to what is below it, too, from outside of it. */
      descendants?: boolean;
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: Reference[];
  };
  /** Fetch an image, transformed as the arguments say */
  "GET /api/images/{path}": {
    arguments: {
      /** The path of the file below the uploads; its slashes may be encoded. */
      path: string;
      /** Rotates the picture counter-clockwise, before everything else; a number ignores the EXIF data. Accepted: auto, 0, 90, 180 or 270. */
      or?: string;
      /** Removes edges of the colour of the top left corner, after the rotation and before everything else. The first frame of an animation decides. Accepted: true, false, 1, 0, or a number from 2 to 100: the tolerance of the colour. */
      trim?: string;
      /** Crops to this rectangle before the resize. One that starts outside the picture is ignored. smart chooses the most salient part in the aspect ratio of w and h; without both of them it has no effect. Accepted: width,height,x,y: four numbers, width and height of 1 or more, x and y of 0 or more; or smart. */
      crop?: string;
      /** Width of the result. Accepted: a number of pixels of 1 or more, or a percentage of the picture as 1w to 100w or 1h to 100h. */
      w?: string;
      /** Height of the result. Accepted: a number of pixels of 1 or more, or a percentage of the picture as 1w to 100w or 1h to 100h. */
      h?: string;
      /** How the picture is fitted into w and h: contain inside; max inside, never enlarged; fill and fill-max likewise on a canvas of w and h; stretch ignores its ratio; crop and cover fill the box and crop the rest; crop-focal does so around the point in the meta field focal of the file, or around the centre. Accepted: contain, max, fill, fill-max, stretch, crop or cover, alone or followed by an edge or corner (crop-top-left; top-left top top-right left center right bottom-left bottom bottom-right), crop-x-y[-zoom] with x and y from 0 to 100 and zoom from 1 to 100, or crop-focal. */
      fit?: string;
      /** Device pixel ratio: multiplies the size of the result and lengths in pixels. Accepted: a number above 0, at most 8. */
      dpr?: string;
      /** Brightness. Accepted: a whole number from -100 to 100. */
      bri?: string;
      /** Contrast. Accepted: a whole number from -100 to 100. */
      con?: string;
      /** Gamma. Accepted: a number from 0.1 to 9.99. */
      gam?: string;
      /** Sharpens. Accepted: a number from 0 to 100, rounded down. */
      sharp?: string;
      /** A colour filter. Accepted: greyscale (or grayscale) or sepia. */
      filt?: string;
      /** Mirrors: h left and right, v top and bottom. Accepted: h, v or both. */
      flip?: string;
      /** Blurs. Accepted: a number from 0 to 100, rounded down. */
      blur?: string;
      /** Draws blocks of this many pixels a side. Accepted: a number from 0 to 1000, rounded down. */
      pixel?: string;
      /** A watermark drawn over the result. Accepted: the path of an image below the watermarks folder. */
      mark?: string;
      /** The watermark's width. Accepted: a number of pixels above 0, or a percentage of the result as 1w to 100w or 1h to 100h. */
      markw?: string;
      /** The watermark's height. Accepted: a number of pixels above 0, or a percentage of the result as 1w to 100w or 1h to 100h. */
      markh?: string;
      /** How the watermark is fitted into markw and markh. Accepted: contain, max, stretch, crop or cover, alone or followed by an edge or corner (crop-top-left; top-left top top-right left center right bottom-left bottom bottom-right). */
      markfit?: string;
      /** The watermark's distance from its left or right edge. Accepted: a number of pixels of 0 or more, or a percentage of the result as 0w to 100w or 0h to 100h. */
      markx?: string;
      /** The watermark's distance from its top or bottom edge. Accepted: a number of pixels of 0 or more, or a percentage of the result as 0w to 100w or 0h to 100h. */
      marky?: string;
      /** Both distances of the watermark. Accepted: a number of pixels of 0 or more, or a percentage of the result as 0w to 100w or 0h to 100h. */
      markpad?: string;
      /** The position of the watermark. Accepted: one of top-left top top-right left center right bottom-left bottom bottom-right. */
      markpos?: string;
      /** The opacity of the watermark, in percent. Accepted: a number from 0 to 100, rounded down. */
      markalpha?: string;
      /** The background colour behind transparent parts. Accepted: a colour: a CSS name, #RGB, #RRGGBB, #RGBA, #RRGGBBAA or rgb(r,g,b[,a]) as in CSS, or without # RGB, RRGGBB, ARGB or AARRGGBB, A and AA in decimal tenths and hundredths. */
      bg?: string;
      /** A border: overlay draws it over the picture, shrink shrinks the picture, expand enlarges the result. Accepted: width,colour,method: a number of pixels above 0, or a percentage of the result as 1w to 100w or 1h to 100h; a colour: a CSS name, #RGB, #RRGGBB, #RGBA, #RRGGBBAA or rgb(r,g,b[,a]) as in CSS, or without # RGB, RRGGBB, ARGB or AARRGGBB, A and AA in decimal tenths and hundredths; overlay, shrink or expand. */
      border?: string;
      /** Quality of jpg, pjpg, webp and avif; no effect on png and gif. Accepted: a number from 0 to 100, rounded down. */
      q?: string;
      /** Format of the result; auto is the best one the request accepts, pjpg a progressive jpg. Accepted: jpg, pjpg, png, gif, webp, avif or auto; jpeg is jpg. */
      fm?: string;
      /** Lossless webp or avif, whatever q says; no effect on other formats. Accepted: true, false, 1 or 0. */
      lossless?: string;
      /** Makes a jpg progressive, a png or gif interlaced. Accepted: true, false, 1 or 0. */
      interlace?: string;
      /** Sets of arguments from the setting `image_presets`, none by default. Later ones override earlier ones, arguments of the request override both. Accepted: names of presets, separated by commas. */
      p?: string;
      /** 1 refuses invalid arguments and whatever would be left out or reduced. */
      strict?: string;
      /** The file's version: with it the image may be cached forever. */
      v?: string;
      /** A signature of the path and the arguments. */
      s?: string;
      /** Expiry of the signature, in Unix seconds. */
      expires?: string;
    };
    data: undefined;
  };
  /** Search entries */
  "GET /api/entries/search": {
    arguments: {
      /** Words: all of them, the last one also as a beginning; "a phrase", -without. At most 512 bytes and 16 words; nothing finds all. */
      q: string;
      /** `off`: the last word is whole. */
      prefix?: "on" | "off";
      /** Conditions as those of lists: where, and_where, or_where. */
      filter?: object;
      /** Fields, at most 5, as commas or a list: beside the data stands how often each has which values, over all matches. */
      facets?: string | string[];
      /** An integer from 1 to 100: how many matches; defaults to 20. */
      limit?: number;
      /** An integer from 0 to 1000: how many of the best are left out. */
      offset?: number;
      /** Fields to answer. */
      only?: string | string[];
      /** The entry below which is searched; everywhere without it. */
      id?: string;
      /** Depth below it: 1, >1, <=3, or * (the default). */
      depth?: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** `off`: only what that very locale says; an entry without a translation in it is not there. */
      locale_fallback?: "on" | "off";
      /** Fields that refer to entries or files by id or path, separated by commas: these are sent as `included`. A name goes on from one thing to the next: `author,tags.parent`. */
      include?: string;
      /** `html` answers sanitised HTML for the texts that the entry's type marks as Markdown or HTML, and for `content` where no type speaks of it; `raw` the texts as they are stored. `options[render]` is the same. HTML is for delivery and preview: with a management token only /api/delivery/entries answers it. */
      render?: "html" | "raw";
      /** With `render=html`: a preset of the setting `image_public`, in which the pictures of the store are shown, with `srcset`, `width`, `height` and `loading`. `options[image_preset]` is the same. */
      image_preset?: string;
    };
    data: (EntryObject | PartialEntry)[];
  };
  /** Search entries with working copies laid over */
  "GET /api/entries/staged/search": {
    arguments: {
      /** Words: all of them, the last one also as a beginning; "a phrase", -without. At most 512 bytes and 16 words; nothing finds all. */
      q: string;
      /** `off`: the last word is whole. */
      prefix?: "on" | "off";
      /** Conditions as those of lists: where, and_where, or_where. */
      filter?: object;
      /** Fields, at most 5, as commas or a list: beside the data stands how often each has which values, over all matches. */
      facets?: string | string[];
      /** An integer from 1 to 100: how many matches; defaults to 20. */
      limit?: number;
      /** An integer from 0 to 1000: how many of the best are left out. */
      offset?: number;
      /** Fields to answer. */
      only?: string | string[];
      /** The entry below which is searched; everywhere without it. */
      id?: string;
      /** Depth below it: 1, >1, <=3, or * (the default). */
      depth?: string;
      /** A locale of the setting `locales`, in any letter case. */
      locale?: string;
      /** `off`: only what that very locale says; an entry without a translation in it is not there. */
      locale_fallback?: "on" | "off";
      /** Fields that refer to entries or files by id or path, separated by commas: these are sent as `included`. A name goes on from one thing to the next: `author,tags.parent`. */
      include?: string;
      /** `html` answers sanitised HTML for the texts that the entry's type marks as Markdown or HTML, and for `content` where no type speaks of it; `raw` the texts as they are stored. `options[render]` is the same. HTML is for delivery and preview: with a management token only /api/delivery/entries answers it. */
      render?: "html" | "raw";
      /** With `render=html`: a preset of the setting `image_public`, in which the pictures of the store are shown, with `srcset`, `width`, `height` and `loading`. `options[image_preset]` is the same. */
      image_preset?: string;
    };
    data: (EntryObject | PartialEntry)[];
  };
  /** Search files */
  "GET /api/files/search": {
    arguments: {
      /** Words: all of them, the last one also as a beginning; "a phrase", -without. At most 512 bytes and 16 words; nothing finds all. */
      q: string;
      /** `off`: the last word is whole. */
      prefix?: "on" | "off";
      /** Conditions as those of lists: where, and_where, or_where. */
      filter?: object;
      /** Fields, at most 5, as commas or a list: beside the data stands how often each has which values, over all matches. */
      facets?: string | string[];
      /** An integer from 1 to 100: how many matches; defaults to 20. */
      limit?: number;
      /** An integer from 0 to 1000: how many of the best are left out. */
      offset?: number;
      /** Fields to answer. */
      only?: string | string[];
      /** The folder in which is searched; everywhere without it. */
      path?: string;
      /** Depth below it: 1, >1, <=3, or * (the default). */
      depth?: string;
      /** A locale of the setting `locales`: what is translated is answered in it, or in those that it falls back to. */
      locale?: string;
    };
    data: (FileObject | PartialFile)[];
  };
  /** List the own views and those that are shared */
  "GET /api/views": {
    arguments: Record<never, never>;
    data: View[];
  };
  /** Save a view */
  "POST /api/views": {
    arguments: {
      /** A line of 1 to 200 characters. */
      title: string;
      /** The entries below this path; empty for all. */
      path: string;
      /** The names of fields, in the order of the columns; at most 50. Defaults to none. */
      columns?: string[];
      /** As the argument `sort` of lists. Defaults to an empty text. */
      sort?: string;
      /** What the table shows: any JSON value, kept as it is. Defaults to `{}`. */
      filter?: unknown;
      /** True for all who may read entries. Defaults to false. */
      shared?: boolean;
    };
    data: View;
  };
  /** Replace a view */
  "PUT /api/views": {
    arguments: {
      /** The view's id. */
      id: string;
      /** A line of 1 to 200 characters. */
      title: string;
      /** The entries below this path; empty for all. */
      path: string;
      /** The names of fields, in the order of the columns; at most 50. Defaults to none. */
      columns?: string[];
      /** As the argument `sort` of lists. Defaults to an empty text. */
      sort?: string;
      /** What the table shows: any JSON value, kept as it is. Defaults to `{}`. */
      filter?: unknown;
      /** True for all who may read entries. Defaults to false. */
      shared?: boolean;
    };
    data: View;
  };
  /** Delete a view */
  "DELETE /api/views": {
    arguments: {
      /** The view's id. */
      id: string;
    };
    data: undefined;
  };
  /** List the live sessions of the admin page */
  "GET /api/sessions": {
    arguments: {
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
      /** Whose: the id of a management token, or `person:` and the id of a person. */
      actor?: string;
    };
    data: Session[];
  };
  /** End a session of the admin page */
  "DELETE /api/sessions": {
    arguments: {
      /** The session's id. */
      id: string;
    };
    data: undefined;
  };
  /** List the own passkeys */
  "GET /api/people/me/passkeys": {
    arguments: Record<never, never>;
    data: Passkey[];
  };
  /** Add a passkey that the browser made */
  "POST /api/people/me/passkeys": {
    arguments: {
      /** What to call it: a line of at most 200 characters. */
      name: string;
      /** What the browser made of the options: the object that PublicKeyCredential.toJSON() answers. */
      passkey: object;
    };
    data: Passkey;
  };
  /** Remove one of the own passkeys */
  "DELETE /api/people/me/passkeys": {
    arguments: {
      /** The passkey's id. */
      id: string;
    };
    data: undefined;
  };
  /** Options for navigator.credentials.create() */
  "POST /api/people/me/passkeys/options": {
    arguments: Record<never, never>;
    data: PasskeyOptions;
  };
  /** List people */
  "GET /api/people": {
    arguments: {
      /** An integer from 1 to 1000; defaults to 100. */
      limit?: number;
      /** Where the page begins, from the Link header of the previous page. */
      cursor?: string;
    };
    data: Person[];
  };
  /** Invite a person; the link is mailed, or answered once */
  "POST /api/people": {
    arguments: {
      /** The email address, unique without case. */
      email: string;
      /** The name, a line of at most 200 characters. */
      name?: string;
      /** The id of a role. */
      role: string;
    };
    data: PersonWithLink;
  };
  /** Change a person's name, address, role, state or subject at the issuer */
  "PATCH /api/people": {
    arguments: {
      /** The person's id. */
      id: string;
      /** The name, a line of at most 200 characters. */
      name?: string;
      /** The email address, unique without case. */
      email?: string;
      /** The id of a role. */
      role?: string;
      /** `disabled` ends the sessions. */
      state?: "active" | "disabled";
      /** Binds the person to this `sub` of the issuer that `oidc_issuer` names; null to none. */
      subject?: string | null;
    };
    data: Person;
  };
  /** Delete a person; the name stays in the log */
  "DELETE /api/people": {
    arguments: {
      /** The person's id. */
      id: string;
    };
    data: undefined;
  };
  /** Make a link with which a person sets another password, or accepts the invitation */
  "POST /api/people/reset": {
    arguments: {
      /** The person's id. */
      id: string;
    };
    data: PersonWithLink;
  };
  /** Read the own account */
  "GET /api/people/me": {
    arguments: Record<never, never>;
    data: OwnPerson;
  };
  /** Change the own name, address, password or preferences */
  "PATCH /api/people/me": {
    arguments: {
      /** The name, a line of at most 200 characters. */
      name?: string;
      /** The email address, unique without case. */
      email?: string;
      /** A new password of 8 to 256 characters. */
      password?: string;
      /** The password as it is now: needed for a new one. */
      current_password?: string;
      /** What the admin page is to keep for the person: merged by key, null removes one. At most 16 KiB in all. */
      preferences?: object;
    };
    data: OwnPerson;
  };
  /** List the own sessions */
  "GET /api/people/me/sessions": {
    arguments: Record<never, never>;
    data: OwnSession[];
  };
  /** End one of the own sessions */
  "DELETE /api/people/me/sessions": {
    arguments: {
      /** The session's id. */
      id: string;
    };
    data: undefined;
  };
  /** List the roles */
  "GET /api/roles": {
    arguments: Record<never, never>;
    data: Role[];
  };
  /** Create or replace a role */
  "PUT /api/roles": {
    arguments: {
      /** The role: 1 to 64 small letters, digits, "_" and "-". */
      id: string;
      /** A line of at most 200 characters. Defaults to none. */
      title?: string;
      /** A list of entries, registry, files, folders. */
      resources: ("entries" | "registry" | "files" | "folders")[];
      /** Paths of entries and uploads at and below which the token holds: a list of 1 to 16 paths, or null for everywhere. */
      paths?: string[] | null;
      /** Whether its people change nothing, working copies alone, or what is live. */
      writes: "none" | "staged" | "all";
      /** The locales that its writes may change: a list of at least one locale, or null for all. */
      locales?: string[] | null;
    };
    data: Role;
  };
  /** Delete a role that nobody has */
  "DELETE /api/roles": {
    arguments: {
      /** The role: 1 to 64 small letters, digits, "_" and "-". */
      id: string;
    };
    data: undefined;
  };
  /** Rename, move, convert, fill and drop fields of a type with its entries */
  "POST /api/types/migrate": {
    arguments: {
      /** 1 to 100 steps, in order. */
      steps: MigrationStep[];
      /** True says what would change and fail, and writes nothing. */
      dry_run?: boolean;
    };
    data: Migration;
  };
  /** Undo a migration */
  "POST /api/types/migrate/undo": {
    arguments: {
      /** The `group` that the migration answered. */
      group: number;
    };
    data: MigrationUndo;
  };
  /** List tokens */
  "GET /api/tokens": {
    arguments: {
      /** `1` refuses arguments that the read does not know, and unknown keys of `filter` and `options`. By default they are ignored, and the header `Octavo-Ignored` lists them, and fields of an order or an include that nothing has. */
      strict?: boolean;
    };
    data: Token[];
  };
  /** Create a token; its secret is answered once */
  "POST /api/tokens": {
    arguments: {
      /** What the token is for. */
      kind: "delivery" | "management" | "preview" | "images" | "access";
      /** A list of entries, registry, files, folders, admin. */
      resources?: ("entries" | "registry" | "files" | "folders" | "admin")[];
      /** The id of a release: the preview shows what would be public if that were published, and nothing else. */
      release?: string;
      /** Paths of entries and uploads at and below which the token holds: a list of 1 to 16 paths, or null for everywhere. */
      paths?: string[] | null;
      /** Whether the writes of a management token may change what is live. */
      writes?: "all" | "staged";
      /** The locales that its writes may change: a list of at least one locale, or null for all. */
      locales?: string[] | null;
      /** Whether it is accepted. */
      state?: "enabled" | "disabled";
      /** A text of at most 200 characters on one line: what people call the token. */
      label?: string;
      /** A text of at most 200 characters on one line: where the token is used. */
      environment?: string;
      /** An integer from 0; 0 for no limit. */
      limit_calls?: number;
      /** Unix seconds or an ISO 8601 date in the future; null or "" for never. */
      expires_at?: unknown;
    };
    data: TokenWithSecret;
  };
  /** Change a token's state, paths, writes, locales, label, environment, limit or expiry */
  "PATCH /api/tokens": {
    arguments: {
      /** The token's id. */
      id: string;
      /** Paths of entries and uploads at and below which the token holds: a list of 1 to 16 paths, or null for everywhere. */
      paths?: string[] | null;
      /** Whether the writes of a management token may change what is live. */
      writes?: "all" | "staged";
      /** The locales that its writes may change: a list of at least one locale, or null for all. */
      locales?: string[] | null;
      /** Whether it is accepted. */
      state?: "enabled" | "disabled";
      /** A text of at most 200 characters on one line: what people call the token. */
      label?: string;
      /** A text of at most 200 characters on one line: where the token is used. */
      environment?: string;
      /** An integer from 0; 0 for no limit. */
      limit_calls?: number;
      /** Unix seconds or an ISO 8601 date in the future; null or "" for never. */
      expires_at?: unknown;
    };
    data: Token;
  };
  /** Revoke a token */
  "DELETE /api/tokens": {
    arguments: {
      /** The token's id. */
      id: string;
    };
    data: undefined;
  };
  /** Rotate the secret of a token; the old one is invalid at once */
  "PUT /api/tokens/rotate": {
    arguments: {
      /** The token's id. */
      id: string;
    };
    data: TokenWithSecret;
  };
  /** List the preview tokens within the caller's paths */
  "GET /api/tokens/preview": {
    arguments: Record<never, never>;
    data: Token[];
  };
  /** Create a preview token within the caller's paths; its secret is answered once */
  "POST /api/tokens/preview": {
    arguments: {
      /** A list of entries, registry, files, folders, admin. */
      resources?: ("entries" | "registry" | "files" | "folders" | "admin")[];
      /** The id of a release: the preview shows what would be public if that were published, and nothing else. */
      release?: string;
      /** Paths of entries and uploads at and below which the token holds: a list of 1 to 16 paths, or null for everywhere. */
      paths?: string[] | null;
      /** A text of at most 200 characters on one line: what people call the token. */
      label?: string;
      /** A text of at most 200 characters on one line: where the token is used. */
      environment?: string;
      /** An integer from 0; 0 for no limit. */
      limit_calls?: number;
      /** Unix seconds or an ISO 8601 date in the future; null or "" for never. */
      expires_at?: unknown;
    };
    data: TokenWithSecret;
  };
  /** Revoke a preview token within the caller's paths */
  "DELETE /api/tokens/preview": {
    arguments: {
      /** The token's id. */
      id: string;
    };
    data: undefined;
  };
  /** List the webhooks, or read one */
  "GET /api/webhooks": {
    arguments: {
      /** The webhook's id. */
      id?: string;
    };
    data: Webhook | Webhook[];
  };
  /** Create a webhook; its secret is answered once */
  "POST /api/webhooks": {
    arguments: {
      /** An https address. Its host must not be in a private network. */
      url: string;
      /** What people call it: at most 200 characters on one line. */
      label?: string;
      /** The kinds of events that it is sent: a list of kinds as entry.update, or entry.* for all of a noun, or null for all. */
      kinds?: string[] | null;
      /** Paths of entries and uploads: only events at and below them are sent. A list of 1 to 16, or null for everywhere. */
      paths?: string[] | null;
      /** Whether events are sent. */
      state?: "on" | "off";
    };
    data: WebhookWithSecret;
  };
  /** Change a webhook, or switch it on or off */
  "PATCH /api/webhooks": {
    arguments: {
      /** The webhook's id. */
      id: string;
      /** An https address. Its host must not be in a private network. */
      url?: string;
      /** What people call it: at most 200 characters on one line. */
      label?: string;
      /** The kinds of events that it is sent: a list of kinds as entry.update, or entry.* for all of a noun, or null for all. */
      kinds?: string[] | null;
      /** Paths of entries and uploads: only events at and below them are sent. A list of 1 to 16, or null for everywhere. */
      paths?: string[] | null;
      /** Whether events are sent. */
      state?: "on" | "off";
    };
    data: Webhook;
  };
  /** Delete a webhook */
  "DELETE /api/webhooks": {
    arguments: {
      /** The webhook's id. */
      id: string;
    };
    data: undefined;
  };
  /** Give a webhook a new secret; the old one signs for a day, too */
  "POST /api/webhooks/rotate": {
    arguments: {
      /** The webhook's id. */
      id: string;
    };
    data: WebhookWithSecret;
  };
  /** Send a message without events now, and answer what came of it */
  "POST /api/webhooks/test": {
    arguments: {
      /** The webhook's id. */
      id: string;
    };
    data: WebhookAttempt;
  };
  /** Send a delivery again now, and answer what came of it */
  "POST /api/webhooks/resend": {
    arguments: {
      /** The webhook's id. */
      id: string;
      /** The first event of the delivery, as its attempts have it. */
      sequence: number;
    };
    data: WebhookAttempt;
  };
  /** Read the last attempts of a webhook, newest first */
  "GET /api/webhooks/deliveries": {
    arguments: {
      /** The webhook's id. */
      id: string;
    };
    data: WebhookAttempt[];
  };
  /** Statistics of the running service */
  "GET /api/stats": {
    arguments: {
      /** True or false: true checks the whole SQLite database file first, some seconds per gigabyte. */
      check?: boolean;
    };
    data: Stats;
  };
  /** Make many writes, all of them or none */
  "POST /api/batch": {
    arguments: {
      /** 1 to 1000 operations, in order. */
      operations: {
        /** The method of the route. */
        method: "POST" | "PATCH" | "PUT" | "DELETE";
        /** The address of the route. */
        path: string;
        /** The arguments of the route, without tokens. */
        body?: object;
        /** As the header `If-Match` of the route. */
        if_match?: string;
        /** True makes `data` a merge patch (RFC 7396). On PATCH of entries and working copies alone. */
        merge_patch?: boolean;
        /** As in the body of `POST /api/entries`, where alone it may be: fail, update, replace or skip. */
        on_conflict?: string;
      }[];
      /** True answers the same, and writes nothing. */
      dry_run?: boolean;
    };
    data: {
      /** The status that the operation would have by itself. */
      status: number;
      /** The `data` of its reply; null for one without a body. */
      data: unknown;
      /** The `ETag` of its reply; null for none. */
      etag: string | null;
      /** The `Octavo-Outcome` of its reply; absent where it has no `on_conflict`. */
      outcome?: string;
    }[];
  };
};
