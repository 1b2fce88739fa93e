import { type Finding, findingsOf } from "./finding.ts";

/**
 * Signs in the store of a clock that was ahead and was set back, or that is slow now: the two look the same. Decision
 * 20.
 */
export type ClockFacts = {
  /** How far the newest time in the event log is ahead of the clock; 0 when it is not ahead. */
  behindSeconds: number;
  /**
   * Entries that delivery does not see yet because the clock was ahead when they were created, and no client set their
   * time.
   */
  futureEntries: number;
};

/** The usual difference between the clocks of machines; it is not reported. */
export const clockSlackSeconds = 60;

/** The sentence for the log; undefined when the clock is right. */
export function formatClock({ behindSeconds, futureEntries }: ClockFacts): string | undefined {
  if (behindSeconds === 0) return undefined;
  return (
    `the clock is ${behindSeconds} seconds behind the newest event of the log: it was ahead, or is slow now; ` +
    `entries that were published meanwhile, and are not delivered before it has caught up: ${futureEntries}`
  );
}

const { ok, fault } = findingsOf("clock");

/** The same for `octavo doctor`. `aheadSeconds`: how far this clock is ahead of the database server's, if there is one. */
export function clockFinding(facts: ClockFacts, aheadSeconds = 0): Finding {
  if (Math.abs(aheadSeconds) > clockSlackSeconds) {
    const way = aheadSeconds > 0 ? "ahead of" : "behind";
    return fault(
      `the clock is ${Math.abs(Math.round(aheadSeconds))} seconds ${way} the database server's: run NTP on both`,
    );
  }
  const said = formatClock(facts);
  if (said === undefined) return ok("the clock agrees with the database");
  return fault(`${said}. Run NTP; docs/operations.md, A clock that was wrong, says how to publish them now`);
}
