import { addProblems } from "../core/problem.ts";
import { row } from "../core/problem-row.ts";

/** The failures of searches. */

export const searchProblems = addProblems({
  search_off: row("conflict", "No search", () => "This service keeps no words to search; the setting `search` is off"),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof searchProblems> {}
}

export { problem } from "../core/problem.ts";
