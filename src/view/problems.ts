import { addProblems } from "../core/problem.ts";
import { type Id, named, quote, row } from "../core/problem-row.ts";
import "../people/problems.ts";

/** The failures of views. */

export const viewProblems = addProblems({
  view_not_found: row("not_found", "View not found", named("view of yours, and none that is shared,")),
  view_not_own: row(
    "forbidden",
    "View of somebody else",
    (p: Id) =>
      `"id" was ${quote(p.id)}; another person shares this view; expected one of yours, or the role of an owner`,
  ),
  too_many_views: row(
    "conflict",
    "Too many views",
    (p: { limit: number; what: string }) => `There are ${p.limit} ${p.what} already, the most that there may be`,
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof viewProblems> {}
}

export { problem } from "../core/problem.ts";
