import { addProblems } from "../core/problem.ts";
import { type Received, row, wasNot } from "../core/problem-row.ts";

/** The failures of batches. */

export const batchProblems = addProblems({
  operation_refused: row("invalid", "Operation not accepted in a batch", (p: Received) => `${wasNot(p)}`),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof batchProblems> {}
}

export { problem } from "../core/problem.ts";
