import { addEvents, type EventRow } from "../core/event.ts";

/** The events of entries. */

export const entryEvents = {
  entry: {
    subject: "path",
    verbs: [
      "create",
      "update",
      "move",
      "copy",
      "delete",
      "undelete",
      "restore",
      "stage",
      "discard",
      "schedule",
      "publish",
      "publish_failed",
      "live",
    ],
    quiet: ["stage", "discard", "schedule", "publish_failed"],
  },
} as const satisfies Record<string, EventRow>;

addEvents(entryEvents);

type EntryEvents = typeof entryEvents;
declare module "../core/event.ts" {
  interface EventNouns extends EntryEvents {}
}
