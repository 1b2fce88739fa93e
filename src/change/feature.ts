import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import type { changeNoun } from "./change-store.ts";

/** The feed of what changes in public. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    changes: PortOf<typeof changeNoun>;
  }
}

export const changeFeature = feature({
  name: "change",
  nouns: async () => ({ changes: (await import("./change-store.ts")).changeNoun }),
  serve: async () => (await import("./service.ts")).serveChange,
});
