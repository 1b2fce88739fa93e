import type { JsonObject } from "../../lib/json.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { findNumber, numberOf, type Row, type SharedSql, type Sql, type TransactionSql, unawaited } from "../sql.ts";
import { anyGram, GramCollector, gramEnd, gramsOf, textsOf } from "./gram.ts";
import { addPostings, insertPostings, movePostings } from "./posting.ts";
import { documentsOf, type FieldTable, hasTexts, type TextTable } from "./table.ts";

/**
 * The text index: posting lists of the trigrams of all texts. It has a superset of the matches, and a write costs little:
 * new items are pending, and indexed many at a time; an item that was changed or deleted stays where it is. What an item
 * is pending by is its number alone, which is above `indexed_to`. Decision 7.
 */

/** Few items are pending: twice this many. */
export const pendingItems = 256;
/** A transaction of writes indexes some items each time that this many were added: more would hold up the next writes. */
const groupItems = 128;
/**
 * Each time that `pendingItems` were added one part of the trigrams leaves level 0, so that each row of level 1 is written
 * rarely: at another time than a group is indexed.
 */
const parts = 32;
const partGrams = gramEnd / parts;
const moveAt = groupItems / 2;
/**
 * Pairs of an item and a trigram that a transaction indexes, and rows of level 0 that it moves, so that other writes do not
 * wait long for it: the texts of some eighty small items, or of a few long ones.
 */
const stepPairs = 16_000;
const stepRows = 4000;

/** Whether a group of texts is to be indexed, or a part moved, after the item with this number was added. */
export const isTextWorkDue = (id: number): boolean => id % groupItems === 0 || id % pendingItems === moveAt;

/**
 * Does a step of that; answers true when there is more to do. Other transactions may write meanwhile, but must not hold
 * everything.
 */
export async function doTextWork(sql: SharedSql, table: TextTable, id: number): Promise<boolean> {
  sql.lockTexts();
  if (id % groupItems !== 0) return moveTexts(sql, table);
  const to = Math.min(id, await sql.settled(table.name));
  return (await addTexts(sql, table, { items: 2 * groupItems, to })) === "some";
}

/**
 * Indexes some of the items that are pending; answers false when there are none. No other transaction may write: one with
 * a lower number that is not committed yet would be left out.
 */
export async function indexTexts(sql: SharedSql, table: TextTable): Promise<boolean> {
  const isAdded = (await addTexts(sql, table, { items: 2 * groupItems })) !== "none";
  if (isAdded) await moveTexts(sql, table);
  return isAdded;
}

/** Items, and pairs, that are indexed at once while a store is loaded: each chunk is rewritten rarely. */
export const loadItems = 8192;
const loadPairs = 1_000_000;

/** Indexes the items that are pending in a store that is being loaded: straight into level 1, since nobody waits. */
export async function loadTexts(
  sql: TransactionSql,
  table: TextTable,
  onIndexed: (number: number) => void = () => undefined,
): Promise<void> {
  const adding = { items: loadItems, pairs: loadPairs, add: insertPostings };
  for (let number = 0; (await addTexts(sql, table, adding)) !== "none"; ) {
    number = await numberOf(sql, `SELECT indexed_to FROM ${table.texts.state}`);
    onIndexed(number);
  }
}

/** The greatest numbers of items and of pairs, the number of the last item, and how postings are added. */
type Adding = {
  items: number;
  pairs?: number;
  to?: number;
  add?: (...asked: Parameters<typeof addPostings>) => MaybePromise<void>;
};

/** Answers how many of those that are pending were indexed. */
async function addTexts(sql: TransactionSql, table: TextTable, adding: Adding): Promise<"none" | "some" | "all"> {
  const { items: most, pairs: mostPairs = stepPairs, to = Number.MAX_SAFE_INTEGER, add = addPostings } = adding;
  const { toItem, texts } = table;
  const found = new GramCollector();
  let last: number | null = null;
  let isAll = false;
  for (let count = 0; count < most && found.pairs < mostPairs && !isAll; ) {
    const asked = [last, Math.min(pageItems, most - count), to, mostPairs * bytesOfPair];
    const rows: Row[] = await sql.rows(pendingSql(table), ...asked);
    isAll = rows.length === 0;
    const read = rows.map(toItem);
    const documents = await documentsOf(sql, table, read);
    for (const [i, item] of read.entries()) {
      if (found.pairs >= mostPairs) break;
      const data = documents[i];
      if (data) found.add(item.id, textsOf(data));
      else found.addAny(item.id);
      last = item.id;
    }
    count += rows.length;
  }
  if (last === null) return "none";
  await add(sql, texts.grams, found.items);
  unawaited(sql.run(`UPDATE ${texts.state} SET indexed_to = ?1`, last));
  return isAll ? "all" : "some";
}

/**
 * Items may hold much data: at most this many are read at once, and one or as many as have the wanted pairs, since a text has
 * about one in so many bytes. More would be read again in the next step.
 */
const pageItems = 256;
const bytesOfPair = 4;

