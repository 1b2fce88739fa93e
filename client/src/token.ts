import type { Token, TokenWithSecret } from "./api.ts";
import type { CallOptions, PreviewInput, TokenChange, TokenInput } from "./public.ts";
import type { Transport } from "./transport.ts";

/** Tokens. All methods but those of previews need a management token with the resource `admin`. */
export class Tokens {
  readonly #transport: Transport;
  readonly previews: Previews;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.previews = new Previews(transport);
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

/** Tokens that read what is public, and drafts and working copies below their paths. All methods need a management token with the resource `entries`. */
class Previews {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Those within the paths of the caller. */
  async list(options?: CallOptions): Promise<Token[]> {
    return this.#transport.call("GET /api/tokens/preview", {}, options);
  }

  /** Answers the secret, which is shown only once. Throws entry_not_found for a path outside of the caller's. */
  async create(input: PreviewInput = {}, options?: CallOptions): Promise<TokenWithSecret> {
    return this.#transport.call("POST /api/tokens/preview", input, options);
  }

  /** Removes the token; it is void at once. Throws token_not_found. */
  async revoke(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/tokens/preview", { id }, options);
  }
}
