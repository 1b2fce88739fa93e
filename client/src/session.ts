import type { Api, Session } from "./api.ts";
import { readRows } from "./collection.ts";
import type { OrUndefined } from "./field.ts";
import type { CallOptions, Page } from "./public.ts";
import type { Transport } from "./transport.ts";

type SessionQuery = OrUndefined<Api["GET /api/sessions"]["arguments"]>;

/** Sessions of the admin page. All methods need a management token with the resource `admin`. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A page of the live sessions, newest first; 100 unless `limit` says otherwise. */
  async list(query: SessionQuery = {}, options?: CallOptions): Promise<Session[]> {
    return (await this.page(query, options)).items;
  }

  /** The same with the cursor of the next page. */
  async page(query: SessionQuery = {}, options?: CallOptions): Promise<Page<Session>> {
    return readRows(this.#transport, "GET /api/sessions", query, options);
  }

  /** Ends the session; its cookie is invalid at once. Throws session_not_found. */
  async end(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/sessions", { id }, options);
  }
}
