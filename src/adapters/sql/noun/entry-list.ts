import { type Access, readerOf } from "../../../domain/access.ts";
import {
  type CollectionAnswer,
  type CollectionQuery,
  depthRange,
  hasPattern,
  resumePath,
} from "../../../domain/collection.ts";
import { isReadable } from "../../../domain/entry.ts";
import { type Path, rootPath } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import { isChildSql } from "../index/parent.ts";
import type { Scanning } from "../noun.ts";
import { isWithinSql, type Row, type SnapshotSql, type Sql, type Value } from "../sql.ts";
import { toItems } from "./entry-item.ts";
import { budgets, EntryPlan, frameOf, quick } from "./entry-plan.ts";
import { entryColumns, findEntrySql, type StoredEntry, toEntry } from "./entry-row.ts";
import { answerWith, batchSize, type Candidates } from "./list.ts";

/** Answers a collection if it reads only a few entries, otherwise undefined. Throws as list does. */
export async function listQuickly(
  on: Scanning,
  query: CollectionQuery,
  access: Access,
): Promise<CollectionAnswer | undefined> {
  if (hasPattern(query)) return undefined;
  await refuseMissing(on.sql, query, access);
  const frame = await frameOf(on, query, access, quick);
  return frame && new EntryPlan(on, query, access, frame, quick).answer();
}

/**
 * Answers a collection at any cost: from the few that its conditions leave, else in the order of an index, else from
 * the many that its conditions leave, else by a scan. Throws entry_not_found.
 */
export async function listEntries(on: Scanning, query: CollectionQuery, access: Access): Promise<CollectionAnswer> {
  const tried = await budgets(on.sql, query);
  const [, frame] = await Promise.all([refuseMissing(on.sql, query, access), frameOf(on, query, access, tried[0])]);
  for (const budget of frame ? tried : []) {
    const answer = await new EntryPlan(on, query, access, frame as NonNullable<typeof frame>, budget).answer();
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

/**
 * SQL for isListed; ?2 is the time of the access, present for every caller so that all texts have the same parameters.
 */
const isListedSql = ({ reads }: Access): string => listedSql[reads];
const anything = "CAST(?2 AS BIGINT) IS NOT NULL";
const listedSql: Record<Access["reads"], string> = {
  nothing: "CAST(?2 AS BIGINT) IS NULL",
  public: "visibility = 'visible' AND published_at <= ?2",
  preview: anything,
  management: anything,
};

async function* toEntries(batches: Iterable<Row[]> | AsyncIterable<Row[]>): AsyncGenerator<StoredEntry[]> {
  for await (const rows of batches) yield rows.map(toEntry);
}

/** Throws entry_not_found when the caller can see neither the entry nor anything below it. The root always exists. */
async function refuseMissing(sql: Sql, { path }: CollectionQuery, access: Access): Promise<void> {
  if (path === rootPath) return;
  const own = await sql.row(findEntrySql, path);
  if (own && isReadable(toEntry(own), access)) return;
  const below = await sql.row(
    `SELECT 1 FROM entry WHERE slug >= ?1 || '/' AND slug < ?1 || '0' AND ${isListedSql(access)} LIMIT 1`,
    path,
    access.nowSeconds,
  );
  if (!below) throw problem("entry_not_found", { id: path });
}
