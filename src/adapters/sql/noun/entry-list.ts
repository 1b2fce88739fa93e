import { type Access, readerOf } from "../../../domain/access.ts";
import {
  type CollectionAnswer,
  type CollectionQuery,
  depthRange,
  hasPattern,
  resumePath,
} from "../../../domain/collection.ts";
import type { Path } from "../../../domain/path.ts";
import { isChildSql } from "../index/parent.ts";
import type { Reading, Scanning } from "../noun.ts";
import { type Row, type SnapshotSql, type Value, withinSql } from "../sql.ts";
import { isListedSql } from "./entry-access.ts";
import { toItems } from "./entry-item.ts";
import { budgets, EntryPlan, frameOf, quick, thorough } from "./entry-plan.ts";
import { entryColumns, type StoredEntry, toEntry } from "./entry-row.ts";
import { textConditions } from "./entry-text.ts";
import { answerWith, batchSize, type Candidates, watchOf } from "./list.ts";

/** Answers a collection if it reads only a few entries, otherwise undefined. Throws as list does. */
export async function listQuickly(
  on: Reading,
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
  const watch = watchOf(on.options, on.isStopped, readerOf(access));
  const frame = await frameOf(on, query, access, thorough);
  for (const budget of frame ? budgets(query, frame) : []) {
    const answer = frame && (await new EntryPlan(on, query, access, frame, budget).answer(watch));
    if (answer) return answer;
  }
  const candidates = scan(on.sql, query, access);
  const answer = await answerWith(query, readerOf(access), candidates, on.options, access.nowSeconds, watch);
  return { ...answer, plan: "scan of every entry" };
}

/** Every entry in scope, in path order where the query has no other, from where the page before ended. */
function scan(sql: SnapshotSql, query: CollectionQuery, access: Access): Candidates {
  const { min, max } = depthRange(query);
  const isOrdered = query.order.length === 0;
  const values: Value[] = [query.path, access.nowSeconds];
  const conditions = [reach(query.path, max <= 1 && min > 0, isOrdered), isListedSql(access)];
  const resume = resumePath(query, readerOf(access));
  if (resume !== undefined) {
    conditions.push("slug > ?3");
    values.push(resume);
  }
  const texts = textConditions(query, values.length + 1);
  conditions.push(...texts.sql);
  values.push(...texts.values);
  const order = isOrdered ? "ORDER BY slug" : "";
  const text = `SELECT ${entryColumns} FROM entry WHERE ${conditions.join(" AND ")} ${order}`;
  return {
    batches: toItems(toEntries(sql.batches(text, values, batchSize)), query, access),
    arrival: isOrdered ? "ordered" : "any",
  };
}

/** SQL for the scope of a scan; ?1 is the path. */
function reach(path: Path, isDirect: boolean, isOrdered: boolean): string {
  if (isDirect && !isOrdered) return isChildSql;
  const within = withinSql("slug", path);
  // The index of slugs has the order; that of parents would be sorted, with all the data. The + keeps it out.
  return isDirect ? `${within} AND +${isChildSql}` : within;
}

async function* toEntries(batches: Iterable<Row[]> | AsyncIterable<Row[]>): AsyncGenerator<StoredEntry[]> {
  for await (const rows of batches) yield rows.map(toEntry);
}
