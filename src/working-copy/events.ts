import { addEvents, type EventRow } from "../core/event.ts";

/** The events of releases; those of working copies are events of their entries. */

export const releaseEvents = {
  release: {
    subject: "id",
    verbs: ["create", "update", "delete", "schedule", "publish", "publish_failed", "undo"],
  },
} as const satisfies Record<string, EventRow>;

addEvents(releaseEvents);

type ReleaseEvents = typeof releaseEvents;
declare module "../core/event.ts" {
  interface EventNouns extends ReleaseEvents {}
}
