import type { SettingsOf } from "../core/lib/setting.ts";
import { counter, shared } from "../core/metric.ts";
import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { webhookEvents } from "./events.ts";
import { webhookProblems } from "./problems.ts";
import { webhookSettings } from "./settings.ts";
import type { webhookNoun } from "./store.ts";

/** Webhooks. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    webhooks: PortOf<typeof webhookNoun>;
  }
}

type WebhookSettings = SettingsOf<typeof webhookSettings>;
declare module "../settings-type.ts" {
  interface Settings extends WebhookSettings {}
}

export const webhookFeature = feature({
  name: "webhook",
  nouns: async () => ({ webhooks: (await import("./store.ts")).webhookNoun }),
  events: webhookEvents,
  problems: webhookProblems,
  settings: webhookSettings,
  commands: async () => (await import("./command.ts")).webhookCommands,
  metrics: {
    octavo_webhook_lag_seconds: shared("How long the oldest event that a webhook is still to be sent has waited."),
    octavo_webhook_attempts_total: counter("Attempts to send to a webhook, by outcome."),
  },
  paths: ["/api/webhooks"],
  serve: async () => (await import("./service.ts")).serveWebhook,
});
