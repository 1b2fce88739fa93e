import { addEvents, type EventRow } from "../core/event.ts";

/** The events of the trash; what is deleted and comes back is an event of that. */

export const trashEvents = {
  trash: { subject: "path", verbs: ["purge"] },
} as const satisfies Record<string, EventRow>;

addEvents(trashEvents);

type TrashEvents = typeof trashEvents;
declare module "../core/event.ts" {
  interface EventNouns extends TrashEvents {}
}
