import { addEvents, type EventRow } from "../core/event.ts";

/** The events of files and folders. */

export const fileEvents = {
  folder: { subject: "path", verbs: ["create", "move", "copy", "delete", "undelete"] },
  file: { subject: "path", verbs: ["upload", "update", "move", "copy", "delete", "undelete", "restore"] },
} as const satisfies Record<string, EventRow>;

addEvents(fileEvents);

type FileEvents = typeof fileEvents;
declare module "../core/event.ts" {
  interface EventNouns extends FileEvents {}
}
