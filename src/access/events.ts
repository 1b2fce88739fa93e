import { addEvents, type EventRow } from "../core/event.ts";

/** The events of tokens. */

export const accessEvents = {
  token: { subject: "id", verbs: ["create", "update", "rotate", "revoke"] },
} as const satisfies Record<string, EventRow>;

addEvents(accessEvents);

type AccessEvents = typeof accessEvents;
declare module "../core/event.ts" {
  interface EventNouns extends AccessEvents {}
}
