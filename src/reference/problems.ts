import { addProblems, type NamedReference } from "../core/problem.ts";
import { type Named, quote, row } from "../core/problem-row.ts";
import "../file/problems.ts";

/** The failures of what entries refer to. */

/** `isShown`: something public does, which only who may change that describes otherwise. */
type Used = Named & { path: string; references: readonly NamedReference[]; hasMore: boolean; isShown?: boolean };

const usedIn = ({ references, hasMore }: Used): string =>
  `${hasMore ? "more than " : ""}${references.length} entries refer to, first ${quote(references[0]?.id ?? "")}; change these, or send "restrict" as false`;

const shownIn = ({ references: [first] }: Used): string =>
  `a public entry shows${first ? `: ${quote(first.id)}` : ""}; expected a token whose writes are all`;

export const referenceProblems = addProblems({
  in_use: row(
    "conflict",
    "In use",
    (p: Used) => `"${p.argument}" is ${quote(p.path)}, which ${p.isShown ? shownIn(p) : usedIn(p)}`,
  ),
  too_many_references: row(
    "conflict",
    "Too many references",
    (p: { limit: number }) =>
      `More than ${p.limit} entries refer to what would be moved; nothing was moved. Move it without "update_references", or in parts`,
    "update_references",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof referenceProblems> {}
}

export { problem } from "../core/problem.ts";
