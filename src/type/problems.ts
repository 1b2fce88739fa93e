import { addProblems, type Fault, type NamedEntry } from "../core/problem.ts";
import { type Id, named, quote, row } from "../core/problem-row.ts";

/** The failures of content types. */

export const typeProblems = addProblems({
  type_not_found: row("not_found", "Type not found", named("type"), "id"),
  schema_invalid: row(
    "invalid",
    "Schema invalid",
    (p: { pointer: string; rule: string; type?: string }) =>
      `"schema"${p.type === undefined ? "" : ` of the type ${quote(p.type)}`} is not accepted at ${quote(p.pointer)}: ${p.rule}`,
    "schema",
  ),
  type_in_use: row(
    "conflict",
    "Type in use",
    (p: Id & { by: string; pointer: string }) =>
      `"id" was ${quote(p.id)}; the schema of the type ${quote(p.by)} refers to it at ${quote(p.pointer)}, which would refer to nothing`,
    "id",
  ),
  too_many_types: row(
    "conflict",
    "Too many types",
    (p: { limit: number }) => `There are ${p.limit} types already, as many as a store can have`,
  ),
  type_exists: row(
    "conflict",
    "Type exists",
    (p: Id) => `"new_id" was ${quote(p.id)}; there is a type with this id already`,
    "new_id",
  ),
  types_refused: row(
    "unprocessable",
    "Types refused",
    (p: { failing: number; entries: readonly NamedEntry[] }) =>
      `"types" would refuse ${p.failing === 1 ? "an entry that is" : `${p.failing} entries that are`} there; nothing was applied`,
    "types",
  ),
  plan_too_large: row(
    "conflict",
    "Plan too large",
    (p: { limit: number }) =>
      `more than ${p.limit} entries and working copies would change, as many as one transaction may change; nothing was changed`,
  ),
  type_too_costly: row(
    "unprocessable",
    "Type too costly",
    (p: { type: string }) =>
      `"data" cannot be checked by the type ${quote(p.type)} within the bounds of the service; its schema has too many alternatives for such data, or for so many entries`,
    "data",
  ),
  data_invalid: row(
    "unprocessable",
    "Data invalid",
    (p: Id & { type: string; count: number; faults: readonly Fault[] }) =>
      `"data" of the entry ${quote(p.id)} does not fit the type ${quote(p.type)}: ${p.faults[0]?.message}${p.count > 1 ? `, and ${p.count - 1} more` : ""}`,
    "data",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof typeProblems> {}
}

/** What a write of an entry whose data its type refuses throws. */
export const typeRefusals = ["data_invalid", "type_too_costly"] as const;

export { problem } from "../core/problem.ts";
