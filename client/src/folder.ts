import type { FolderObject } from "./api.ts";
import { readEach, readPage } from "./collection.ts";
import type { CallOptions, DeleteOptions, MoveOptions, Page, PageQuery, Query, WriteOptions } from "./public.ts";
import type { Transport } from "./transport.ts";

/** Folders of the uploads, by their paths; "" is the root. */
export class Folders {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Throws folder_not_found. */
  async fetch(path: string, options?: CallOptions): Promise<FolderObject> {
    return (await this.#transport.call("GET /api/folders", { path }, options)) as FolderObject;
  }

  /** One page of the folders in a folder, by name unless the query says otherwise. Throws folder_not_found. */
  list(path: string, query: PageQuery<FolderObject> = {}, options?: CallOptions): Promise<Page<FolderObject>> {
    return readPage(this.#read(path, options), query);
  }

  /** All of them, page by page; `limit` is the size of a page. Throws folder_not_found. */
  each(path: string, query: Query<FolderObject> = {}, options?: CallOptions): AsyncGenerator<FolderObject, void> {
    return readEach(this.#read(path, options), query);
  }

  /** Creates a folder and its missing parents. Throws folder_exists, file_exists. */
  async create(path: string, options?: CallOptions): Promise<FolderObject> {
    return this.#transport.call("POST /api/folders", { path }, options);
  }

  /**
   * Renames or moves it with its content. Throws folder_not_found, folder_exists, move_into_itself, revision_mismatch.
   */
  async move(path: string, newPath: string, { updateReferences, ...options }: MoveOptions = {}): Promise<FolderObject> {
    return this.#transport.call(
      "PUT /api/folders",
      { path, new_path: newPath, update_references: updateReferences },
      options,
    );
  }

  /** Copies it with its content; answers the copy. Throws as move does. */
  async copy(path: string, newPath: string, options?: WriteOptions): Promise<FolderObject> {
    return this.#transport.call("PUT /api/folders/copy", { path, new_path: newPath }, options);
  }

  /** Moves it with its content to the trash. Throws folder_not_found, revision_mismatch. */
  async delete(path: string, { purge, restrict, ...options }: DeleteOptions = {}): Promise<void> {
    await this.#transport.call("DELETE /api/folders", { path, purge, restrict }, options);
  }

  #read(path: string, options?: CallOptions) {
    return (args: object) => this.#transport.reply("GET /api/folders", { path, collection: true, ...args }, options);
  }
}
