import { type Access, laysOver, reachedBelow, readerOf, sightOf } from "../../../domain/access.ts";
import {
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
  depthRange,
  resumePath,
} from "../../../domain/collection.ts";
import { entryItem } from "../../../domain/entry-item.ts";
import type { Path } from "../../../domain/path.ts";
import { isListed } from "../../../domain/visibility.ts";
import { isChildSql } from "../index/parent.ts";
import { rowsByNumber } from "../index/table.ts";
import type { Reading, Scanning } from "../noun.ts";
import { type Row, type SnapshotSql, type Value, withinAny, withinSql } from "../sql.ts";
import { isListedSql } from "./entry-access.ts";
import { frameOf } from "./entry-frame.ts";
import { entryColumns, entryTable, type StoredEntry, toEntry } from "./entry-row.ts";
import { textConditions } from "./entry-text.ts";
import { batchSize, type Candidates, watchOf } from "./list.ts";
import { answerAtAnyCost, answerQuickly, type Source } from "./plan.ts";
import { allLaidOver, itemsLaidOver } from "./staged-row.ts";

/** Answers a collection if it reads only a few entries, otherwise undefined. Throws as list does. */
export function listQuickly(
  on: Reading,
  query: CollectionQuery,
  access: Access,
): Promise<CollectionAnswer | undefined> {
  const source = sourceFor(on, access);
  return answerQuickly(source, query, (budget) => frameOf(source, query, access, budget));
}

/** Answers a collection at any cost. Throws entry_not_found. */
export function listEntries(on: Scanning, query: CollectionQuery, access: Access): Promise<CollectionAnswer> {
  const source = { ...sourceFor(on, access), watch: watchOf(on.options, on.isStopped, readerOf(access)) };
  return answerAtAnyCost(
    source,
    query,
    (budget) => frameOf(source, query, access, budget),
    () => scan(on.sql, query, access),
  );
}

/** The entries that a collection for this access may have. */
const sourceFor = (on: Reading, access: Access): Source<StoredEntry> => ({
  ...on,
  table: entryTable,
  scope: scopeOf(access),
  ...(laysOver(access) && { itemsById: itemsLaidOver(on.sql, on.itemsById) }),
  nowSeconds: access.nowSeconds,
  isVisible: (entry) => isListed(entry, access),
  toCollectionItem: entryItem,
  isScanFast: (query) => textConditions(query, 1).sql.length > 0,
  withTexts: (query, ids) => withTexts(on, query, ids),
});

/** What a cursor is bound to. */
const scopeOf = (access: Access): string => (laysOver(access) || access.paths ? sightOf(access) : readerOf(access));

/** Entries by number whose text may match the query. */
async function withTexts({ sql }: Reading, query: CollectionQuery, ids: readonly number[]): Promise<number[]> {
  const texts = textConditions(query, 1);
  if (texts.sql.length === 0) return [...ids];
  const found: number[] = [];
  for await (const rows of rowsByNumber(sql, "entry", "SELECT id FROM entry", ids, texts)) {
    found.push(...rows.map(([id]) => id as number));
  }
  return found;
}

/** Every entry in scope, in path order where the query has no other, from where the page before ended. */
function scan(sql: SnapshotSql, query: CollectionQuery, access: Access): Candidates {
  const { min, max } = depthRange(query);
  const isOrdered = query.order.length === 0;
  const values: Value[] = [query.path, access.nowSeconds];
  const conditions = [reach(query.path, max <= 1 && min > 0, isOrdered), isListedSql(access)];
  const within = withinAny("slug", reachedBelow(access, query.path), values.length + 1);
  conditions.push(within.sql);
  values.push(...within.values);
  const resume = resumePath(query, scopeOf(access));
  if (resume !== undefined) {
    values.push(resume);
    conditions.push(`slug > ?${values.length}`);
  }
  const texts = textConditions(query, values.length + 1);
  // What is live says nothing of an entry with a copy.
  conditions.push(...texts.sql.map((text) => (laysOver(access) ? `(staged_revision IS NOT NULL OR ${text})` : text)));
  values.push(...texts.values);
  const order = isOrdered ? "ORDER BY slug" : "";
  const text = `SELECT ${entryColumns} FROM entry WHERE ${conditions.join(" AND ")} ${order}`;
  return {
    batches: toItems(sql, sql.batches(text, values, batchSize), access),
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

async function* toItems(
  sql: SnapshotSql,
  batches: Iterable<Row[]> | AsyncIterable<Row[]>,
  access: Access,
): AsyncGenerator<CollectionItem[]> {
  for await (const rows of batches) {
    const entries = rows.map(toEntry);
    yield (laysOver(access) ? await allLaidOver(sql, entries) : entries).map(entryItem);
  }
}
