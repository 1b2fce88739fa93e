import { digitOf, formatNumber } from "../../lib/number-text.ts";
import { findNumber, insertRows, type Sql, type TransactionSql, unawaited, type Value } from "../sql.ts";

/**
 * Posting lists: which items have a trigram, as ascending numbers in chunks. The row of a chunk is (level, gram, first,
 * rest). At level 1 each item is in the chunk with the greatest `first` that is not above it, and a chunk is rewritten to
 * add to it. Level 0 is small: adding to it is cheap because its rows share few pages, and they are moved up many at a
 * time.
 */

/** A row with a longer text would be continued on another page of SQLite. */
const maxRest = 800;

/** The numbers of a chunk: `rest` has the distances between them (number-text.ts). */
export function readChunk(first: number, rest: string): number[] {
  const items = [first];
  let last = first;
  let step = 0;
  let scale = 1;
  for (let i = 0; i < rest.length; i++) {
    const digit = digitOf[rest.charCodeAt(i)] as number;
    step += (digit & 31) * scale;
    scale *= 32;
    if (digit < 32) continue;
    last += step;
    items.push(last);
    step = 0;
    scale = 1;
  }
  return items;
}

type Chunk = [first: number, rest: string];

/** Chunks of ascending numbers. */
function toChunks(items: readonly number[]): Chunk[] {
  const chunks: Chunk[] = [];
  let last = 0;
  for (const item of items) {
    const chunk = chunks.at(-1);
    if (chunk && chunk[1].length < maxRest) chunk[1] += formatNumber(item - last);
    else chunks.push([item, ""]);
    last = item;
  }
  return chunks;
}

/** Trigrams with items that have them, ascending. */
type Postings = ReadonlyMap<number, readonly number[]>;

/** Inserts rows; where there is one with the key, it gets the text. `more`: only where that is true. */
const insertChunks = (table: string, more = "") =>
  insertRows(
    table,
    ["level", "gram", "first", "rest"],
    ["integer", "integer", "integer", "text"],
    `ON CONFLICT (level, gram, first) DO UPDATE SET rest = excluded.rest ${more}`,
  );

/** Adds items to level 0, without waiting. */
export function addPostings(sql: TransactionSql, table: string, postings: Postings): void {
  const rows: Value[][] = [];
  for (const [gram, items] of inOrder(postings)) {
    for (const chunk of toChunks(items)) rows.push([0, gram, ...chunk]);
  }
  // A changed item is added alone, to what it may have already. What follows an item with a number given again is gone.
  sql.later(insertChunks(table, "WHERE excluded.rest <> ''"), rows);
}

/**
 * Moves trigrams from this one up to another, which is left out, from level 0 to level 1: those of about `mostRows` rows.
 * Answers up to which it did.
 */
export async function movePostings(sql: TransactionSql, table: string, from: number, end: number, mostRows: number) {
  const range = `FROM ${table} WHERE level = 0 AND gram >= ?1 AND gram < ?2`;
  const past = await findNumber(sql, `SELECT gram ${range} ORDER BY gram LIMIT 1 OFFSET ?3`, from, end, mostRows);
  const to = past === undefined ? end : Math.max(past, from + 1);
  const rows = (await sql.rows(`SELECT gram, first, rest ${range} ORDER BY gram, first`, from, to)) as unknown[];
  const postings = new Map<number, number[]>();
  for (const [gram, ...chunk] of rows as [number, number, string][]) {
    postings.set(gram, [...(postings.get(gram) ?? []), ...readChunk(...chunk)]);
  }
  await insertPostings(sql, table, postings);
  unawaited(sql.run(`DELETE ${range}`, from, to));
  return to;
}

/** Adds items to level 1. No other write may run at once, as for `movePostings`. */
export async function insertPostings(sql: TransactionSql, table: string, postings: Postings): Promise<void> {
  const all = inOrder(postings);
  for (let at = 0; at < all.length; at += listsAtOnce) {
    let left = all
      .slice(at, at + listsAtOnce)
      .map(([gram, items]): [number, number[]] => [gram, ascending([...items])]);
    while (left.length > 0) left = await addToChunks(sql, table, left);
  }
}

/** The chunks of this many trigrams are in memory. */
const listsAtOnce = 4000;

/** In the order of the key, which touches each page once. */
const inOrder = (postings: Postings) => [...postings].sort(([a], [b]) => a - b);

/** The chunk that has an item if one has, and the one after it. */
const chunkSql = (table: string): string =>
  `SELECT first, rest FROM ${table} WHERE level = 1 AND gram = ?1 AND first >=
     coalesce((SELECT max(first) FROM ${table} WHERE level = 1 AND gram = ?1 AND first <= ?2), ?2) ORDER BY first LIMIT 2`;

/** Adds items to level 1; answers what belongs to later chunks. */
async function addToChunks(sql: TransactionSql, table: string, postings: [gram: number, items: number[]][]) {
  const sets = postings.map(([gram, items]) => [gram, items[0] as number]);
  const found = await sql.rowsAll(chunkSql(table), sets, ["integer", "integer"]);
  const rows: Value[][] = [];
  const later: typeof postings = [];
  for (const [i, [gram, items]] of postings.entries()) {
    const chunks = (found[i] ?? []) as unknown as Chunk[];
    const held = chunks.find(([first]) => first <= (items[0] as number));
    const next = chunks.find(([first]) => first > (items[0] as number))?.[0] ?? Number.POSITIVE_INFINITY;
    const own = items.filter((item) => item < next);
    if (own.length < items.length) later.push([gram, items.slice(own.length)]);
    const isHeld = ([first, rest]: Chunk) => first === held?.[0] && rest === held[1];
    const all = toChunks(held ? ascending([...readChunk(...held), ...own]) : own);
    rows.push(...all.filter((chunk) => !isHeld(chunk)).map((chunk) => [1, gram, ...chunk]));
  }
  sql.later(insertChunks(table), rows);
  return later;
}

/** The numbers in order, each once. */
export function ascending(items: number[]): number[] {
  if (items.every((item, i) => i === 0 || (items[i - 1] as number) < item)) return items;
  return [...new Set(items)].sort((a, b) => a - b);
}

/** Those items of posting lists that are between two numbers, and others. One answer for each trigram. */
export async function readPostings(
  sql: Sql,
  table: string,
  grams: readonly number[],
  from: number,
  to: number,
): Promise<Set<number>[]> {
  const text = `SELECT first, rest FROM ${table} WHERE level = 0 AND gram = ?1
    UNION ALL SELECT first, rest FROM ${table} WHERE level = 1 AND gram = ?1 AND first <= ?3
      AND first >= coalesce((SELECT max(first) FROM ${table} WHERE level = 1 AND gram = ?1 AND first <= ?2), ?2)`;
  const sets = grams.map((gram) => [gram, from, to]);
  const found = await sql.rowsAll(text, sets, ["integer", "integer", "integer"]);
  return found.map((rows) => new Set((rows as unknown as Chunk[]).flatMap((chunk) => readChunk(...chunk))));
}
