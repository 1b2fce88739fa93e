import { feature } from "../feature.ts";
import { entryEvents } from "./events.ts";
import { entryProblems } from "./problems.ts";

/** Entries: create, read, list, move, copy, delete. */

const nouns = async () => ({ entries: (await import("./store.ts")).entryNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

export const entryFeature = feature({
  name: "entry",
  nouns,
  events: entryEvents,
  problems: entryProblems,
  commands: async () => [(await import("./explain-command.ts")).explainCommand],
  serve: async () => (await import("./service.ts")).serveEntry,
});
