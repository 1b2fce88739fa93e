import type { SettingsOf } from "../core/lib/setting.ts";
import { counter, shared } from "../core/metric.ts";
import { feature } from "../feature.ts";
import { webhookEvents } from "./events.ts";
import { webhookProblems } from "./problems.ts";
import { webhookSettings } from "./settings.ts";

/** Webhooks. */

const nouns = async () => ({ webhooks: (await import("./store.ts")).webhookNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

declare module "../settings-type.ts" {
  interface Settings extends SettingsOf<typeof webhookSettings> {}
}

export const webhookFeature = feature({
  name: "webhook",
  nouns,
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
