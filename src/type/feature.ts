import { feature } from "../feature.ts";
import { typeEvents } from "./events.ts";
import { typeProblems } from "./problems.ts";

/** Content types. */

const nouns = async () => ({ types: (await import("./store.ts")).typeNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

export const typeFeature = feature({
  name: "type",
  nouns,
  events: typeEvents,
  problems: typeProblems,
  commands: async () => [
    ...(await import("./command.ts")).typeCommands,
    ...(await import("./model-command.ts")).modelCommands,
  ],
  paths: ["/api/types"],
  serve: async () => (await import("./service.ts")).serveType,
});
