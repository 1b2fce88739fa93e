import { type Access, readerOf } from "../../../domain/access.ts";
import {
  type CollectionAnswer,
  type CollectionQuery,
  depthRange,
  hasPattern,
  resumePath,
} from "../../../domain/collection.ts";
import { type Path, rootPath } from "../../../domain/path.ts";
import { isChildSql } from "../index/parent.ts";
import type { Scanning } from "../noun.ts";
import { isWithinSql, type Row, type SnapshotSql, type Value } from "../sql.ts";
import { isListedSql } from "./entry-access.ts";
import { toItems } from "./entry-item.ts";
import { budgets, EntryPlan, frameOf, quick, thorough } from "./entry-plan.ts";
import { entryColumns, type StoredEntry, toEntry } from "./entry-row.ts";
import { answerWith, batchSize, type Candidates } from "./list.ts";

/** Answers a collection if it reads only a few entries, otherwise undefined. Throws as list does. */
export async function listQuickly(
  on: Scanning,
  query: CollectionQuery,
  access: Access,
): Promise<CollectionAnswer | undefined> {
  if (hasPattern(query)) return undefined;
  const frame = await frameOf(on, query, access, quick);
  return frame && new EntryPlan(on, query, access, frame, quick).answer();
}

/**
 * Answers a collection at any cost: from the few that its conditions leave, else in the order of an index, else from
 * the many that its conditions leave, else by a scan. Throws entry_not_found.
 */
export async function listEntries(on: Scanning, query: CollectionQuery, access: Access): Promise<CollectionAnswer> {
  const frame = await frameOf(on, query, access, thorough);
  for (const budget of frame ? budgets(query, frame) : []) {
    const answer = frame && (await new EntryPlan(on, query, access, frame, budget).answer());
    if (answer) return answer;
  }
  return answerWith(query, readerOf(access), scan(on.sql, query, access), on.options, access.nowSeconds);
}

/** Every entry in scope, in id order, from where the page before ended. */
function scan(sql: SnapshotSql, query: CollectionQuery, access: Access): Candidates {
  const { min, max } = depthRange(query);
  const values: Value[] = [query.path, access.nowSeconds];
  const conditions = [reach(query.path, max <= 1 && min > 0), isListedSql(access)];
  const resume = resumePath(query, readerOf(access));
  if (resume !== undefined) {
    conditions.push("slug > ?3");
    values.push(resume);
  }
  const text = `SELECT ${entryColumns} FROM entry WHERE ${conditions.join(" AND ")} ORDER BY slug`;
  return {
    batches: toItems(toEntries(sql.batches(text, values, batchSize)), query, access),
    arrival: query.order.length === 0 ? "ordered" : "any",
  };
}

/** SQL for the scope of a scan; ?1 is the path. */
function reach(path: Path, isDirect: boolean): string {
  if (isDirect) return isChildSql;
  return path === rootPath ? "CAST(?1 AS TEXT) IS NOT NULL" : isWithinSql("slug", "?1");
}

async function* toEntries(batches: Iterable<Row[]> | AsyncIterable<Row[]>): AsyncGenerator<StoredEntry[]> {
  for await (const rows of batches) yield rows.map(toEntry);
}
