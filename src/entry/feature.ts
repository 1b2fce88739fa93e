import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { entryEvents } from "./events.ts";
import { entryProblems } from "./problems.ts";
import type { entryNoun } from "./store.ts";

/** Entries: create, read, list, move, copy, delete. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    entries: PortOf<typeof entryNoun>;
  }
}

export const entryFeature = feature({
  name: "entry",
  nouns: async () => ({ entries: (await import("./store.ts")).entryNoun }),
  events: entryEvents,
  problems: entryProblems,
  commands: async () => [(await import("./explain-command.ts")).explainCommand],
  serve: async () => (await import("./service.ts")).serveEntry,
});
