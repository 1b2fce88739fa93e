import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { accessEvents } from "./events.ts";
import { accessProblems } from "./problems.ts";
import type { tokenNoun } from "./token-store.ts";

/** Tokens. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    tokens: PortOf<typeof tokenNoun>;
  }
}

export const accessFeature = feature({
  name: "access",
  nouns: async () => ({ tokens: (await import("./token-store.ts")).tokenNoun }),
  events: accessEvents,
  problems: accessProblems,
  commands: async () => (await import("./token-command.ts")).tokenCommands,
  paths: ["/api/tokens"],
  serve: async () => (await import("./service.ts")).serveAccess,
});
