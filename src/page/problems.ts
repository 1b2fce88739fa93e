import { addProblems } from "../core/problem.ts";
import { row } from "../core/problem-row.ts";

/** The failures of pages. */

export const pageProblems = addProblems({
  admin_not_built: row(
    "not_found",
    "Admin page not built",
    () => "The files of the admin page are not there; build them with: npm run build",
  ),
  docs_not_built: row(
    "not_found",
    "Documentation not built",
    () => "The files of the API reference are not there; build them with: npm run build",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof pageProblems> {}
}

export { problem } from "../core/problem.ts";
