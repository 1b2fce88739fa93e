import type { Api, EntryObject, FileObject, RegistryItem, SearchMatch } from "./api.ts";
import type { Filter, Uses, Where } from "./condition.ts";
import type { FieldName, Fields, OrUndefined } from "./field.ts";
import type { OctavoProblem } from "./problem.ts";

/**
 * The types of what the client takes and gives, all of them exported by client.ts. Those of the wire are in api.ts, those
 * made out of a schema in schema.ts. Types only: no code at run time.
 */

// -------------------------------------------------------------------------------------------------------- a call

export type ClientConfig = {
  /** The service's URL, such as `https://content.example.org`; empty for the page's own origin. */
  url: string;
  /** A delivery, preview or management token. */
  token?: string | undefined;
  /** Needed for writes, in addition to a management token. Must not be sent to untrusted browsers. */
  accessToken?: string | undefined;
  /** A token of the kind images, added to image URLs. */
  imagesToken?: string | undefined;
  /**
   * True sends the token of reads in the URL. Then browsers on other sites need no preflight, and shared caches may
   * store what a delivery token reads; but URLs end up in logs. Default false.
   */
  tokenInUrl?: boolean | undefined;
  /** Maximum number of retries; default 3, 0 for none. See the guide for what is repeated. */
  retries?: number | undefined;
  /** Replaces the platform's fetch. */
  fetch?: typeof fetch | undefined;
  /**
   * Headers of every request, such as a CSRF token beside a cookie; a function is called for each request. The client's
   * own headers take precedence.
   */
  headers?: Record<string, string> | (() => Record<string, string>) | undefined;
  /** Parses and formats JSON instead of `JSON`: with `exactJson` no number is rounded. */
  json?: JsonFormat | undefined;
  /** Called with every problem that a call is about to be rejected with, for example to sign in again. */
  onProblem?: ((problem: OctavoProblem) => void) | undefined;
};

export type JsonFormat = {
  /** Throws SyntaxError for a text that is not JSON. */
  parse(text: string): unknown;
  stringify(value: object): string;
};

export type CallOptions = {
  /** Aborts the call, also while it waits for a retry: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** True lets a browser finish the request after the page is closed; the body is then at most 64 KiB. */
  keepalive?: boolean | undefined;
  /**
   * Of a write: the same request with the same key within 24 hours writes nothing and gets the same answer. By default a
   * new one for each write that the client may repeat.
   */
  idempotencyKey?: string | undefined;
};

export type WriteOptions = CallOptions & {
  /**
   * Writes only if the object is unchanged, otherwise throws revision_mismatch: an object as a fetch or a write
   * answered it, or an ETag.
   */
  ifMatch?: string | object | undefined;
};

export type DeleteOptions = WriteOptions & {
  /** True deletes for good at once, with the history, instead of moving to the trash. */
  purge?: boolean | undefined;
  /** True refuses to delete what entries refer to: throws in_use. */
  restrict?: boolean | undefined;
};

export type MoveOptions = WriteOptions & {
  /** True redirects the references to what is moved. Throws too_many_references, data_invalid too. */
  updateReferences?: boolean | undefined;
};

/** The calls that a batch may have. */
export type BatchCall =
  | "POST /api/entries"
  | "PATCH /api/entries"
  | "PUT /api/entries"
  | "PUT /api/entries/copy"
  | "DELETE /api/entries"
  | "POST /api/entries/restore"
  | "PATCH /api/entries/staged"
  | "DELETE /api/entries/staged"
  | "PATCH /api/entries/translations"
  | "DELETE /api/entries/translations"
  | "POST /api/entries/publish"
  | "POST /api/folders"
  | "PUT /api/folders"
  | "PUT /api/folders/copy"
  | "DELETE /api/folders"
  | "PUT /api/files"
  | "PUT /api/files/copy"
  | "DELETE /api/files"
  | "POST /api/files/meta"
  | "PATCH /api/files/meta"
  | "DELETE /api/files/meta"
  | "PUT /api/registry"
  | "DELETE /api/registry"
  | "POST /api/registry/restore";

