import { addProblems } from "../core/problem.ts";
import { row } from "../core/problem-row.ts";

/** The failures of the event log and the feed of changes. */

export const feedProblems = addProblems({
  feed_too_old: row("gone", "Feed too old", (p: { since?: number; oldest?: number }) =>
    p.since === undefined
      ? 'What changed after "cursor" is no longer kept. Begin again without a cursor'
      : `The events after ${p.since} are no longer kept; the oldest is ${p.oldest}. Read everything anew, and follow from there`,
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof feedProblems> {}
}

export { problem } from "../core/problem.ts";