/** The first ?2 items after the number ?1, or of those that are pending, up to ?3, of at most ?4 bytes, or one. */
const pendingSql = ({ name, select, texts }: TextTable): string => `${select} WHERE ${name}.id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (ORDER BY id) AS place, sum(octet_length(data)) OVER (ORDER BY id) AS total
      FROM (
        SELECT id, data FROM ${name}
        WHERE id > coalesce(CAST(?1 AS BIGINT), (SELECT indexed_to FROM ${texts.state}))
          AND id <= CAST(?3 AS BIGINT)
        ORDER BY id LIMIT ?2
      ) AS pending
    ) AS sized WHERE place = 1 OR total <= CAST(?4 AS BIGINT)
  ) ORDER BY ${name}.id`;

/**
 * Moves some of one part of the trigrams to level 1, and those that stand for others; answers true when the part has more.
 * No other write may run at once: what it adds meanwhile would be lost.
 */
export async function moveTexts(sql: TransactionSql, { texts }: TextTable): Promise<boolean> {
  const from = await findNumber(sql, `SELECT moved_to FROM ${texts.state}`);
  if (from === undefined) return false;
  const partEnd = (Math.floor(from / partGrams) + 1) * partGrams;
  const to = await movePostings(sql, texts.grams, from === 0 ? anyGram : from, partEnd, stepRows);
  unawaited(sql.run(`UPDATE ${texts.state} SET moved_to = ?1`, to === gramEnd ? 0 : to));
  return to < partEnd;
}

/** The trigrams that the index must have of an item with this data; undefined for damaged data. */
export const gramsOfItem = (data: JsonObject | undefined): Set<number> =>
  data ? gramsOf(textsOf(data)) : new Set([anyGram]);

/**
 * Adds what a change of an item's data has added to its texts, unless the item is pending. Answers true when it is time
 * for `moveTexts`.
 */
export async function changeTexts(
  sql: SharedSql,
  table: TextTable,
  id: number,
  before: JsonObject,
  after: JsonObject,
): Promise<boolean> {
  const old = textsOf(before);
  const now = textsOf(after);
  if (now.isSubsetOf(old)) return false;
  const { grams: postings, state } = table.texts;
  // In this order in every transaction: the log, then the text index.
  sql.lockShared();
  sql.lockTexts();
  // First, because where it changes nothing no trigram is needed.
  const noted = `UPDATE ${state} SET stale = stale + 1 WHERE indexed_to >= ?1 RETURNING stale`;
  const stale = await findNumber(sql, noted, id);
  if (stale === undefined) return false;
  const grams = gramsOf(now).difference(gramsOf(old));
  addPostings(sql, postings, new Map([...grams].map((gram) => [gram, [id]])));
  return stale % pendingItems === 0;
}

/** Must follow each deletion: the number of a deleted item may be given to another. */
export async function noteDeleted(sql: SharedSql, { name, texts }: TextTable, count: number): Promise<void> {
  sql.lockShared();
  sql.lockTexts();
  const last = `(SELECT coalesce(max(id), 0) FROM ${name})`;
  await sql.run(
    `UPDATE ${texts.state} SET stale = stale + ?1,
       indexed_to = CASE WHEN indexed_to > ${last} THEN ${last} ELSE indexed_to END`,
    count,
  );
}

/** Fewer stale items are not worth a new index. */
const fewStale = 10_000;

/** SQL that is true when most of what the index has is stale. */
const isStaleSql = ({ name }: TextTable): string => `(stale > ${fewStale} AND stale > (SELECT count(*) FROM ${name}))`;

/** SQL that finds something when the table has a text index. */
export const hasTextsSql = ({ texts }: TextTable): string => `SELECT 1 FROM ${texts.state}`;

/** SQL that finds something when items are pending, or the index is to be emptied. */
export const hasWorkSql = (table: TextTable): string =>
  `SELECT 1 FROM ${table.texts.state}
   WHERE indexed_to < (SELECT coalesce(max(id), 0) FROM ${table.name}) OR ${isStaleSql(table)}`;

/** Empties the index when most of what it has is stale: then everything is pending. */
export async function emptyStale(sql: Sql, table: TextTable): Promise<void> {
  const { grams, state } = table.texts;
  const emptied = await sql.run(
    `UPDATE ${state} SET indexed_to = 0, moved_to = 0, stale = 0 WHERE ${isStaleSql(table)}`,
  );
  if (emptied > 0) await sql.run(`DELETE FROM ${grams}`);
}

/** Turns the text indexes of these tables on or off; undefined keeps them. */
export async function settleTexts(sql: Sql, tables: readonly FieldTable[], wanted: boolean | undefined): Promise<void> {
  if (wanted === undefined) return;
  for (const table of tables.filter(hasTexts)) {
    const { texts } = table;
    const isOn = (await sql.row(hasTextsSql(table))) !== undefined;
    if (wanted === isOn) continue;
    if (wanted) await sql.run(`INSERT INTO ${texts.state} (indexed_to, moved_to, stale) VALUES (0, 0, 0)`);
    else await sql.run(`DELETE FROM ${texts.state}`);
    await sql.run(`DELETE FROM ${texts.grams}`);
  }
}
