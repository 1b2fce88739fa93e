import type { Webhook, WebhookAttempt, WebhookWithSecret } from "./api.ts";
import type { CallOptions, WebhookChange, WebhookInput } from "./public.ts";
import type { Transport } from "./transport.ts";

/** Addresses that are sent the events of writes. All methods need a management token with the resource `admin`. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All, oldest first. */
  async list(options?: CallOptions): Promise<Webhook[]> {
    return this.#transport.call("GET /api/webhooks", {}, options) as Promise<Webhook[]>;
  }

  /** Throws webhook_not_found. */
  async fetch(id: string, options?: CallOptions): Promise<Webhook> {
    return this.#transport.call("GET /api/webhooks", { id }, options) as Promise<Webhook>;
  }

  /** Answers the secret, which is shown only once. Throws webhook_address_refused, too_many_webhooks. */
  async create(input: WebhookInput, options?: CallOptions): Promise<WebhookWithSecret> {
    return this.#transport.call("POST /api/webhooks", input, options);
  }

  /** Throws webhook_not_found, webhook_address_refused. */
  async update(id: string, change: WebhookChange, options?: CallOptions): Promise<Webhook> {
    return this.#transport.call("PATCH /api/webhooks", { id, ...change }, options);
  }

  /** Answers a new secret; the old one signs for a day, too. Throws webhook_not_found. */
  async rotate(id: string, options?: CallOptions): Promise<WebhookWithSecret> {
    return this.#transport.call("POST /api/webhooks/rotate", { id }, options);
  }

  /** Sends a message without events now, and answers what came of it. Throws webhook_not_found. */
  async test(id: string, options?: CallOptions): Promise<WebhookAttempt> {
    return this.#transport.call("POST /api/webhooks/test", { id }, options);
  }

  /** The last attempts, newest first. Throws webhook_not_found. */
  async deliveries(id: string, options?: CallOptions): Promise<WebhookAttempt[]> {
    return this.#transport.call("GET /api/webhooks/deliveries", { id }, options);
  }

  /**
   * Sends the delivery that begins with an event again, now, and answers what came of it. Throws webhook_not_found,
   * webhook_delivery_not_found.
   */
  async resend(id: string, sequence: number, options?: CallOptions): Promise<WebhookAttempt> {
    return this.#transport.call("POST /api/webhooks/resend", { id, sequence }, options);
  }

  /** Throws webhook_not_found. */
  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.call("DELETE /api/webhooks", { id }, options);
  }
}
