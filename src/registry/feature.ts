import { feature } from "../feature.ts";
import { registryEvents } from "./events.ts";
import { registryProblems } from "./problems.ts";

/** The registry: values by keys. */

const nouns = async () => ({ registry: (await import("./store.ts")).registryNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

export const registryFeature = feature({
  name: "registry",
  nouns,
  events: registryEvents,
  problems: registryProblems,
  commands: async () => (await import("./command.ts")).registryCommands,
  serve: async () => (await import("./service.ts")).serveRegistry,
});
