import { addProblems } from "../core/problem.ts";
import { type Received, row, wasNot } from "../core/problem-row.ts";

/** The failures of batches. */

export const batchProblems = {
  operation_refused: row("invalid", "Operation not accepted in a batch", (p: Received) => `${wasNot(p)}`),
};

addProblems(batchProblems);

type BatchProblems = typeof batchProblems;
declare module "../core/problem.ts" {
  interface Problems extends BatchProblems {}
}

export { problem } from "../core/problem.ts";
