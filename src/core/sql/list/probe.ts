import { Bound } from "./bound.ts";
import { inPartSql, inScopeSql, partsSql } from "./scope.ts";
import {
  byCondition,
  countSql,
  type FieldTerm,
  inOrder,
  type Listed,
  rowsOfSql,
  type Statement,
  type Window,
  walkedRanges,
} from "./statement.ts";
import { type RowTest, rangesSql, sortable } from "./test.ts";

/** What is counted of the index before a page is read, to choose the way. */

/** What is counted, each at most `most` times. */
export type Probe = {
  drivers: readonly RowTest[];
  most: number;
  /** The field whose first value in the order is asked for, and whether more than `many` have it. */
  ordered?: { field: FieldTerm; many: number } | undefined;
};

/** Of several conditions so many rows are counted first: one that fewer rows meet leads, whatever the others have. */
export const fewMet = 64;

/** SELECT for what is counted before a page is read: of each condition, then the first value of the order and how many have it. */
export function probeSql(b: Bound, listed: Listed, { drivers, most, ordered }: Probe): string {
  const upTo = (limit: number) => drivers.map((test) => rowCountSql(b, listed, test, limit));
  const named = (counts: readonly string[]) => counts.map((count, i) => `${count} AS met_${i}`);
  const ties = ordered ? [`(${tiesSql(b, listed, ordered.field, ordered.many + 1)}) AS ties`] : [];
  const select = (counts: readonly string[], from: readonly string[]) => {
    const columns = [...named(counts), ...(ordered ? ["ties.value", "ties.tied"] : [])];
    return `SELECT ${columns.join(", ")}${from.length > 0 ? ` FROM ${from.join(", ")}` : ""}`;
  };
  if (drivers.length < 2 || most <= fewMet) return select(upTo(most), ties);
  const isRare = drivers.map((_, i) => `first.met_${i} < ${fewMet}`).join(" OR ");
  const counts = upTo(most).map((count, i) => `CASE WHEN ${isRare} THEN first.met_${i} ELSE ${count} END`);
  // Materialized: a planner would make each count for each mention of it.
  const first = `WITH first AS MATERIALIZED (SELECT ${named(upTo(fewMet)).join(", ")})`;
  return `${first} ${select(counts, ["first", ...ties])}`;
}

/**
 * The page with its probe, for a server: it runs the walk or the rows of the one condition, as the probe says; none of them
 * where a list has more conditions, or many have the first value of the order. Each row begins with the `columns` of the
 * probe; there is one row in any case.
 */
export function probedPage(listed: Listed, probe: Probe, window: Window): Statement & { columns: number } {
  const b = new Bound();
  const { drivers, most, ordered } = probe;
  // OFFSET keeps the counts from being made for each mention, and below what they decide where it is asked.
  const probed = `(${probeSql(b, listed, probe)} OFFSET 0) AS probe`;
  const isMany = drivers.map((_, i) => `probe.met_${i} >= ${b.whole(most)}`);
  if (ordered) isMany.push(`probe.tied <= ${b.whole(ordered.many)}`);
  const columns = ["id", ...listed.order.map((_, i) => `v${i}`)].join(", ");
  const only = (page: Statement, test: string) =>
    `(SELECT ${columns} FROM (${page.text}) AS page WHERE ${test} OFFSET 0)`;
  const ways = [only(inOrder(listed, true, window, b), isMany.join(" AND "))];
  const [driver, more] = drivers;
  if (driver && !more)
    ways.push(only(byCondition(listed, { test: driver }, window, b), `probe.met_0 < ${b.whole(most)}`));
  return {
    text: `SELECT probe.*, found.* FROM ${probed} LEFT JOIN LATERAL (${ways.join(" UNION ALL ")}) AS found ON TRUE`,
    values: b.values,
    columns: drivers.length + (ordered ? 2 : 0),
  };
}

/** SELECT for the first value of the order, and how many have it, at most `most`: without the other conditions. */
function tiesSql(b: Bound, listed: Listed, first: FieldTerm, most: number): string {
  const { table, scope, after } = listed;
  const fields = table.fields?.table;
  const [range = sortable] = walkedRanges(listed, first);
  const given = after?.values[0];
  const of = (rows: string) =>
    `FROM ${fields} AS w WHERE ${rows} AND w.key = ${b.whole(first.keyIds[0] as number)} AND`;
  const inPart = () => `(SELECT w.value ${of(inPartSql(table, "w"))} ${rangesSql(b, [range], "w.value")}
    ORDER BY w.value ${first.isDescending ? "DESC" : "ASC"} LIMIT 1)`;
  const top = after
    ? `SELECT ${given === undefined ? "CAST(NULL AS TEXT)" : b.text(given)} AS value`
    : `SELECT ${first.isDescending ? "max" : "min"}(${inPart()}) AS value FROM (${partsSql(b, table, scope)}) AS part`;
  const tied = `${of(inScopeSql(b, table, scope, "w"))} w.value = top.value`;
  return `SELECT top.value, ${countSql(b, tied, most)} AS tied FROM (${top}) AS top`;
}

/** How many rows of the index a test has; `most` of one range stand for any number. */
function rowCountSql(b: Bound, listed: Listed, { field }: RowTest, most: number): string {
  const { keyIds = [], ranges = [], onElements } = field ?? {};
  if (keyIds.length === 0) return "0";
  const keys = keyIds.flatMap((id) => (onElements ? [-id] : [id, -id]));
  const counts = keys.flatMap((key) => ranges.map((range) => countSql(b, rowsOfSql(b, listed, key, [range]), most)));
  return `(${counts.join(" + ")})`;
}
