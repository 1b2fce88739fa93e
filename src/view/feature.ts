import { feature } from "../feature.ts";
import { viewEvents } from "./events.ts";
import { viewProblems } from "./problems.ts";

/** Saved tables of entries. */

const nouns = async () => ({ views: (await import("./store.ts")).viewNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

export const viewFeature = feature({
  name: "view",
  nouns,
  events: viewEvents,
  problems: viewProblems,
  serve: async () => (await import("./service.ts")).serveView,
});
