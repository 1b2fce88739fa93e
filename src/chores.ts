import { daySeconds, hourSeconds } from "./core/lib/time.ts";
import type { Chore } from "./feature.ts";
import { features } from "./features.ts";

/** The periodic background work of a service, one row each. app.ts runs the due ones in this order. */

/** Those of the core: of the bytes, and of the results that are kept for repetitions. */
const coreChores: readonly Chore[] = [
  {
    name: "restart the grace of blobs",
    everySeconds: hourSeconds,
    run: ({ ledger }, _settings, now) => ledger.restartGrace(now),
  },
  {
    name: "sweep blobs",
    everySeconds: hourSeconds,
    run: ({ ledger }, settings, now) => ledger.sweep(now - settings.blobGraceDays * daySeconds),
  },
  {
    name: "expire idempotency keys",
    everySeconds: hourSeconds,
    run: ({ idempotency }, _settings, now) => idempotency.expire(now),
  },
];

export const chores: readonly Chore[] = [...features.flatMap(({ chores = [] }) => chores), ...coreChores];

/** How often to check which chores are due. */
export const choreTickSeconds = Math.min(...chores.map(({ everySeconds }) => everySeconds));

/** The chores that are due this many seconds after the start, a whole number of ticks. */
export const dueChores = (elapsedSeconds: number): Chore[] =>
  chores.filter(({ everySeconds }) => elapsedSeconds % everySeconds === 0);
