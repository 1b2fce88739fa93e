import { resolveName } from "./adapters/webhook/resolve.ts";
import { Seal } from "./domain/access/seal.ts";
import { checkWebhookUrl } from "./domain/webhook/address.ts";
import type { WebhookOptions } from "./http/webhook.ts";
import type { Settings } from "./settings.ts";

/** What webhooks are made with, from the settings. */
export function webhookOptions(settings: Settings, signingKey: string): WebhookOptions {
  const isPrivate = settings.webhookPrivate === "on";
  return {
    seal: new Seal(signingKey, "octavo webhook"),
    checkUrl: (url) => checkWebhookUrl(url, isPrivate, resolveName),
  };
}