/**
 * One write of a batch: a call with its arguments. `ifMatch` as in WriteOptions; `mergePatch` as in UpdateOptions, of
 * updates and working copies; `onConflict` as in CreateOptions, of creates.
 */
export type BatchOperation = {
  [C in BatchCall]: {
    call: C;
    args: Api[C]["arguments"];
    ifMatch?: string | object | undefined;
    mergePatch?: C extends "PATCH /api/entries" | "PATCH /api/entries/staged" ? boolean | undefined : undefined;
    onConflict?: C extends "POST /api/entries" ? ConflictRule | undefined : undefined;
  };
}[BatchCall];

/** What becomes of an entry that is there: refuse, merge as an update does, set all of its data, or leave it. */
export type ConflictRule = NonNullable<Api["POST /api/entries"]["arguments"]["on_conflict"]>;

/** What a create with `onConflict` did. `unchanged`: all of it was there already, and nothing was written. */
export type Outcome = "created" | "updated" | "replaced" | "skipped" | "unchanged";

export type BatchOptions = CallOptions & {
  /** True answers the same, and writes nothing. */
  dryRun?: boolean | undefined;
};

/** What an operation has answered. */
export type BatchAnswer<C extends BatchCall> = {
  status: number;
  data: Api[C]["data"] extends undefined ? null : Api[C]["data"];
  etag: string | null;
  /** Of an operation with `onConflict`. */
  outcome?: Outcome;
};

/** The answers, in the order of the operations. */
export type BatchAnswers<T extends readonly BatchOperation[]> = { [I in keyof T]: BatchAnswer<T[I]["call"]> };

export type Reply<T> = {
  data: T;
  headers: Headers;
  /** What the fields of `include` refer to. */
  included?: Included | undefined;
  /** Of a list with `locale_info`. */
  locales?: Page<unknown>["locales"];
  facets?: Page<unknown>["facets"];
  /** Of a page of changes: that of the next one, and whether that has something already. */
  cursor?: string | undefined;
  has_more?: boolean | undefined;
  /** Of the translations of an entry: the locales in which alone it is public; null for all. */
  only_locales?: string[] | null;
};

// ----------------------------------------------------------------------------------------------------- changes

/** An entry as a delivery read gives it now, or that it is gone. */
export type Change = (
  | { op: "put"; uuid: string; id: string; entry?: Entry | undefined }
  | { op: "gone"; uuid: string; id: string }
) & {
  /** Where to go on once this change is handled. */
  cursor: string | undefined;
};

export type ChangeOptions = CallOptions & {
  /** That of the last change that was handled; absent to begin with all entries. */
  cursor?: string | undefined;
  /** The lists of this locale; absent for those of the source. */
  locale?: string | undefined;
  /** `id`: without the entries. */
  only?: "id" | undefined;
  /** Changes of a request, 1 to 1,000; default 100. */
  limit?: number | undefined;
  /** False ends where there are no more changes; by default it waits for them. */
  follow?: boolean | undefined;
  /** How often it looks then; default 1,000 ms. */
  everyMs?: number | undefined;
};

export type MirrorOptions = CallOptions & {
  locale?: string | undefined;
  everyMs?: number | undefined;
  /** Called after the map has changed. */
  onChange?: ((mirror: Mirror) => void) | undefined;
  /** Called when the service does not answer; it goes on. */
  onFailure?: ((failure: unknown) => void) | undefined;
};

/** All that is public to the token, by uuid, until it is stopped. */
export type Mirror = { entries: Map<string, Entry>; stop(): void };

/** The text of a number that JavaScript cannot represent, as returned by `JSON.rawJSON`. */
export type RawNumber = Readonly<{ rawJSON: string }>;

