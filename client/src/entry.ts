import type { Api, HistoryRow, OutdatedKey, RecentEntry, Reference, StagedRow } from "./api.ts";
import { attach, formatCollection, readEach, readOne, readPage, readRows, readSearch } from "./collection.ts";
import type { Fields, OrUndefined, Projected } from "./field.ts";
import { rememberLocales } from "./locale.ts";
import type {
  CallOptions,
  CreateOptions,
  DeleteOptions,
  DiscardOptions,
  Entry,
  EntryChild,
  EntryInput,
  HistoryQuery,
  Including,
  MoveOptions,
  Page,
  PageQuery,
  Projection,
  PublishOptions,
  Query,
  Reading,
  ReferenceQuery,
  Rendering,
  RestoreOptions,
  SearchPage,
  SearchQuery,
  StagedQuery,
  StageOptions,
  UpdateOptions,
  WithIncluded,
  WriteOptions,
} from "./public.ts";
import { formatQuery } from "./query.ts";
import type { Transport } from "./transport.ts";

type Only<T> = Pick<Projection<T>, "only">;
type RecentQuery = OrUndefined<Api["GET /api/entries/recent"]["arguments"]>;
type ChildrenQuery = OrUndefined<Omit<Api["GET /api/management/entries/children"]["arguments"], "id">>;

