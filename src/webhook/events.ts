import { addEvents, type EventRow } from "../core/event.ts";

/** The events of webhooks. */

export const webhookEvents = {
  webhook: { subject: "id", verbs: ["create", "update", "rotate", "delete", "failed"] },
} as const satisfies Record<string, EventRow>;

addEvents(webhookEvents);

type WebhookEvents = typeof webhookEvents;
declare module "../core/event.ts" {
  interface EventNouns extends WebhookEvents {}
}
