import type { LinksOf, PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { releaseEvents } from "./events.ts";
import { workingCopyProblems } from "./problems.ts";
import type { releaseNoun } from "./release-store.ts";
import type { stagedNoun } from "./staged-store.ts";

/** Working copies of entries, and the releases that publish them together. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    staged: PortOf<typeof stagedNoun>;
    releases: PortOf<typeof releaseNoun>;
  }
  interface Links extends LinksOf<typeof stagedNoun> {}
}

export const workingCopyFeature = feature({
  name: "working-copy",
  nouns: async () => ({
    staged: (await import("./staged-store.ts")).stagedNoun,
    releases: (await import("./release-store.ts")).releaseNoun,
  }),
  events: releaseEvents,
  problems: workingCopyProblems,
  commands: async () => [
    ...(await import("./staged-command.ts")).stagedCommands,
    ...(await import("./release-command.ts")).releaseCommands,
  ],
  paths: ["/api/releases", "/api/entries/staged", "/api/entries/publish"],
  serve: async () => (await import("./service.ts")).serveWorkingCopy,
});
