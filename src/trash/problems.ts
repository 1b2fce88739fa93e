import { addProblems } from "../core/problem.ts";
import { row } from "../core/problem-row.ts";
import "../entry/problems.ts";
import "../file/problems.ts";

/** The failures of the trash. */

export const trashProblems = addProblems({
  trash_item_not_found: row(
    "not_found",
    "Trash item not found",
    (p: { id: number }) =>
      `"id" was ${p.id}; there is no such item in the trash: it was restored or purged, or never existed`,
    "id",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof trashProblems> {}
}

export { problem } from "../core/problem.ts";