// --------------------------------------------------------------------------------------------------- collections

/** Which fields are returned: those of `only`, or all but those of `except`. */
export type Projection<T> = {
  only?: readonly FieldName<T>[] | undefined;
  except?: readonly FieldName<T>[] | undefined;
};

/** Reads entries in a locale, and with sanitised HTML for their Markdown: that is for delivery and preview tokens. */
export type Rendering = InLocale & {
  /** With `locale`: `off` answers only what that very locale says. */
  localeFallback?: "on" | "off" | undefined;
  /** Of lists: true answers `locales`, where each entry is in the locale and in others. */
  localeInfo?: boolean | undefined;
  render?: "html" | "raw" | undefined;
  /** With HTML: the public preset in which pictures are shown, with `srcset` and sizes. */
  imagePreset?: string | undefined;
};

/** Reads one entry. */
export type Reading = CallOptions &
  Rendering & {
    /** True reads the entry at this path in `locale`, in place of an id. */
    byPath?: boolean | undefined;
  };

/** The query of a collection. `T` is the type that has the fields. */
export type Query<T> = {
  /** Conditions, or a function that receives `where`, which knows the fields. */
  filter?: Filter<Uses<T>> | ((where: Where<T>) => Filter<Uses<T>>) | undefined;
  /** Sorts by one field or several; descending with `-` in front. Default: by id or name. */
  sort?: SortKey<T> | readonly SortKey<T>[] | undefined;
  /** Maximum number of items. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** The depth below the path: 1, which is the default, for children, `<=2`, `*` for everything. */
  depth?: number | string | undefined;
  /** Words that must all occur in a text field. */
  search?: string | undefined;
};
export type SortKey<T> = FieldName<T> | `-${FieldName<T>}`;

/** A query for one page. */
export type PageQuery<T> = Query<T> & {
  /** True to receive the total count. */
  total?: boolean | undefined;
  /** Fields whose values are counted over all matches, at most 5. */
  facets?: readonly FieldName<T>[] | undefined;
  /** The `cursor` of the previous page. */
  cursor?: string | undefined;
};

export type Page<T> = {
  items: T[];
  /** The total count; only when the query requested it. */
  total?: number;
  /** By field how many matches have each value, the most frequent first; only when the query requested it. */
  facets?: Record<string, Record<string, number>>;
  /** The cursor of the next page; absent on the last page. */
  cursor?: string;
  /** By id, of entries with `localeInfo`. */
  locales?: { readonly [id: string]: LocaleInfo | undefined };
};

/** Where an entry is in the locale that it was read in, and in others. */
export type LocaleInfo = {
  /** Its path in the locale. */
  path: string;
  /** Keys that fell back; the first 100. */
  fallback: string[];
  /** By locale its path there: the source and each locale with a public translation, for `hreflang`. */
  locales: Record<string, string>;
};

/** The same of one entry, with the language of what it says: the first of the chain of `locale` with a translation. */
export type EntryLocales = LocaleInfo & { language: string };

/** What a search looks for beside its words. `T` is the type that has the fields. */
export type SearchQuery<T> = Pick<Query<T>, "filter" | "depth" | "limit" | "offset"> & {
  /** The id below which is searched; by default everything. */
  id?: string | undefined;
  /** `off`: the last word is whole. */
  prefix?: "on" | "off" | undefined;
  /** Fields whose values are counted over all matches, at most 5. */
  facets?: readonly FieldName<T>[] | undefined;
  /** True searches what entries would be if every working copy were published. Needs a management token. */
  staged?: boolean | undefined;
};

/** The same for files. */
export type FileSearchQuery<M> = Omit<SearchQuery<StoredFile<M>>, "id" | "staged"> &
  Pick<Projection<StoredFile<M>>, "only"> &
  InLocale & {
    /** The folder in which is searched; by default everything. */
    path?: string | undefined;
  };

