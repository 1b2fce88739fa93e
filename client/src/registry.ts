import type { HistoryRow } from "./api.ts";
import { readRows } from "./collection.ts";
import type { CallOptions, HistoryQuery, Item, ItemRow, Page } from "./public.ts";
import type { Transport } from "./transport.ts";

/** Dotted keys and their values. */
export class Registry {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** An item; for a key that is the parent of others, the object of them. Throws registry_item_not_found. */
  async fetch<V = unknown>(key: string, options?: CallOptions): Promise<Item<V>> {
    return (await this.#transport.call("GET /api/registry", { id: key }, options)) as Item<V>;
  }

  /** The items at and below a key, by their keys; all without one. Needs a management token. Throws registry_item_not_found. */
  async list<V = unknown>(key = "", options?: CallOptions): Promise<ItemRow<V>[]> {
    return (await this.#transport.call("GET /api/registry/items", { id: key }, options)) as ItemRow<V>[];
  }

  /** Sets an item to any JSON. Throws registry_item_read_only. */
  async set<V>(key: string, value: V, options?: CallOptions): Promise<Item<V>> {
    return (await this.#transport.call("PUT /api/registry", { id: key, value }, options)) as Item<V>;
  }

  /** Deletes an item and all below it. Throws registry_item_not_found, registry_item_read_only. */
  async delete(key: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/registry", { id: key }, options);
  }

  /** One page of the values that were replaced or deleted, newest first; empty for an unknown key. Needs a management token. */
  history(key: string, query: HistoryQuery = {}, options?: CallOptions): Promise<Page<HistoryRow>> {
    return readRows(this.#transport, "GET /api/registry/history", { id: key, ...query }, options);
  }

  /** The value that was in force at a revision. Needs a management token. Throws revision_not_found. */
  async at<V = unknown>(key: string, revision: number, options?: CallOptions): Promise<Item<V>> {
    return (await this.#transport.call("GET /api/registry/history/state", { id: key, revision }, options)) as Item<V>;
  }

  /** Sets the item to that value; creates a deleted item again. Throws revision_not_found. */
  async restore<V = unknown>(key: string, revision: number, options?: CallOptions): Promise<Item<V>> {
    return (await this.#transport.call("POST /api/registry/restore", { id: key, revision }, options)) as Item<V>;
  }
}
