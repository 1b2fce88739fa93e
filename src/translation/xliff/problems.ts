import { addProblems } from "../../core/problem.ts";
import { row } from "../../core/problem-row.ts";

/** The failures of translators' files. */

export const xliffProblems = addProblems({
  xliff_invalid: row(
    "invalid",
    "XLIFF invalid",
    (p: { line: number; reason: string }) =>
      `"file" could not be read at line ${p.line}: ${p.reason}; expected XLIFF 2.1 or 1.2 with the languages of its source and target`,
    "file",
  ),
});

declare module "../../core/problem.ts" {
  interface Problems extends RowsOf<typeof xliffProblems> {}
}

export { problem } from "../../core/problem.ts";
