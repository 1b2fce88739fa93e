import type { TrashItem } from "./api.ts";
import { readRows } from "./collection.ts";
import type { CallOptions, Page, TrashQuery, TrashRestoreOptions } from "./public.ts";
import type { Transport } from "./transport.ts";

/**
 * What was deleted, as one item per deletion. All methods need a management token; it sees the items whose resource it has.
 */
export class Trash {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One page of the items, newest first. */
  list(query: TrashQuery = {}, options?: CallOptions): Promise<Page<TrashItem>> {
    return readRows(this.#transport, "GET /api/trash", query, options);
  }

  /** All of them, page by page; `limit` is the size of a page. */
  async *each(query: TrashQuery = {}, options?: CallOptions): AsyncGenerator<TrashItem, void> {
    let cursor = query.cursor;
    do {
      const page: Page<TrashItem> = await this.list({ ...query, cursor }, options);
      yield* page.items;
      cursor = page.cursor;
    } while (cursor);
  }

  /**
   * Puts everything of the item back, where it was or elsewhere; answers the item with the path where it is now. Throws
   * trash_item_not_found, entry_exists, folder_exists, file_exists, file_type_refused.
   */
  async restore(id: number, { newId, ...options }: TrashRestoreOptions = {}): Promise<TrashItem> {
    return this.#transport.call("POST /api/trash/restore", { id, new_id: newId }, options);
  }

  /** Deletes the item for good, with the history of what is in it. Throws trash_item_not_found. */
  async purge(id: number, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/trash", { id }, options);
  }
}
