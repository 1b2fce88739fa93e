import { feature } from "../feature.ts";
import { referenceProblems } from "./problems.ts";

/** Who refers to an entry or a file. */

const nouns = async () => ({ references: (await import("./store.ts")).referenceNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
  interface Links extends LinksOf<typeof nouns> {}
}

export const referenceFeature = feature({
  name: "reference",
  nouns,
  problems: referenceProblems,
  serve: async () => (await import("./service.ts")).serveReference,
});
