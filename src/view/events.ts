import { addEvents, type EventRow } from "../core/event.ts";

/** The events of views. */

export const viewEvents = {
  view: { subject: "id", verbs: ["put", "delete"] },
} as const satisfies Record<string, EventRow>;

addEvents(viewEvents);

type ViewEvents = typeof viewEvents;
declare module "../core/event.ts" {
  interface EventNouns extends ViewEvents {}
}
