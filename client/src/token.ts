import type { Api, Token, TokenWithSecret } from "./api.ts";
import type { OrUndefined } from "./field.ts";
import type { CallOptions, Transport } from "./transport.ts";

type Expiry = { expires_at?: number | string | Date | null | undefined };
export type TokenInput = OrUndefined<Omit<Api["POST /api/tokens"]["arguments"], "expires_at">> & Expiry;
export type TokenChange = OrUndefined<Omit<Api["PATCH /api/tokens"]["arguments"], "id" | "expires_at">> & Expiry;

/** Tokens. All methods need a management token with the resource `admin`. */
export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(options?: CallOptions): Promise<Token[]> {
    return this.#transport.call("GET /api/tokens", {}, options);
  }

  /** Answers the secret, which is shown only once. */
  async create(input: TokenInput, options?: CallOptions): Promise<TokenWithSecret> {
    return this.#transport.call("POST /api/tokens", input, options);
  }

  /** Throws token_not_found. */
  async update(id: string, change: TokenChange, options?: CallOptions): Promise<Token> {
    return this.#transport.call("PATCH /api/tokens", { id, ...change }, options);
  }

  /** Gives the token another secret, answered only once; the old one is void at once. Throws token_not_found. */
  async rotate(id: string, options?: CallOptions): Promise<TokenWithSecret> {
    return this.#transport.call("PUT /api/tokens/rotate", { id }, options);
  }

  /** Removes the token; it is void at once. Throws token_not_found. */
  async revoke(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/tokens", { id }, options);
  }
}