/** Pieces of content by their path-shaped ids. */
export class Entries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One entry. Throws entry_not_found, also for an entry that the token may not see. */
  fetch<T = Fields>(id: string, options?: Reading): Promise<Entry<T>>;
  /** Some fields of one entry. */
  fetch<T = Fields>(id: string, options: Reading & Projection<Entry<NoInfer<T>>>): Promise<Projected<Entry<T>>>;
  /** With `include` the entry has `included`: what these fields refer to. Throws include_too_large. */
  fetch<T = Fields>(id: string, options: Reading & Including): Promise<Entry<T> & WithIncluded>;
  /** Both. */
  fetch<T = Fields>(
    id: string,
    options: Reading & Including & Projection<Entry<NoInfer<T>>>,
  ): Promise<Projected<Entry<T>> & WithIncluded>;
  fetch(id: string, { byPath, ...options }: Reading & { only?: unknown } = {}): Promise<never> {
    return this.#one("GET /api/entries", byPath ? { path: id } : { id }, options);
  }

  /** One page of the entries below: children by id, unless the query says otherwise. Throws entry_not_found. */
  list<T = Fields>(
    id: string,
    query?: PageQuery<Entry<NoInfer<T>>> & Rendering,
    options?: CallOptions,
  ): Promise<Page<Entry<T>>>;
  /** Some fields of them. */
  list<T = Fields>(
    id: string,
    query: PageQuery<Entry<NoInfer<T>>> & Rendering & Projection<Entry<NoInfer<T>>>,
    options?: CallOptions,
  ): Promise<Page<Projected<Entry<T>>>>;
  /** With `include` the page and its entries have `included`: what these fields refer to. */
  list<T = Fields>(
    id: string,
    query: PageQuery<Entry<NoInfer<T>>> & Rendering & Including,
    options?: CallOptions,
  ): Promise<Page<Entry<T> & WithIncluded> & WithIncluded>;
  /** Both. */
  list<T = Fields>(
    id: string,
    query: PageQuery<Entry<NoInfer<T>>> & Rendering & Including & Projection<Entry<NoInfer<T>>>,
    options?: CallOptions,
  ): Promise<Page<Projected<Entry<T>> & WithIncluded> & WithIncluded>;
  list(id: string, query: object = {}, options?: CallOptions): Promise<never> {
    return readPage(this.#read(id, options), query) as Promise<never>;
  }

  /** All entries below, page by page; `limit` is the size of a page. Throws entry_not_found. */
  each<T = Fields>(
    id: string,
    query?: Query<Entry<NoInfer<T>>> & Rendering,
    options?: CallOptions,
  ): AsyncGenerator<Entry<T>, void>;
  /** With `include` each has `included`: what these fields of its page refer to. */
  each<T = Fields>(
    id: string,
    query: Query<Entry<NoInfer<T>>> & Rendering & Including,
    options?: CallOptions,
  ): AsyncGenerator<Entry<T> & WithIncluded, void>;
  each(id: string, query: object = {}, options?: CallOptions): AsyncGenerator<never, void> {
    return readEach(this.#read(id, options), query);
  }

  /**
   * The first of the entries below, or null. Throws entry_not_found when neither the id nor anything below it exists.
   */
  first<T = Fields>(
    id: string,
    query?: Query<Entry<NoInfer<T>>> & Rendering,
    options?: CallOptions,
  ): Promise<Entry<T> | null>;
  /** With `include` it has `included`: what these fields refer to. */
  first<T = Fields>(
    id: string,
    query: Query<Entry<NoInfer<T>>> & Rendering & Including,
    options?: CallOptions,
  ): Promise<(Entry<T> & WithIncluded) | null>;
  first(id: string, query: object = {}, options?: CallOptions): Promise<never> {
    return readOne(this.#read(id, options), query, "first");
  }

  /**
   * Entries with these words, the best first: in other forms, with typos, the last one also as a beginning. `q` may have a
   * `"phrase"` and `-without`; empty it finds all. Throws entry_not_found, search_off.
   */
  search<T = Fields>(
    q: string,
    query?: SearchQuery<Entry<NoInfer<T>>> & Rendering,
    options?: CallOptions,
  ): Promise<SearchPage<Entry<T>>>;
  /** Some fields of them. */
  search<T = Fields>(
    q: string,
    query: SearchQuery<Entry<NoInfer<T>>> & Rendering & Only<Entry<NoInfer<T>>>,
    options?: CallOptions,
  ): Promise<SearchPage<Projected<Entry<T>>>>;
  /** With `include` the page and its entries have `included`: what these fields refer to. */
  search<T = Fields>(
    q: string,
    query: SearchQuery<Entry<NoInfer<T>>> & Rendering & Including,
    options?: CallOptions,
  ): Promise<SearchPage<Entry<T> & WithIncluded> & WithIncluded>;
  /** Both. */
  search<T = Fields>(
    q: string,
    query: SearchQuery<Entry<NoInfer<T>>> & Rendering & Including & Only<Entry<NoInfer<T>>>,
    options?: CallOptions,
  ): Promise<SearchPage<Projected<Entry<T>> & WithIncluded> & WithIncluded>;
  search(q: string, { staged, ...query }: { staged?: boolean } = {}, options?: CallOptions): Promise<never> {
    const operation = staged ? "GET /api/entries/staged/search" : "GET /api/entries/search";
    return readSearch(this.#transport, operation, q, query, options) as Promise<never>;
  }

  /** The number of entries below. Throws entry_not_found when neither the id nor anything below it exists. */
  count<T = Fields>(id: string, query: Query<Entry<NoInfer<T>>> = {}, options?: CallOptions): Promise<number> {
    return readOne(this.#read(id, options), query, "count");
  }

  /** The URL that `list` requests, without a token and `strict`: for programs without this client. */
  url<T = Fields>(id: string, query: PageQuery<Entry<NoInfer<T>>> & Rendering = {}): string {
    return `${this.#transport.url}/api/entries?${formatQuery({ id, ...formatCollection(query as object) })}`;
  }

  /**
   * The children of an id, for a tree view: also path segments without an entry that only have descendants. 1000 at
   * most unless `limit` says less; `after` is the slug where the next page begins. Needs a management token.
   */
  async children(id: string, query: ChildrenQuery = {}, options?: CallOptions): Promise<EntryChild[]> {
    return this.#transport.call("GET /api/management/entries/children", { id, ...query }, options);
  }

  /**
   * Throws entry_exists, field_invalid, data_too_large. With `onConflict` an entry that is there is updated, replaced or
   * left; that of an operation of a batch also answers which.
   */
  async create<T extends object = Fields>(
    id: string,
    data: T & EntryInput,
    { release, onConflict: on_conflict, ...options }: CreateOptions = {},
  ): Promise<Entry<T>> {
    return (await this.#transport.call("POST /api/entries", { id, data, release, on_conflict }, options)) as Entry<T>;
  }

  /** Sets these fields and leaves the others. Throws entry_not_found, revision_mismatch, field_invalid. */
  async update<T extends object = Fields>(
    id: string,
    data: Partial<T> & EntryInput,
    options?: UpdateOptions,
  ): Promise<Entry<T>> {
    return (await this.#transport.call("PATCH /api/entries", { id, data }, options)) as Entry<T>;
  }

  /** Renames or moves the entry with all below it. Throws entry_not_found, entry_exists, move_into_itself, revision_mismatch. */
  async move<T = Fields>(
    id: string,
    newId: string,
    { updateReferences, ...options }: MoveOptions = {},
  ): Promise<Entry<T>> {
    return (await this.#transport.call(
      "PUT /api/entries",
      { id, new_id: newId, update_references: updateReferences },
      options,
    )) as Entry<T>;
  }

  /**
   * One page of the entries that refer to the entry, by id, in fields that their types mark as references, and by links
   * in prose. Needs a management token. Throws entry_not_found.
   */
  references(id: string, query: ReferenceQuery = {}, options?: CallOptions): Promise<Page<Reference>> {
    return readRows(this.#transport, "GET /api/entries/references", { id, ...query }, options);
  }

  /** Copies the entry with all below it; answers the copy. Throws as move does. */
  async copy<T = Fields>(id: string, newId: string, options?: WriteOptions): Promise<Entry<T>> {
    return (await this.#transport.call("PUT /api/entries/copy", { id, new_id: newId }, options)) as Entry<T>;
  }

  /** Moves the entry with all below it to the trash. Throws entry_not_found, revision_mismatch. */
  async delete(id: string, { purge, restrict, ...options }: DeleteOptions = {}): Promise<void> {
    await this.#transport.call("DELETE /api/entries", { id, purge, restrict }, options);
  }

  /** One page of the contents that were replaced, newest first. Needs a management token. Throws entry_not_found. */
  history(id: string, query: HistoryQuery = {}, options?: CallOptions): Promise<Page<HistoryRow>> {
    return readRows(this.#transport, "GET /api/entries/history", { id, ...query }, options);
  }

  /**
   * The entry with the content that was in force at a revision, under its present id. Needs a management token. Throws
   * entry_not_found, revision_not_found.
   */
  at<T = Fields>(id: string, revision: number, options?: CallOptions): Promise<Entry<T>>;
  /** Some fields of it. */
  at<T = Fields>(
    id: string,
    revision: number,
    options: CallOptions & Projection<Entry<NoInfer<T>>>,
  ): Promise<Projected<Entry<T>>>;
  at(id: string, revision: number, options?: CallOptions & { only?: unknown }): Promise<never> {
    return this.#one("GET /api/management/entries", { id, revision }, options);
  }

  /**
   * Gives the entry the data of that revision; the service's fields, `visibility` among them, stay unless `state` is
   * true. Throws entry_not_found, revision_not_found, revision_mismatch.
   */
  async restore<T = Fields>(
    id: string,
    revision: number,
    { state, ...options }: RestoreOptions = {},
  ): Promise<Entry<T>> {
    return (await this.#transport.call("POST /api/entries/restore", { id, revision, state }, options)) as Entry<T>;
  }

  /**
   * Gives every entry at and below the id the data that it had at a time (Unix seconds, or a date as ISO 8601), as
   * `restore` does; "" is the root. Answers how many entries differed. Throws entry_not_found, revision_not_found, subtree_too_large.
   */
  async restoreSubtree(
    id: string,
    at: number | string | Date,
    { state, ...options }: RestoreOptions = {},
  ): Promise<number> {
    const args = { id, at, subtree: true, state };
    return ((await this.#transport.call("POST /api/entries/restore", args, options)) as { restored: number }).restored;
  }

  /** The entries that were changed last, and by whom; with `mine` by this token or person. Needs a management token. */
  async recent(query: RecentQuery = {}, options?: CallOptions): Promise<RecentEntry[]> {
    return await this.#transport.call("GET /api/entries/recent", query, options);
  }

  /** The entry with its working copy laid over, if it has one. Needs a management token. Throws entry_not_found. */
  async staged<T = Fields>(id: string, options?: CallOptions): Promise<Entry<T>> {
    return (await this.#transport.call("GET /api/entries/staged", { id }, options)) as Entry<T>;
  }

  /**
   * Sets these fields in the working copy; what is live stays as it is. Answers the entry with the copy laid over, which
   * `ifMatch` takes in the next call. Throws entry_not_found, revision_mismatch, publish_scheduled, field_invalid.
   */
  async stage<T extends object = Fields>(
    id: string,
    data: Partial<T> & EntryInput,
    { release, ...options }: StageOptions = {},
  ): Promise<Entry<T>> {
    return (await this.#transport.call("PATCH /api/entries/staged", { id, data, release }, options)) as Entry<T>;
  }

  /**
   * The keys of the working copy that were changed live since they were staged, which a publish would put back: as they
   * were, as they are, as they are staged. Throws entry_not_found.
   */
  async outdated(id: string, options?: CallOptions): Promise<OutdatedKey[]> {
    return await this.#transport.call("GET /api/entries/staged/outdated", { id }, options);
  }

  /**
   * Drops the working copy, or with `keys` these keys of it. Throws entry_not_found, nothing_staged, revision_mismatch,
   * publish_scheduled, scope_missing (a token whose writes are staged, of what others staged).
   */
  async discard(id: string, { keys, ...options }: DiscardOptions = {}): Promise<void> {
    await this.#transport.call("DELETE /api/entries/staged", { id, keys }, options);
  }

  /**
   * Makes the working copy, or a draft, live. With `at` in the future it is published then, and the answer is the entry
   * with the copy laid over. Throws entry_not_found, nothing_staged, revision_mismatch, publish_scheduled, with `current`
   * staged_outdated.
   */
  async publish<T = Fields>(id: string, { at, current, ...options }: PublishOptions = {}): Promise<Entry<T>> {
    return (await this.#transport.call("POST /api/entries/publish", { id, at, current }, options)) as Entry<T>;
  }

  /** One page of the entries that have a working copy, by id. Needs a management token. */
  stagedList(query: StagedQuery = {}, options?: CallOptions): Promise<Page<StagedRow>> {
    return readRows(this.#transport, "GET /api/entries/staged/list", query, options);
  }

  async #one(
    operation: "GET /api/entries" | "GET /api/management/entries",
    args: { id: string; revision?: number } | { path: string },
    {
      signal,
      keepalive,
      render,
      imagePreset,
      locale,
      localeFallback,
      include,
      preview,
      sentName: sent_name,
      ...filter
    }: CallOptions & Rendering & Including = {},
  ): Promise<never> {
    const sent = {
      ...args,
      options: { filter, include, preview, sent_name },
      render,
      image_preset: imagePreset,
      locale,
      locale_fallback: localeFallback,
    };
    const { data, headers, included } = await this.#transport.reply<never>(operation, sent, { signal, keepalive });
    attach(data, included);
    rememberLocales(data, headers);
    return data;
  }

  #read(id: string, options?: CallOptions) {
    return (args: object) => this.#transport.reply("GET /api/entries", { id, ...args }, options);
  }
}
