import { addProblems } from "../core/problem.ts";
import { type Id, named, quote, row } from "../core/problem-row.ts";

/** The failures of the registry. */

export const registryProblems = addProblems({
  registry_item_not_found: row("not_found", "Registry item not found", named("registry item"), "id"),
  registry_item_read_only: row(
    "conflict",
    "Registry item is read-only",
    (p: Id) => `"id" was ${quote(p.id)}; this item is built in and cannot be set or deleted`,
    "id",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof registryProblems> {}
}

export { problem } from "../core/problem.ts";
