import { feature } from "../feature.ts";

/** The feed of what changes in public. */

const nouns = async () => ({ changes: (await import("./change-store.ts")).changeNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

export const changeFeature = feature({
  name: "change",
  nouns,
  serve: async () => (await import("./service.ts")).serveChange,
});
