import { addProblems, type NamedReference } from "../core/problem.ts";
import { type Named, quote, row } from "../core/problem-row.ts";
import "../file/problems.ts";

/** The failures of what entries refer to. */

export const referenceProblems = {
  in_use: row(
    "conflict",
    "In use",
    (p: Named & { path: string; references: readonly NamedReference[]; hasMore: boolean }) =>
      `"${p.argument}" is ${quote(p.path)}, which ${p.hasMore ? "more than " : ""}${p.references.length} entries refer to, first ${quote(p.references[0]?.id ?? "")}; change these, or send "restrict" as false`,
  ),
  too_many_references: row(
    "conflict",
    "Too many references",
    (p: { limit: number }) =>
      `More than ${p.limit} entries refer to what would be moved; nothing was moved. Move it without "update_references", or in parts`,
    "update_references",
  ),
};

addProblems(referenceProblems);

type ReferenceProblems = typeof referenceProblems;
declare module "../core/problem.ts" {
  interface Problems extends ReferenceProblems {}
}

export { problem } from "../core/problem.ts";
