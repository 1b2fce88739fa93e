import type { Settings } from "./settings.ts";
import type { Stores } from "./stores.ts";

/** What a service does for its store beside the requests: one row each. app.ts runs those that are due, in this order. */

export type Chore = {
  /** As the log names it. */
  name: string;
  /** A multiple of the shortest period in the list. */
  everySeconds: number;
  /** One process of the store runs it at a time, and never while a backup is made. It may be cut off at any write. */
  run(stores: Stores, settings: Settings, nowSeconds: number): Promise<unknown>;
};

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

export const chores: readonly Chore[] = [
  {
    name: "prune events",
    everySeconds: hourSeconds,
    run: ({ events }, { eventsKeepDays }, now) => events.prune(now - eventsKeepDays * daySeconds, now),
  },
  {
    name: "restart the grace of blobs",
    everySeconds: hourSeconds,
    run: ({ ledger }, _settings, now) => ledger.restartGrace(now),
  },
  {
    name: "sweep blobs",
    everySeconds: hourSeconds,
    run: ({ ledger }, { blobGraceDays }, now) => ledger.sweep(now - blobGraceDays * daySeconds),
  },
  {
    name: "prune sessions",
    everySeconds: hourSeconds,
    run: ({ sessions }, _settings, now) => sessions.prune(now),
  },
];

/** How often somebody is to look which are due. */
export const choreTickSeconds = Math.min(...chores.map(({ everySeconds }) => everySeconds));

/** The chores that are due so many seconds after the start, a whole number of ticks. */
export const dueChores = (elapsedSeconds: number): Chore[] =>
  chores.filter(({ everySeconds }) => elapsedSeconds % everySeconds === 0);
