import { addProblems } from "../core/problem.ts";
import { type Id, type Named, quote, row } from "../core/problem-row.ts";
import "../version/problems.ts";

/** The failures of entries. */

export const entryProblems = addProblems({
  include_too_large: row(
    "invalid",
    "Too much to include",
    (p: Named & { rule: string }) => `"${p.argument}" includes too much: ${p.rule}`,
  ),
  entry_exists: row(
    "conflict",
    "Entry exists",
    (p: Named & Id) => `"${p.argument}" was ${quote(p.id)}; an entry with this id exists already`,
  ),
  subtree_too_large: row(
    "conflict",
    "Subtree too large",
    (p: Id & { count: number; limit: number }) =>
      `"id" was ${quote(p.id)}; ${p.count} entries are at and below it; expected at most ${p.limit}`,
    "id",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof entryProblems> {}
}

export { problem } from "../core/problem.ts";
