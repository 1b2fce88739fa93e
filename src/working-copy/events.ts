import { addEvents } from "../core/event.ts";

/** The events of releases; those of working copies are events of their entries. */

export const releaseEvents = addEvents({
  release: {
    subject: "id",
    verbs: ["create", "update", "delete", "schedule", "publish", "publish_failed", "undo"],
  },
});

declare module "../core/event.ts" {
  interface EventNouns extends RowsOf<typeof releaseEvents> {}
}
