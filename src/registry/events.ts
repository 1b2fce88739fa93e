import { addEvents } from "../core/event.ts";

/** The events of the registry. */

export const registryEvents = addEvents({
  registry: { subject: "registry key", verbs: ["set", "delete", "restore"] },
});

declare module "../core/event.ts" {
  interface EventNouns extends RowsOf<typeof registryEvents> {}
}
