import { addEvents, type EventRow } from "../core/event.ts";

/** The events of content types. */

export const typeEvents = {
  type: { subject: "type id", verbs: ["put", "delete"] },
} as const satisfies Record<string, EventRow>;

addEvents(typeEvents);

type TypeEvents = typeof typeEvents;
declare module "../core/event.ts" {
  interface EventNouns extends TypeEvents {}
}
