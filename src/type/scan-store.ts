import { setImmediate } from "node:timers/promises";
import { type JsonObject, parseJson } from "../core/lib/json.ts";
import type { Path, Slug } from "../core/path.ts";
import { type Fault, isProblem } from "../core/problem.ts";
import type { Scanning } from "../core/sql/noun.ts";
import { type Row, type Sql, withinAny } from "../core/sql/sql.ts";
import { maxDataDepth } from "../entry/entry.ts";
import type { Visibility } from "../entry/field.ts";
import { isLenient, Types } from "./check.ts";
import { refuseNames } from "./name.ts";
import { findSchema, typeRows } from "./rows.ts";
import { maxNamedEntries, type TriedType, type TypeCheck } from "./type.ts";

/** Entries are checked this many at a time; between two, on PostgreSQL, requests are answered. */
const pageEntries = 50;

/** Checks the entries that the type would have, until its time ends or nobody waits. Throws schema_invalid. */
export async function checkType(
  { sql, isStopped, options }: Scanning,
  tried: TriedType,
  paths: readonly Path[] | null,
  after = "" as Slug,
): Promise<TypeCheck> {
  const endMs = performance.now() + options.scanBudgetMs.management;
  const types = await typesWith(sql, tried, options.maxCheckMs);
  // Refuses the schema also when there is no entry to check.
  refuseNames(await types.compile(tried.id));
  const found: TypeCheck = { checked: 0, failing: 0, first: [] };
  const within = withinAny("slug", paths, 2);
  const text = `SELECT slug, data, visibility FROM entry WHERE slug > ?1 AND ${within.sql} ORDER BY slug`;
  for await (const page of sql.batches(text, [after, ...within.values], pageEntries)) {
    for (const row of page) {
      await checkEntry(types, tried, row, found);
      // Each entry may take its half second.
      if (isStopped() || performance.now() > endMs) return { ...found, last: row[0] as Slug };
    }
    await setImmediate();
  }
  return found;
}

/** The types of the store with the one that is tried. */
async function typesWith(sql: Sql, tried: TriedType, maxCheckMs: number | undefined): Promise<Types> {
  const others = (await typeRows(sql)).filter(({ id }) => id !== tried.id);
  const schemaOf = (id: string) => (id === tried.id ? tried.schema : findSchema(sql, id));
  return new Types([...others, { ...tried, mode: "enforce" }], { schemaOf }, maxCheckMs);
}

async function checkEntry(types: Types, { id }: TriedType, row: Row, found: TypeCheck): Promise<void> {
  const [slug, text, visibility] = row as [Slug, string, Visibility];
  const mayName = text.includes('"fieldset"');
  if (!mayName && types.typeOf(slug, undefined) !== id) return;
  const data = parseJson(text, maxDataDepth) as JsonObject;
  if (types.typeOf(slug, data.get("fieldset")) !== id) return;
  found.checked++;
  const errors = await faultsOf(types, id, data, visibility);
  if (errors.length === 0) return;
  found.failing++;
  if (found.first.length < maxNamedEntries) found.first.push({ id: slug, errors: errors.slice(0, maxNamedFaults) });
}

/** Of each entry that is named. */
const maxNamedFaults = 10;

/** An entry that takes too long to check would be refused, so it fails. */
async function faultsOf(types: Types, id: string, data: JsonObject, visibility: Visibility): Promise<readonly Fault[]> {
  try {
    return await types.faultsOf(id, data, isLenient({ visibility }));
  } catch (error) {
    if (!isProblem(error, "type_too_costly")) throw error;
    return [{ pointer: "", rule: "cost", message: error.detail, accepted: "data with fewer alternatives to try" }];
  }
}
