import { daySeconds, hourSeconds } from "../core/lib/time.ts";
import { feature } from "../feature.ts";
import { trashEvents } from "./events.ts";
import { trashProblems } from "./problems.ts";

/** The trash: what was deleted, until it is restored or purged. */

const nouns = async () => ({ trash: (await import("./trash-store.ts")).trashNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
  interface Links extends LinksOf<typeof nouns> {}
}

export const trashFeature = feature({
  name: "trash",
  nouns,
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
