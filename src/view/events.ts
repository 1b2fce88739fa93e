import { addEvents } from "../core/event.ts";

/** The events of views. */

export const viewEvents = addEvents({
  view: { subject: "id", verbs: ["put", "delete"] },
});

declare module "../core/event.ts" {
  interface EventNouns extends RowsOf<typeof viewEvents> {}
}