/** What a search has found. */
export type SearchPage<T> = {
  /** The best first. */
  items: T[];
  /** How each was found, in the same order. `highlights` are ranges in the texts as they are stored. */
  matches: SearchMatch[];
  /** By field how many matches have each value, the most frequent first. */
  facets: Record<string, Record<string, number>>;
  total: number;
  /** Words that were left out, since nothing has all words. */
  dropped: string[];
  /** True where more have these words than are ranked; `total` and `facets` count those. */
  partial?: true;
};

/** Things that entries refer to, sent along with these: entries by id and files by path. */
export type Included<E = Record<string, Entry>> = {
  entries: { readonly [Id in keyof E]: E[Id] | undefined };
  files: { readonly [path: string]: FileObject | undefined };
};

/** Fields that refer to things by id or path: `director`, `cast.actor`. What they refer to is in `included`. */
export type Including<Name extends string = string> = { include?: readonly Name[] | undefined } & OptionalMembers;

/** With `include` requested. Not enumerable in an entry: what is written back does not have it. */
export type WithIncluded<I = Included> = { readonly included: I };

/** Pages of 100 rows unless `limit` says otherwise; `cursor` is that of the previous page. */
export type HistoryQuery = OrUndefined<Omit<Api["GET /api/registry/history"]["arguments"], "id">>;

// ------------------------------------------------------------------------------------------------------- entries

type ServiceFields = Omit<EntryObject, "title" | "content">;

/** An entry with the fields of `T` and the service's own. `content` is "" where `T` was stored without it. */
export type Entry<T = Fields> = Omit<T, keyof ServiceFields> & ServiceFields & { content: unknown };

/** A step down the tree of entries: a name, and the entry there if there is one. */
export type EntryChild = Api["GET /api/management/entries/children"]["data"][number];

/** Pages of 100 rows unless `limit` says otherwise; `descendants` asks for what is below, too. */
export type ReferenceQuery = OrUndefined<Omit<Api["GET /api/entries/references"]["arguments"], "id">>;

/** The service's fields that a client may set. Other fields of the service may be present, and are ignored. */
export type EntryInput = OrUndefined<
  Partial<Omit<ServiceFields, "published_at" | "created_at" | "modified_at" | "uuid" | "slug">>
> & {
  /** Unix seconds, or a date as ISO 8601. */
  published_at?: number | string | Date | undefined;
};

export type UpdateOptions = WriteOptions & {
  /** True merges objects, and a null removes its key (RFC 7396). Without it top-level keys are set as sent. */
  mergePatch?: boolean | undefined;
};

export type CreateOptions = CallOptions & {
  /** The id of a release with which the draft goes live. Throws in_release, release_not_found and others. */
  release?: string | undefined;
  /** What becomes of an entry that is there; without it, and with `fail`, it throws entry_exists. */
  onConflict?: ConflictRule | undefined;
};

export type StageOptions = UpdateOptions & {
  /** The id of a release with which the copy goes live; null takes it out. Throws in_release, release_not_found and others. */
  release?: string | null | undefined;
};

export type DiscardOptions = WriteOptions & {
  /** Only these keys of the copy, of the client's data or of the service's fields. */
  keys?: string[] | undefined;
};

export type RestoreOptions = WriteOptions & {
  /** True brings back the fields of the service, too: `visibility`, `published_at`, `routable`, `published_by`, `created_by`. */
  state?: boolean | undefined;
};

/** Pages of 100 unless `limit` says otherwise; `cursor` is that of the previous page. */
export type StagedQuery = OrUndefined<Api["GET /api/entries/staged/list"]["arguments"]>;

export type PublishOptions = WriteOptions & {
  /** When: Unix seconds, or a date as ISO 8601; null takes the time back. Without it now. */
  at?: number | string | Date | null | undefined;
  /** True refuses a copy with keys that were changed live since they were staged: staged_outdated. */
  current?: boolean | undefined;
};

