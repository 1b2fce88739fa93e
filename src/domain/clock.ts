/** What the store shows of a clock that was ahead and went back, or that is slow now: the two look the same. Decision 20. */
export type ClockFacts = {
  /** How far the newest time in the event log is ahead of the clock; 0 when it is not. */
  behindSeconds: number;
  /** Entries that delivery does not see yet because the clock was ahead when they were made: nobody set a time for them. */
  futureEntries: number;
};

/** Clocks of machines differ by so much, and nobody is told. */
export const clockSlackSeconds = 60;

/** For the log; undefined when all is well. */
export function formatClock({ behindSeconds, futureEntries }: ClockFacts): string | undefined {
  if (behindSeconds === 0) return undefined;
  return (
    `the clock is ${behindSeconds} seconds behind the newest event of the log: it was ahead, or is slow now; ` +
    `entries that were published meanwhile, and are not delivered before it has caught up: ${futureEntries}`
  );
}
