import { FaultList, maxSentences } from "../fault-list.ts";
import { quote } from "../problem-row.ts";
import type { Relation } from "./rows.ts";
import { numberOf, type Sql, type Value } from "./sql.ts";

/** Relations between rows that no foreign key enforces: checked by `octavo verify` and at the end of a restore. */

/** Sentences about violated relations. */
export async function relationFaults(sql: Sql, relations: readonly Relation[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { query, says } of relations) {
    const list = new FaultList();
    const found = await sql.rows(`${query} LIMIT ${maxSentences}`);
    for (const row of found) list.add(says(...row.map(shown)));
    if (found.length === maxSentences) list.addMore((await countOf(sql, query)) - maxSentences);
    faults.push(...list.all());
  }
  return faults;
}

/** A path that violates its own rule may hold anything. */
const shown = (value: Value): string => (typeof value === "string" ? quote(value) : String(value));

const countOf = async (sql: Sql, query: string): Promise<number> =>
  numberOf(sql, `SELECT count(*) FROM (${query}) AS found`);
