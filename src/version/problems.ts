import { addProblems } from "../core/problem.ts";
import { type Id, quote, row } from "../core/problem-row.ts";
import "../file/problems.ts";

/** The failures of history. */

export const versionProblems = addProblems({
  revision_not_found: row(
    "not_found",
    "Revision not found",
    (p: Id & { revision?: number; at?: number }) =>
      p.revision === undefined
        ? `The history of ${quote(p.id)} does not reach back to the time ${p.at}`
        : `"revision" was ${p.revision}; the history of ${quote(p.id)} has no content that was in force then`,
    "revision",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof versionProblems> {}
}

export { problem } from "../core/problem.ts";
