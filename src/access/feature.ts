import { feature } from "../feature.ts";
import { accessEvents } from "./events.ts";
import { accessProblems } from "./problems.ts";

/** Tokens. */

const nouns = async () => ({ tokens: (await import("./token-store.ts")).tokenNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

export const accessFeature = feature({
  name: "access",
  nouns,
  events: accessEvents,
  problems: accessProblems,
  commands: async () => (await import("./token-command.ts")).tokenCommands,
  paths: ["/api/tokens"],
  serve: async () => (await import("./service.ts")).serveAccess,
});
