import { addEvents } from "../core/event.ts";

/** The events of content types. */

export const typeEvents = addEvents({
  type: { subject: "type id", verbs: ["put", "delete"] },
});

declare module "../core/event.ts" {
  interface EventNouns extends RowsOf<typeof typeEvents> {}
}
