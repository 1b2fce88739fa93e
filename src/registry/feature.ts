import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { registryEvents } from "./events.ts";
import { registryProblems } from "./problems.ts";
import type { registryNoun } from "./store.ts";

/** The registry: values by keys. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    registry: PortOf<typeof registryNoun>;
  }
}

export const registryFeature = feature({
  name: "registry",
  nouns: async () => ({ registry: (await import("./store.ts")).registryNoun }),
  events: registryEvents,
  problems: registryProblems,
  commands: async () => (await import("./command.ts")).registryCommands,
  serve: async () => (await import("./service.ts")).serveRegistry,
});