// ---------------------------------------------------------------------------------------------- files and images

/** A file with the meta fields of `M`. */
export type StoredFile<M = Fields> = Omit<M, keyof FileObject> & FileObject;

/** A file that was uploaded, and its path, which other calls take; not enumerable. */
export type UploadedObject = StoredFile & { readonly path: string };

type UploadArguments = Api["POST /api/files"]["arguments"];

export type UploadOptions = WriteOptions &
  OrUndefined<Pick<UploadArguments, "title" | "description">> & {
    /** The file's name with its extension; a `File` has one already. The service makes it safe for URLs. */
    name?: string | undefined;
    /** What happens when the name is taken. `replace` unless the service is configured otherwise. */
    onConflict?: UploadArguments["on_conflict"] | undefined;
    /** Receives the upload progress where XMLHttpRequest exists: in browsers. Elsewhere it is not called. */
    onProgress?: ProgressListener | undefined;
  };

export type FileQuery<M> = PageQuery<StoredFile<NoInfer<M>>> & {
  /** True includes the files of all subfolders. */
  recursive?: boolean | undefined;
} & OptionalMembers &
  InLocale;

type OptionalMembers = {
  /** True answers `preview` for pictures, what stands in for them: see `image()` of `@octavo/client/image`. */
  preview?: boolean | undefined;
  /** True answers `sent_name`, the name under which the file was uploaded. */
  sentName?: boolean | undefined;
};
export type FileOptions = CallOptions & OptionalMembers & InLocale;
export type MetaOptions = WriteOptions & InLocale;

export type InLocale = {
  /** A locale of the service: what is translated is read in it, with its fallbacks, or written in it alone. */
  locale?: string | undefined;
};

/** The progress of an upload, in bytes; includes the form around the file. */
export type Progress = { loaded: number; total: number };
export type ProgressListener = (progress: Progress) => void;

/** A number of pixels, or a percentage of the picture's width or height. */
export type Length = number | `${number}` | `${number}w` | `${number}h`;
export type Position = `${"top" | "bottom"}${"" | "-left" | "-right"}` | "left" | "center" | "right";
type Anchored = `${"crop" | "cover"}${"" | `-${Position}`}`;

/** `crop-x-y[-zoom]`: the focal point, in percent from the left and the top; `crop-focal`: the one of the file. */
type Focal = `crop-${number}-${number}` | `crop-${number}-${number}-${number}` | "crop-focal";

/** The type of each argument. See ImageArguments for their effects. */
type Values = {
  or: "auto" | 0 | 90 | 180 | 270;
  trim: boolean | number;
  crop:
    | readonly [width: number, height: number, x: number, y: number]
    | `${number},${number},${number},${number}`
    | "smart";
  w: Length;
  h: Length;
  fit: "contain" | "max" | "fill" | "fill-max" | "stretch" | Anchored | Focal;
  dpr: number;
  bri: number;
  con: number;
  gam: number;
  sharp: number;
  filt: "greyscale" | "grayscale" | "sepia";
  flip: "h" | "v" | "both";
  blur: number;
  pixel: number;
  mark: string;
  markw: Length;
  markh: Length;
  markx: Length;
  marky: Length;
  markpad: Length;
  markfit: "contain" | "max" | "stretch" | Anchored;
  markpos: Position;
  markalpha: number;
  bg: string;
  border:
    | Length
    | readonly [width: Length, color: string, method: "overlay" | "shrink" | "expand"]
    | `${Length},${string}`;
  q: number;
  fm: "jpg" | "jpeg" | "pjpg" | "png" | "gif" | "webp" | "avif" | "auto";
  lossless: boolean | 0 | 1;
  interlace: boolean | 0 | 1;
  p: string | readonly string[];
  strict: 1;
  v: string;
};

/** The arguments of the URL except those that signing adds. */
type Described = Omit<Api["GET /api/images/{path}"]["arguments"], "path" | "s" | "expires">;

