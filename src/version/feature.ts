import { daySeconds, hourSeconds } from "../core/lib/time.ts";
import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { versionEvents } from "./events.ts";
import { historyBounds } from "./history.ts";
import { historyNoun } from "./history-store.ts";
import { versionProblems } from "./problems.ts";
import { releaseNoun } from "./release-store.ts";
import { stagedNoun } from "./staged-store.ts";
import { trashNoun } from "./trash-store.ts";

/** History, the trash, working copies and releases. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    history: PortOf<typeof historyNoun>;
    trash: PortOf<typeof trashNoun>;
    staged: PortOf<typeof stagedNoun>;
    releases: PortOf<typeof releaseNoun>;
  }
}

export const versionFeature = feature({
  name: "version",
  nouns: { history: historyNoun, trash: trashNoun, staged: stagedNoun, releases: releaseNoun },
  events: versionEvents,
  problems: versionProblems,
  chores: [
    { name: "index what was restored", everySeconds: 60, run: ({ trash }) => trash.indexRestored() },
    { name: "clear the trash", everySeconds: 60, run: ({ trash }, _settings, now) => trash.clear(now) },
    {
      name: "expire the trash",
      everySeconds: hourSeconds,
      run: ({ trash }, { trashKeepDays }, now) =>
        trash.expire(now - trashKeepDays * daySeconds, { actor: "octavo", nowSeconds: now }),
    },
    {
      name: "trim history",
      everySeconds: hourSeconds,
      run: ({ history }, settings, now) => history.trim(historyBounds(settings), now),
    },
  ],
  commands: async () => [
    ...(await import("./history-command.ts")).historyCommands,
    ...(await import("./staged-command.ts")).stagedCommands,
    ...(await import("./release-command.ts")).releaseCommands,
    ...(await import("./trash-command.ts")).trashCommands,
  ],
  serve: async () => (await import("./service.ts")).serveVersion,
});
