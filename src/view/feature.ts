import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { viewEvents } from "./events.ts";
import { viewProblems } from "./problems.ts";
import type { viewNoun } from "./store.ts";

/** Saved tables of entries. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    views: PortOf<typeof viewNoun>;
  }
}

export const viewFeature = feature({
  name: "view",
  nouns: async () => ({ views: (await import("./store.ts")).viewNoun }),
  events: viewEvents,
  problems: viewProblems,
  serve: async () => (await import("./service.ts")).serveView,
});
