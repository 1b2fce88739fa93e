import { daySeconds, hourSeconds } from "../core/lib/time.ts";
import type { Chore } from "../feature.ts";
import { feature } from "../feature.ts";
import { feedProblems } from "./problems.ts";

/** The event log. */

const pruneEvents: Chore["run"] = async ({ events }, settings, now, say) => {
  const keepSeconds = settings.eventsKeepDays * daySeconds;
  const bounds = { nowSeconds: now, unhandledBeforeSeconds: now - 2 * keepSeconds };
  const { behind, forgotten } = await events.prune(now - keepSeconds, bounds);
  for (const { follower, sequence } of behind) {
    say(`events after ${sequence} are kept past events_keep_days: ${follower} has not handled them`);
  }
  for (const { follower, sequence } of forgotten) {
    say(
      `events after ${sequence}, kept twice as long as events_keep_days, are no longer kept for ${follower}, which starts anew`,
    );
  }
};
export const feedFeature = feature({
  name: "feed",
  nouns: async () => ({ eventLog: (await import("./event-entry-store.ts")).eventLogNoun }),
  problems: feedProblems,
  chores: [{ name: "prune events", everySeconds: hourSeconds, run: pruneEvents }],
  commands: async () => (await import("./events-command.ts")).eventsCommands,
  serve: async () => (await import("./service.ts")).serveFeed,
});