/** An argument of only one side is a compile error here. */
type Checked = ValuesOf<keyof Described | keyof Values>;
type ValuesOf<Both extends keyof Described & keyof Values> = Pick<Values, Both>;

/** The arguments of an image: its modifiers, `v` for caching, `strict`. */
export type ImageArguments = { [N in keyof Described]: Checked[N] | undefined };

/** A path below the uploads, or a file, whose version is added to the URL so that it can be cached forever. */
export type Picture = string | Pick<FileObject, "url" | "version">;

export type SrcsetArguments = Omit<ImageArguments, "w" | "h" | "dpr"> & {
  /** In pixels, one URL for each. */
  widths: readonly number[];
  /** Width by height, as `16 / 9`: gives all of them one aspect ratio, together with `fit`. */
  ratio?: number | undefined;
};

// ------------------------------------------------------------------------ the registry, tokens, the trash, types

export type Item<V = unknown> = RegistryItem & { value: V };

/** An item with its whole key, and whether it is built in. */
export type ItemRow<V = unknown> = Omit<Api["GET /api/registry/items"]["data"][number], "value"> & { value: V };

type Expiry = { expires_at?: number | string | Date | null | undefined };
export type TokenInput = OrUndefined<Omit<Api["POST /api/tokens"]["arguments"], "expires_at">> & Expiry;

/** Without `paths` and `resources` those of the caller; it expires after 7 days unless `expires_at` says otherwise. */
export type PreviewInput = OrUndefined<Omit<Api["POST /api/tokens/preview"]["arguments"], "expires_at">> & Expiry;
export type TokenChange = OrUndefined<Omit<Api["PATCH /api/tokens"]["arguments"], "id" | "expires_at">> & Expiry;

export type PersonInput = OrUndefined<Api["POST /api/people"]["arguments"]>;
export type PersonChange = OrUndefined<Omit<Api["PATCH /api/people"]["arguments"], "id">>;
export type OwnChange = OrUndefined<Api["PATCH /api/people/me"]["arguments"]>;
export type RoleInput = OrUndefined<Api["PUT /api/roles"]["arguments"]>;

/** Pages of 100 unless `limit` says otherwise; `cursor` is that of the previous page. */
export type ReleaseQuery = OrUndefined<Omit<Api["GET /api/releases"]["arguments"], "id">>;
export type ReleaseEntriesQuery = OrUndefined<Omit<Api["GET /api/releases/entries"]["arguments"], "id">>;

export type ReleasePublishOptions = PublishOptions & {
  /** True is refused for what is wrong as the call would be, and changes nothing. */
  dryRun?: boolean | undefined;
};

export type WebhookInput = OrUndefined<Api["POST /api/webhooks"]["arguments"]>;
export type WebhookChange = OrUndefined<Omit<Api["PATCH /api/webhooks"]["arguments"], "id">>;

/** Which items: of one noun, with a text in their paths; pages of 100 unless `limit` says otherwise. */
export type TrashQuery = OrUndefined<Api["GET /api/trash"]["arguments"]>;

export type TrashRestoreOptions = CallOptions & {
  /** The path where it goes instead of its old one. */
  newId?: string | undefined;
};

/** What a type is made of; all but `id` and `schema` may be absent. */
export type ContentTypeInput = OrUndefined<Omit<Api["PUT /api/types"]["arguments"], "schema">> & {
  /** A JSON Schema 2020-12. */
  schema: object | boolean;
};

/** Types that are applied together; `prune` removes others, and a dry run stores nothing. */
export type ModelInput = {
  types: readonly ContentTypeInput[];
  prune?: boolean | undefined;
  dry_run?: boolean | undefined;
};

/** Pages of 100 unless `limit` says otherwise; `cursor` is that of the previous page. */
export type TypeQuery = OrUndefined<Omit<Api["GET /api/types"]["arguments"], "id">>;
