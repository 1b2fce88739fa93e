import type { Settings } from "./settings.ts";
import { historyBounds, type Stores } from "./stores.ts";

/** The periodic background work of a service, one row each. app.ts runs the due ones in this order. */

export type Chore = {
  /** Its name in the log. */
  name: string;
  /** A multiple of the shortest period in the list. */
  everySeconds: number;
  /**
   * Runs in one process of the store at a time, and never during a backup. It may be interrupted at any write. `say`
   * writes a sentence for the operator to the error log.
   */
  run(stores: Stores, settings: Settings, nowSeconds: number, say: (sentence: string) => void): Promise<unknown>;
};

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

export const chores: readonly Chore[] = [
  {
    name: "index texts",
    everySeconds: 60,
    run: ({ entries }) => entries.indexTexts(),
  },
  {
    name: "index what was restored",
    everySeconds: 60,
    run: ({ trash }) => trash.indexRestored(),
  },
  {
    name: "clear the trash",
    everySeconds: 60,
    run: ({ trash }, _settings, now) => trash.clear(now),
  },
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
  {
    name: "prune events",
    everySeconds: hourSeconds,
    run: async ({ events }, settings, now, say) => {
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
    },
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
    name: "expire idempotency keys",
    everySeconds: hourSeconds,
    run: ({ idempotency }, _settings, now) => idempotency.expire(now),
  },
  {
    name: "expire unfinished uploads",
    everySeconds: hourSeconds,
    run: async ({ transfers, transferBytes }, { uploadKeepHours }, now) => {
      await transfers.expire(now - uploadKeepHours * hourSeconds, now);
      await transferBytes.sweep((id) => transfers.has(id));
    },
  },
  {
    name: "prune sessions",
    everySeconds: hourSeconds,
    run: ({ sessions }, _settings, now) => sessions.prune(now),
  },
];

/** How often to check which chores are due. */
export const choreTickSeconds = Math.min(...chores.map(({ everySeconds }) => everySeconds));

/** The chores that are due this many seconds after the start, a whole number of ticks. */
export const dueChores = (elapsedSeconds: number): Chore[] =>
  chores.filter(({ everySeconds }) => elapsedSeconds % everySeconds === 0);
