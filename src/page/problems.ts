import { addProblems } from "../core/problem.ts";
import { row } from "../core/problem-row.ts";

/** The failures of pages. */

export const pageProblems = {
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
};

addProblems(pageProblems);

type PageProblems = typeof pageProblems;
declare module "../core/problem.ts" {
  interface Problems extends PageProblems {}
}

export { problem } from "../core/problem.ts";
