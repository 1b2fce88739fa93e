import { addProblems } from "../core/problem.ts";
import { named, row } from "../core/problem-row.ts";

/** The failures of tokens. */

export const accessProblems = {
  token_not_found: row("not_found", "Token not found", named("token"), "id"),
  token_exists: row("conflict", "Token exists", () => "A token with this text exists; one text belongs to one token"),
};

addProblems(accessProblems);

type AccessProblems = typeof accessProblems;
declare module "../core/problem.ts" {
  interface Problems extends AccessProblems {}
}

export { problem } from "../core/problem.ts";
