/**
 * Verifies what a webhook receives, as Standard Webhooks 1.0 says. For servers only: with the secret anybody can sign.
 */

import type { LogEvent } from "./api.ts";

/** What is delivered: `octavo.changes`, or `octavo.test` without events. */
export type WebhookPayload = {
  type: string;
  /** When the events were written, as ISO 8601. */
  timestamp: string;
  data: {
    /** The sequences of the first and the last event. */
    from: number;
    to: number;
    events: Omit<LogEvent, "actor_name">[];
    /** The cache groups whose replies changed. */
    groups: string[];
    /** True when events before these were removed from the log unsent: read everything anew. */
    gap?: boolean;
  };
};

/** Of a request as `Headers`, or as an object whose names are in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Why a request is not from the webhook: answer 400 or 401, and do nothing. */
export class WebhookInvalid extends Error {
  override readonly name = "WebhookInvalid";
}

export type VerifyOptions = {
  /** How old a signature may be, in seconds: 300. */
  toleranceSeconds?: number | undefined;
};

/**
 * What was delivered, if one of the secrets signed it within five minutes. `body` is the request's body as it came, not
 * parsed and formatted again. Rejects with WebhookInvalid otherwise.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string | readonly string[],
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<WebhookPayload> {
  const get = (name: string): string => {
    const found = headerOf(headers, name);
    if (typeof found !== "string" || found === "") throw new WebhookInvalid(`the header ${name} is missing`);
    return found;
  };
  const [id, time, signed] = [get("webhook-id"), get("webhook-timestamp"), get("webhook-signature")];
  const age = Math.abs(Date.now() / 1000 - Number(time));
  // Written so that a tolerance that is no number accepts nothing.
  if (!/^\d+$/.test(time) || !(age <= toleranceSeconds)) throw new WebhookInvalid("it is too old, or from the future");
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  // As they came: several bodies are one text.
  const bytes = typeof body === "string" ? bytesOf(body) : new Uint8Array(body);
  const head = bytesOf(`${id}.${time}.`);
  const content = new Uint8Array(head.length + bytes.length);
  content.set(head);
  content.set(bytes, head.length);
  const signatures = signed.split(" ").filter((part) => part.startsWith("v1,"));
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const key = await keyOf(one);
    for (const signature of signatures) {
      const sent = fromBase64(signature.slice(3));
      if (sent && (await crypto.subtle.verify("HMAC", key, sent, content))) return JSON.parse(text);
    }
  }
  throw new WebhookInvalid("no signature fits");
}

/** Names of headers have no case (RFC 9110, 5.1): frameworks and gateways send them on as `Webhook-Id`. */
function headerOf(headers: WebhookHeaders, name: string): unknown {
  if (typeof headers.get === "function") return headers.get(name);
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? [value].flat() : []));
  return values.length === 1 ? values[0] : undefined;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

function fromBase64(text: string) {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Throws TypeError for a text that is no secret of a webhook: the program is wrong, not the request. */
async function keyOf(secret: string) {
  const bytes = fromBase64(secret.replace(/^whsec_/, ""));
  if (!bytes || bytes.length === 0) throw new TypeError("the secret is not whsec_ and base64");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}
