import { addEvents } from "../core/event.ts";

/** The events of entries. */

export const entryEvents = addEvents({
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
});

declare module "../core/event.ts" {
  interface EventNouns extends RowsOf<typeof entryEvents> {}
}
