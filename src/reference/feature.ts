import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import type { followRenamedType } from "./fieldset-store.ts";
import { referenceProblems } from "./problems.ts";
import type { redirectReferences, referenceNoun, refusePublicUse, refuseReferred } from "./store.ts";

/** Who refers to an entry or a file. */

declare module "../core/sql/noun.ts" {
  interface Links {
    refuseReferred: typeof refuseReferred;
    refusePublicUse: typeof refusePublicUse;
    redirectReferences: typeof redirectReferences;
    followRenamedType: typeof followRenamedType;
  }
  interface Ports {
    references: PortOf<typeof referenceNoun>;
  }
}

export const referenceFeature = feature({
  name: "reference",
  nouns: async () => ({ references: (await import("./store.ts")).referenceNoun }),
  problems: referenceProblems,
  serve: async () => (await import("./service.ts")).serveReference,
});
