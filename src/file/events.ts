import { addEvents } from "../core/event.ts";

/** The events of files and folders. */

export const fileEvents = addEvents({
  folder: { subject: "path", verbs: ["create", "move", "copy", "delete", "undelete"] },
  file: { subject: "path", verbs: ["upload", "update", "move", "copy", "delete", "undelete", "restore"] },
});

declare module "../core/event.ts" {
  interface EventNouns extends RowsOf<typeof fileEvents> {}
}
