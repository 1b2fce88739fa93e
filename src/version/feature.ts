import { hourSeconds } from "../core/lib/time.ts";
import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { versionProblems } from "./problems.ts";
import { historyBounds } from "./version.ts";
import type { versionNoun } from "./version-store.ts";

/** History: what entries, files and registry items said before. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    history: PortOf<typeof versionNoun>;
  }
}

export const versionFeature = feature({
  name: "version",
  nouns: async () => ({ history: (await import("./version-store.ts")).versionNoun }),
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
