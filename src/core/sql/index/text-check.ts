import { FaultList } from "../../fault-list.ts";
import { findNumber, type SnapshotSql } from "../sql.ts";
import { anyGram } from "./gram.ts";
import { readPostings } from "./posting.ts";
import { documentsOf, readItems, type TextTable } from "./table.ts";
import { gramsOfItem } from "./text.ts";

/** Pairs of an item and a trigram that are in memory: a posting list that is read is compared with many items. */
const maxPairs = 1_000_000;
/** Posting lists that are in memory. */
const listBatch = 1000;

/** Sentences about items that the text index lacks. What it has of items that are gone is no fault. Reads every row. */
export async function textFaults(sql: SnapshotSql, table: TextTable): Promise<string[]> {
  const faults = new FaultList();
  const indexedTo = await findNumber(sql, `SELECT indexed_to FROM ${table.texts.state}`);
  if (indexedTo === undefined) return [];
  for await (const wanted of pagesOf(sql, table, indexedTo)) {
    for await (const items of readItems(sql, table, await lacking(sql, table, wanted))) {
      for (const item of items) faults.add(`The text index lacks words of the ${table.name} ${table.pathOf(item)}`);
    }
  }
  return faults.all();
}

/** The numbers of items by trigram, ascending. */
type Wanted = Map<number, number[]>;

/** What the index must have, of many items at a time. */
async function* pagesOf(sql: SnapshotSql, table: TextTable, indexedTo: number): AsyncIterable<Wanted> {
  const select = `${table.select} WHERE ${table.name}.id <= ?1 ORDER BY ${table.name}.id`;
  let wanted: Wanted = new Map();
  let pairs = 0;
  for await (const batch of sql.batches(select, [indexedTo], 500)) {
    const items = batch.map(table.toItem);
    const documents = await documentsOf(sql, table, items);
    for (const [i, { id }] of items.entries()) pairs += addItem(wanted, id, gramsOfItem(documents[i]));
    if (pairs < maxPairs) continue;
    yield wanted;
    wanted = new Map();
    pairs = 0;
  }
  yield wanted;
}

function addItem(wanted: Wanted, id: number, grams: Set<number>): number {
  for (const gram of grams) {
    const items = wanted.get(gram);
    if (items) items.push(id);
    else wanted.set(gram, [id]);
  }
  return grams.size;
}

/** The numbers of the items that lack a trigram, ascending. */
async function lacking(sql: SnapshotSql, { texts }: TextTable, wanted: Wanted): Promise<number[]> {
  const [from, to] = rangeOf(wanted.values());
  const found = new Set<number>();
  const grams = [...wanted.keys()];
  for (let at = 0; at < grams.length; at += listBatch) {
    const some = grams.slice(at, at + listBatch);
    for (const [i, held] of (await readPostings(sql, texts.grams, some, from, to)).entries()) {
      for (const item of wanted.get(some[i] as number) ?? []) if (!held.has(item)) found.add(item);
    }
  }
  if (found.size === 0) return [];
  const [any] = await readPostings(sql, texts.grams, [anyGram], from, to);
  return [...found].filter((item) => !any?.has(item)).sort((a, b) => a - b);
}

/** The least and the greatest number in ascending lists. */
function rangeOf(lists: Iterable<number[]>): [from: number, to: number] {
  let [from, to] = [Number.POSITIVE_INFINITY, 0];
  for (const list of lists) {
    from = Math.min(from, list[0] as number);
    to = Math.max(to, list.at(-1) as number);
  }
  return [from, to];
}
