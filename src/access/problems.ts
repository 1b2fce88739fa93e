import { addProblems } from "../core/problem.ts";
import { named, row } from "../core/problem-row.ts";

/** The failures of tokens. */

export const accessProblems = addProblems({
  token_not_found: row("not_found", "Token not found", named("token"), "id"),
  token_exists: row("conflict", "Token exists", () => "A token with this text exists; one text belongs to one token"),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof accessProblems> {}
}

export { problem } from "../core/problem.ts";
