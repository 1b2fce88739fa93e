import { addProblems, type NamedEntry } from "../core/problem.ts";
import { quote, row } from "../core/problem-row.ts";
import "../type/problems.ts";
import "../version/problems.ts";

/** The failures of migrations. */

const maxListed = 10;
const listed = (names: readonly string[]): string =>
  names.slice(0, maxListed).map(quote).join(", ") + (names.length > maxListed ? ", …" : "");

export const migrationProblems = addProblems({
  migration_invalid: row(
    "unprocessable",
    "Migration invalid",
    (p: { count: number; entries: readonly NamedEntry[] }) =>
      `"steps" cannot be done with ${p.count === 1 ? "one entry" : `${p.count} entries`}; nothing was changed. ${quote(p.entries[0]?.id ?? "")}: ${p.entries[0]?.detail}`,
    "steps",
  ),
  migration_not_found: row(
    "not_found",
    "Migration not found",
    (p: { group: number }) =>
      `"group" was ${p.group}; no migration of the last 30 days begins with this event, or it is undone already`,
    "group",
  ),
  migration_changed: row(
    "precondition",
    "Migration changed",
    (p: { group: number; types: readonly string[]; entries: readonly NamedEntry[] }) =>
      `"group" was ${p.group}; nothing was undone, since these changed after the migration: ${listed([...p.types.map((id) => `the type ${id}`), ...p.entries.map(({ id }) => id)])}`,
    "group",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof migrationProblems> {}
}

export { problem } from "../core/problem.ts";
