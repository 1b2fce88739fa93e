import { feature } from "../feature.ts";
import { releaseEvents } from "./events.ts";
import { workingCopyProblems } from "./problems.ts";

/** Working copies of entries, and the releases that publish them together. */

const nouns = async () => ({
  staged: (await import("./staged-store.ts")).stagedNoun,
  releases: (await import("./release-store.ts")).releaseNoun,
});

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
  interface Links extends LinksOf<typeof nouns> {}
}

export const workingCopyFeature = feature({
  name: "working-copy",
  nouns,
  events: releaseEvents,
  problems: workingCopyProblems,
  commands: async () => [
    ...(await import("./staged-command.ts")).stagedCommands,
    ...(await import("./release-command.ts")).releaseCommands,
  ],
  paths: ["/api/releases", "/api/entries/staged", "/api/entries/publish"],
  serve: async () => (await import("./service.ts")).serveWorkingCopy,
});
