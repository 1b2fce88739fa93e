import { addEvents } from "../core/event.ts";

/** The events of webhooks. */

export const webhookEvents = addEvents({
  webhook: { subject: "id", verbs: ["create", "update", "rotate", "delete", "failed"] },
});

declare module "../core/event.ts" {
  interface EventNouns extends RowsOf<typeof webhookEvents> {}
}
