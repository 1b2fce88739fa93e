import { addEvents, type EventRow } from "../core/event.ts";

/** The events of the registry. */

export const registryEvents = {
  registry: { subject: "registry key", verbs: ["set", "delete", "restore"] },
} as const satisfies Record<string, EventRow>;

addEvents(registryEvents);

type RegistryEvents = typeof registryEvents;
declare module "../core/event.ts" {
  interface EventNouns extends RegistryEvents {}
}
