import type { LinksOf, PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { referenceProblems } from "./problems.ts";
import type { referenceNoun } from "./store.ts";

/** Who refers to an entry or a file. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    references: PortOf<typeof referenceNoun>;
  }
  interface Links extends LinksOf<typeof referenceNoun> {}
}

export const referenceFeature = feature({
  name: "reference",
  nouns: async () => ({ references: (await import("./store.ts")).referenceNoun }),
  problems: referenceProblems,
  serve: async () => (await import("./service.ts")).serveReference,
});
