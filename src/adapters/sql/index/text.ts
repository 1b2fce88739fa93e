import type { JsonObject } from "../../../lib/json.ts";
import { inTransaction, type Row, type Sql, type WriteSql } from "../sql.ts";
import { anyGram, GramCollector, gramEnd, gramsOf, textsOf } from "./gram.ts";
import { addPostings, movePostings } from "./posting.ts";
import type { FieldTable, Indexed, TextTable } from "./table.ts";

/**
 * The text index: posting lists of the trigrams of all texts. It has a superset of the matches, and a write costs little:
 * new items are pending, and indexed many at a time; an item that was changed or deleted stays where it is. What an item
 * is pending by is its number alone, which is above `indexed_to`. Decision 39.
 */

/** A transaction of writes indexes what is pending each time that this many items were added. */
export const pendingItems = 256;
/** Each time one part of the trigrams leaves level 0, so that each row of level 1 is written rarely. */
const parts = 32;
/** Items, and pairs of an item and a trigram, that one transaction indexes. */
const maxItems = 512;
const maxPairs = 200_000;
/** Items may hold much data: this many are in memory. */
const batchItems = 32;

/** Indexes some of the items that are pending; answers false when there were none. No other write may run at once. */
export async function indexTexts(sql: Sql, table: TextTable): Promise<boolean> {
  const { name, select, toItem, texts } = table;
  const state = await sql.row(`SELECT indexed_to FROM ${texts.state}`);
  if (!state) return false;
  const found = new GramCollector();
  let last = state[0] as number;
  for (let count = 0; count < maxItems && found.pairs < maxPairs; count += batchItems) {
    const rows = await sql.rows(`${select} WHERE ${name}.id > ?1 ORDER BY ${name}.id LIMIT ${batchItems}`, last);
    for (const item of rows.map(toItem)) {
      const data = dataOf(table, item);
      if (data) found.add(item.id, textsOf(data));
      else found.addAny(item.id);
      last = item.id;
    }
    if (rows.length < batchItems) break;
  }
  if (last === state[0]) return false;
  await addPostings(sql, texts.grams, found.items);
  await sql.run(`UPDATE ${texts.state} SET indexed_to = ?1`, last);
  await moveTexts(sql, table);
  return true;
}

/**
 * Moves one part of the trigrams to level 1, and those that stand for others. No other write may run at once: what it
 * adds meanwhile would be lost.
 */
export async function moveTexts(sql: Sql, { texts }: TextTable): Promise<void> {
  const from = (await sql.row(`SELECT moved_to FROM ${texts.state}`))?.[0] as number;
  const to = from + gramEnd / parts;
  await movePostings(sql, texts.grams, from === 0 ? anyGram : from, to);
  await sql.run(`UPDATE ${texts.state} SET moved_to = ?1`, to === gramEnd ? 0 : to);
}

/** Undefined for damaged data, which is reported elsewhere: the index goes on. */
function dataOf<Item extends Indexed>({ fields }: TextTable<Item>, item: Item): JsonObject | undefined {
  try {
    return fields.dataOf(item);
  } catch {
    return undefined;
  }
}

/** The trigrams that the index must have of an item. */
export function gramsOfItem<Item extends Indexed>(table: TextTable<Item>, item: Item): Set<number> {
  const data = dataOf(table, item);
  return data ? gramsOf(textsOf(data)) : new Set([anyGram]);
}

/**
 * Adds what a change of an item's data has added to its texts, unless the item is pending. Answers true when it is time
 * for `moveTexts`.
 */
export async function changeTexts(
  sql: Sql,
  table: TextTable,
  id: number,
  before: JsonObject,
  after: JsonObject,
): Promise<boolean> {
  const old = textsOf(before);
  const now = textsOf(after);
  const added = now.difference(old);
  if (added.size === 0) return false;
  const all = gramsOf(now);
  const grams = all.has(anyGram) ? all : gramsOf(added).difference(gramsOf(old));
  if (grams.size === 0) return false;
  const { grams: postings, state } = table.texts;
  const counted = await sql.row(`UPDATE ${state} SET stale = stale + 1 WHERE indexed_to >= ?1 RETURNING stale`, id);
  if (!counted) return false;
  await addPostings(sql, postings, new Map([...grams].map((gram) => [gram, [id]])));
  return (counted[0] as number) % pendingItems === 0;
}

/** Must follow each deletion: the number of a deleted item may be given to another. */
export async function noteDeleted(sql: Sql, { name, texts }: TextTable, count: number): Promise<void> {
  const last = `(SELECT coalesce(max(id), 0) FROM ${name})`;
  await sql.run(
    `UPDATE ${texts.state} SET stale = stale + ?1,
       indexed_to = CASE WHEN indexed_to > ${last} THEN ${last} ELSE indexed_to END`,
    count,
  );
}

/** SQL that finds something when items are pending. */
export const isPendingSql = ({ name, texts }: TextTable): string =>
  `SELECT 1 FROM ${name} WHERE id > (SELECT indexed_to FROM ${texts.state}) LIMIT 1`;

/** Fewer stale items are not worth a new index. */
const fewStale = 10_000;

/** Empties the index when most of what it has is stale: then everything is pending. */
export async function emptyStale(sql: Sql, { name, texts }: TextTable): Promise<void> {
  const state = await sql.row(`SELECT stale FROM ${texts.state}`);
  if (!state || (state[0] as number) <= fewStale) return;
  const count = (await sql.row(`SELECT count(*) FROM ${name}`)) as Row;
  if ((state[0] as number) <= (count[0] as number)) return;
  await sql.run(`DELETE FROM ${texts.grams}`);
  await sql.run(`UPDATE ${texts.state} SET indexed_to = 0, moved_to = 0, stale = 0`);
}

/** Turns the text indexes of these tables on or off; undefined (the command line beside a running server) keeps them. */
export async function settleTexts(
  sql: WriteSql,
  tables: readonly FieldTable[],
  wanted: boolean | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  await inTransaction(sql, async () => {
    for (const { texts } of tables) {
      if (!texts) continue;
      const isOn = (await sql.row(`SELECT 1 FROM ${texts.state}`)) !== undefined;
      if (wanted === isOn) continue;
      if (wanted) await sql.run(`INSERT INTO ${texts.state} (indexed_to, moved_to, stale) VALUES (0, 0, 0)`);
      else await sql.run(`DELETE FROM ${texts.state}`);
      await sql.run(`DELETE FROM ${texts.grams}`);
    }
  });
}
