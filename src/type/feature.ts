import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { typeEvents } from "./events.ts";
import { typeProblems } from "./problems.ts";
import type { typeNoun } from "./store.ts";

/** Content types. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    types: PortOf<typeof typeNoun>;
  }
}

export const typeFeature = feature({
  name: "type",
  nouns: async () => ({ types: (await import("./store.ts")).typeNoun }),
  events: typeEvents,
  problems: typeProblems,
  commands: async () => [
    ...(await import("./command.ts")).typeCommands,
    ...(await import("./model-command.ts")).modelCommands,
  ],
  paths: ["/api/types"],
  serve: async () => (await import("./service.ts")).serveType,
});
