import { hourSeconds } from "../core/lib/time.ts";
import { feature } from "../feature.ts";
import { versionProblems } from "./problems.ts";
import { historyBounds } from "./version.ts";

/** History: what entries, files and registry items said before. */

const nouns = async () => ({ history: (await import("./version-store.ts")).versionNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

export const versionFeature = feature({
  name: "version",
  nouns,
  problems: versionProblems,
  chores: [
    {
      name: "trim history",
      everySeconds: hourSeconds,
      run: ({ history }, settings, now) => history.trim(historyBounds(settings), now),
    },
  ],
  commands: async () => (await import("./history-command.ts")).historyCommands,
  serve: async () => (await import("./service.ts")).serveVersion,
});
