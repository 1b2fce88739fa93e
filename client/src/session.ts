import type { Api, Session } from "./api.ts";
import type { OrUndefined } from "./field.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** Sessions of the admin page. All methods need a management token with the resource `admin`. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A page of the live sessions, newest first; 100 unless `limit` says otherwise. */
  async list(
    query: OrUndefined<Api["GET /api/sessions"]["arguments"]> = {},
    options?: CallOptions,
  ): Promise<Session[]> {
    return this.#transport.call("GET /api/sessions", query, options);
  }

  /** Ends the session; its cookie is void at once. Throws session_not_found. */
  async end(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/sessions", { id }, options);
  }
}
