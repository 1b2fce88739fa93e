import { addEvents, type EventRow } from "../core/event.ts";

/** The events of the trash and of releases; those of history and of working copies are events of what they change. */

export const versionEvents = {
  trash: { subject: "path", verbs: ["purge"] },
  release: {
    subject: "id",
    verbs: ["create", "update", "delete", "schedule", "publish", "publish_failed", "undo"],
  },
} as const satisfies Record<string, EventRow>;

addEvents(versionEvents);

type VersionEvents = typeof versionEvents;
declare module "../core/event.ts" {
  interface EventNouns extends VersionEvents {}
}
