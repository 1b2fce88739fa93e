import { addEvents } from "../core/event.ts";

/** The events of the trash; what is deleted and comes back is an event of that. */

export const trashEvents = addEvents({
  trash: { subject: "path", verbs: ["purge"] },
});

declare module "../core/event.ts" {
  interface EventNouns extends RowsOf<typeof trashEvents> {}
}
