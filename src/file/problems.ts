import { addProblems } from "../core/problem.ts";
import { type Field, missing, quote, row, taken, wasNot } from "../core/problem-row.ts";

/** The failures of files and folders. */

export const fileProblems = addProblems({
  focal_invalid: row("unprocessable", "Focal point invalid", wasNot),
  folder_not_found: row("not_found", "Folder not found", missing("folder")),
  folder_exists: row("conflict", "Folder exists", taken("folder")),
  file_not_found: row("not_found", "File not found", missing("file")),
  file_exists: row("conflict", "File exists", taken("file")),
  field_exists: row(
    "conflict",
    "Field exists",
    (p: Field) => `"field" was ${quote(p.field)}; the file has it already`,
    "field",
  ),
  field_not_found: row(
    "not_found",
    "Field not found",
    (p: Field) => `"field" was ${quote(p.field)}; the file has none`,
    "field",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof fileProblems> {}
}

export { problem } from "../core/problem.ts";
