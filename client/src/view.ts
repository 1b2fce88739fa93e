import type { Api, View } from "./api.ts";
import type { OrUndefined } from "./field.ts";
import type { CallOptions } from "./public.ts";
import type { Transport } from "./transport.ts";

/** A view as it is saved. */
export type ViewInput = OrUndefined<Api["POST /api/views"]["arguments"]>;

/** Tables of entries that people saved. All methods need the cookie of a person's session; writes also its CSRF token. */
export class Views {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The own ones and those that are shared, by title. */
  async list(options?: CallOptions): Promise<View[]> {
    return this.#transport.call("GET /api/views", {}, options);
  }

  /** Throws too_many_views, data_too_large. */
  async create(input: ViewInput, options?: CallOptions): Promise<View> {
    return this.#transport.call("POST /api/views", input, options);
  }

  /** Replaces a view. Throws view_not_found, view_not_own, too_many_views, data_too_large. */
  async put(id: string, input: ViewInput, options?: CallOptions): Promise<View> {
    return this.#transport.call("PUT /api/views", { id, ...input }, options);
  }

  /** Throws view_not_found, view_not_own. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/views", { id }, options);
  }
}
