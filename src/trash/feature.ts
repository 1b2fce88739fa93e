import { daySeconds, hourSeconds } from "../core/lib/time.ts";
import type { LinksOf, PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { trashEvents } from "./events.ts";
import { trashProblems } from "./problems.ts";
import type { trashNoun } from "./trash-store.ts";

/** The trash: what was deleted, until it is restored or purged. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    trash: PortOf<typeof trashNoun>;
  }
  interface Links extends LinksOf<typeof trashNoun> {}
}

export const trashFeature = feature({
  name: "trash",
  nouns: async () => ({ trash: (await import("./trash-store.ts")).trashNoun }),
  events: trashEvents,
  problems: trashProblems,
  chores: [
    { name: "index what was restored", everySeconds: 60, run: ({ trash }) => trash.indexRestored() },
    { name: "clear the trash", everySeconds: 60, run: ({ trash }, _settings, now) => trash.clear(now) },
    {
      name: "expire the trash",
      everySeconds: hourSeconds,
      run: ({ trash }, { trashKeepDays }, now) =>
        trash.expire(now - trashKeepDays * daySeconds, { actor: "octavo", nowSeconds: now }),
    },
  ],
  commands: async () => (await import("./trash-command.ts")).trashCommands,
  paths: ["/api/trash"],
  serve: async () => (await import("./service.ts")).serveTrash,
});
