import type { HistoryRow, Reference } from "./api.ts";
import { readEach, readOne, readPage, readRows, readSearch } from "./collection.ts";
import type { Fields } from "./field.ts";
import type {
  CallOptions,
  DeleteOptions,
  FileOptions,
  FileQuery,
  FileSearchQuery,
  HistoryQuery,
  MetaOptions,
  MoveOptions,
  Page,
  ReferenceQuery,
  SearchPage,
  StoredFile,
  UploadedObject,
  UploadOptions,
  WriteOptions,
} from "./public.ts";
import { formatQuery } from "./query.ts";
import { type Transport, withPath } from "./transport.ts";

const largeBytes = 16 * 1024 * 1024;

/** Files below the uploads, by their paths. */
export class Files {
  readonly #transport: Transport;
  /** The client's own fields of files. Dots in a field's name address nested objects. */
  readonly meta: FileMeta;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.meta = new FileMeta(transport);
  }

  /**
   * Stores a file in a folder, which is created if it is missing. In Node `openAsBlob()` of `node:fs` streams one from
   * the disk. Above 16 MiB it goes on after a broken connection, unless `ifMatch` or a key needs one request. Throws
   * file_exists, file_type_refused, file_too_large, image_too_large.
   */
  async upload(
    folder: string,
    file: Blob,
    { name, title, description, onConflict, ...options }: UploadOptions = {},
  ): Promise<UploadedObject> {
    if (file.size > largeBytes && options.ifMatch === undefined && options.idempotencyKey === undefined) {
      const { ResumableUpload } = await import("./resumable.ts");
      const { onProgress } = options;
      const more = { name, title, description, onConflict, onProgress, store: null };
      return new ResumableUpload(this.#transport.config, folder, file, more).send(options);
    }
    const named = name === undefined ? file : new File([file], name, { type: file.type });
    const args = { folder, title, description, on_conflict: onConflict, file: named };
    const { data, headers } = await this.#transport.reply("POST /api/files", args, options);
    return withPath(data, headers);
  }

  /** The metadata of one file. Throws file_not_found. */
  async fetch<M = Fields>(
    path: string,
    { preview, sentName, locale, ...options }: FileOptions = {},
  ): Promise<StoredFile<M>> {
    const args = { path, locale, options: { preview, sent_name: sentName } };
    return (await this.#transport.call("GET /api/files", args, options)) as StoredFile<M>;
  }

  /** One page of the files of a folder, by name unless the query says otherwise. Throws folder_not_found. */
  list<M = Fields>(folder: string, query: FileQuery<M> = {}, options?: CallOptions): Promise<Page<StoredFile<M>>> {
    return readPage(this.#read(folder, options), query);
  }

  /** All of them, page by page; `limit` is the size of a page. Throws folder_not_found. */
  each<M = Fields>(
    folder: string,
    query: FileQuery<M> = {},
    options?: CallOptions,
  ): AsyncGenerator<StoredFile<M>, void> {
    return readEach(this.#read(folder, options), query);
  }

  /** The number of files. Throws folder_not_found. */
  count<M = Fields>(folder: string, query: FileQuery<M> = {}, options?: CallOptions): Promise<number> {
    return readOne(this.#read(folder, options), query, "count");
  }

  /** Files with these words, the best first; as `entries.search`. Throws folder_not_found, search_off. */
  search<M = Fields>(
    q: string,
    query: FileSearchQuery<M> = {},
    options?: CallOptions,
  ): Promise<SearchPage<StoredFile<M>>> {
    return readSearch(this.#transport, "GET /api/files/search", q, query, options);
  }

  /** Renames or moves. Throws file_not_found, file_exists, folder_exists, file_type_refused, revision_mismatch. */
  async move(path: string, newPath: string, { updateReferences, ...options }: MoveOptions = {}): Promise<StoredFile> {
    return this.#transport.call(
      "PUT /api/files",
      { path, new_path: newPath, update_references: updateReferences },
      options,
    );
  }

  /** The same as `entries.references`, for a file, or with `descendants` for a folder. Throws file_not_found. */
  references(path: string, query: ReferenceQuery = {}, options?: CallOptions): Promise<Page<Reference>> {
    return readRows(this.#transport, "GET /api/files/references", { path, ...query }, options);
  }

  /** Copies; answers the copy, which has a number in its name where the name was taken. Throws as move does. */
  async copy(path: string, newPath: string, options?: WriteOptions): Promise<StoredFile> {
    return this.#transport.call("PUT /api/files/copy", { path, new_path: newPath }, options);
  }

  /** Moves it to the trash. Throws file_not_found, revision_mismatch. */
  async delete(path: string, { purge, restrict, ...options }: DeleteOptions = {}): Promise<void> {
    await this.#transport.call("DELETE /api/files", { path, purge, restrict }, options);
  }

  /** One page of the bytes and fields that were replaced, newest first. Needs a management token. Throws file_not_found. */
  history(path: string, query: HistoryQuery = {}, options?: CallOptions): Promise<Page<HistoryRow>> {
    return readRows(this.#transport, "GET /api/files/history", { path, ...query }, options);
  }

  /**
   * The metadata that was in force at a revision, at the present path. Needs a management token. Throws file_not_found,
   * revision_not_found.
   */
  async at<M = Fields>(path: string, revision: number, options?: CallOptions): Promise<StoredFile<M>> {
    return (await this.#transport.call("GET /api/files/history/state", { path, revision }, options)) as StoredFile<M>;
  }

  /** The URL of the bytes that were in force at a revision. It needs a management token: read it with `get`. */
  urlAt(path: string, revision: number): string {
    return `${this.#transport.url}/api/files/history/bytes?${formatQuery({ path, revision })}`;
  }

  /** Gives the file those bytes and fields. Throws file_not_found, revision_not_found, revision_mismatch. */
  async restore<M = Fields>(path: string, revision: number, options?: WriteOptions): Promise<StoredFile<M>> {
    return (await this.#transport.call("POST /api/files/restore", { path, revision }, options)) as StoredFile<M>;
  }

  #read(path: string, options?: CallOptions) {
    return (args: object) => this.#transport.reply("GET /api/files", { path, collection: true, ...args }, options);
  }
}

class FileMeta {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Adds a field, with any JSON value. Throws file_not_found, field_exists, field_reserved, revision_mismatch. */
  async add(
    path: string,
    field: string,
    value: unknown,
    { locale, ...options }: MetaOptions = {},
  ): Promise<StoredFile> {
    return this.#transport.call("POST /api/files/meta", { path, field, value, locale }, options);
  }

  /**
   * Changes a field; of the service's own, `title` and `description`. In a locale it sets the text whether or not there was
   * one. Throws as add does, and field_not_found.
   */
  async update(
    path: string,
    field: string,
    value: unknown,
    { locale, ...options }: MetaOptions = {},
  ): Promise<StoredFile> {
    return this.#transport.call("PATCH /api/files/meta", { path, field, value, locale }, options);
  }

  /** Removes a field; in a locale the text, which falls back. Throws file_not_found, field_not_found, field_reserved, revision_mismatch. */
  async delete(path: string, field: string, { locale, ...options }: MetaOptions = {}): Promise<StoredFile> {
    return this.#transport.call("DELETE /api/files/meta", { path, field, locale }, options);
  }
}
