import { type Condition, partOfMatches } from "../../list/filter.ts";
import type { Find } from "../../list/find.ts";
import { anyGram, gramsOfPair, gramsOfPart, gramsOfWord, pairOfPart, pairOfWord } from "../index/gram.ts";
import { ascending, readChunk } from "../index/posting.ts";
import { fieldTest } from "../index/range.ts";
import type { Texts } from "../index/table.ts";
import { pendingItems } from "../index/text.ts";
import type { TableReading } from "../noun.ts";
import type { Row } from "../sql.ts";
import { isIndexedKey } from "./test.ts";

/** Which rows can match texts, by the text index. The answer is a superset: the domain decides. */

/** What a lookup in the text index needs. */
type TextReading = Pick<TableReading, "sql" | "table">;

/** The trigrams of a long text that are looked up, at equal distances. */
const maxLookups = 32;
/** Of these the rarest are read, each if it has fewer than so many chunks: first two, which mostly decide. */
const [fewLists, maxRead] = [{ lists: 2, chunks: 8 }, 6];
/** So few candidates are tested sooner than more lists are read. */
const fewCandidates = 32;
/** What is longer than so many times the wanted rows is not read: of what so many items have, an order finds a page sooner. */
const readPerRow = 20;
/** Numbers of a list that are read in the time in which one row is tested. */
const numbersPerTest = 100;
/** A shorter list is read whatever its share. */
const shortList = 1000;

/** What each match has: trigrams, and pairs of units where a text is too short for one. */
export type Grams = { grams: ReadonlySet<number>; pairs: readonly number[] };

/** What each match of all these conditions and words has. */
export function gramsOfQuery(on: TableReading, conditions: readonly Condition[], { words }: Find): Grams {
  const parts = conditions
    .filter((condition) => isByText(on, condition))
    .map((condition) => partOfMatches(condition) ?? "");
  const grams = [...parts.map(gramsOfPart), ...words.map(gramsOfWord)].flatMap((each) => [...each]);
  const pairs = [...parts.map(pairOfPart), ...words.map(pairOfWord)].filter((pair) => pair !== undefined);
  return { grams: new Set(grams), pairs };
}

/** True for a condition on a text of the client that the field index does not answer better. */
function isByText(on: TableReading, condition: Condition): boolean {
  if (on.table.columns.has(condition.key)) return false;
  const isInFields = isIndexedKey(on, condition.key) && fieldTest(condition, 0) !== undefined;
  return condition.operator === "starts_with" || !isInFields;
}

/**
 * The longest list that is worth its reading where an order can be walked instead: of `size` rows, n of which have a
 * trigram, a walk to the `wanted` matches tests about wanted × size / n.
 */
export const longestBesideWalk = (wanted: number, size: number): number => Math.sqrt(numbersPerTest * wanted * size);

/**
 * Numbers of the rows that may have all of these; undefined when the index cannot narrow them to `maxRows`, or by lists of
 * at most `longest` numbers.
 */
export async function itemsWithGrams(
  on: TextReading,
  { grams, pairs }: Grams,
  maxRows: number,
  longest = Number.POSITIVE_INFINITY,
): Promise<Set<number> | undefined> {
  const { texts } = on.table;
  if (!texts || (grams.size === 0 && pairs.length === 0)) return undefined;
  const most = Math.min(readPerRow * maxRows, Math.floor(Math.max(longest, shortList)));
  const mostPending = Math.max(maxRows, 2 * pendingItems);
  const within = (read: FoundRows | undefined, maxItems: number): Set<number> | undefined => {
    const { lists, any, pending } = read ?? {};
    if (!lists || !any || lists.length === 0 || !pending) return undefined;
    const found = new Set([...lists.reduce(intersection), ...any]);
    return found.size <= maxItems ? found.union(new Set(pending)) : undefined;
  };
  if (grams.size === 0) return within(await pairList(on, texts, pairs[0] as number, most, mostPending), maxRows);
  const lookups = spread([...grams]);
  const rarest = (reading: typeof fewLists) => rarestLists(on, texts, lookups, most, mostPending, reading);
  const few = within(await rarest(fewLists), Math.min(fewCandidates, maxRows));
  return few ?? within(await rarest({ lists: maxRead, chunks: chunksOf(most) }), maxRows);
}

/** Ascending numbers of rows: of some trigrams; of `anyGram`; those that the index does not have yet. Undefined: too many. */
type FoundRows = { lists: number[][]; any: number[] | undefined; pending: number[] | undefined };

/**
 * SQL for what the index does not have yet, as rows without a trigram, at most as many as the parameter says: with an empty
 * text, and one with null for an index that there is.
 */
const pendingSql = (name: string, { state }: Texts, most: string): string =>
  `SELECT NULL, indexed_to, NULL FROM ${state} UNION ALL SELECT NULL, id, '' FROM
     (SELECT id FROM ${name} WHERE id > (SELECT indexed_to FROM ${state}) ORDER BY id LIMIT ${most}) AS pending`;

/** The same out of the rows; undefined without an index. */
function pendingOf(rows: readonly Row[], most: number): number[] | undefined {
  const ids = rows.filter(([, , rest]) => rest !== null).map(([, id]) => id as number);
  return ids.length === rows.length || ids.length > most ? undefined : ids;
}

/**
 * The items of the rarest trigrams, as far as reading them costs less than testing the rows, and of `anyGram`; a list is
 * missing when it is longer than `maxLength`.
 */
async function rarestLists(
  { sql, table }: TextReading,
  texts: Texts,
  grams: readonly number[],
  maxLength: number,
  mostPending: number,
  { lists, chunks: most }: typeof fewLists,
): Promise<FoundRows> {
  const size = lookupSizes.find((most) => grams.length <= most) ?? maxLookups;
  // One statement for each size stays prepared: unused parameters repeat the first trigram.
  const places = Array.from({ length: size }, (_, i) => grams[i] ?? (grams[0] as number));
  const text = `${rarestSql(texts, size)} UNION ALL ${pendingSql(table.name, texts, "?3")}`;
  const rows = await sql.rows(text, maxLength, most, mostPending + 1, lists + 1, ...places);
  const chunks = Map.groupBy(rows, ([gram]) => gram);
  const pending = pendingOf(chunks.get(null) ?? [], mostPending);
  const any = chunks.get(anyGram);
  chunks.delete(null);
  chunks.delete(anyGram);
  return { lists: [...chunks.values()].map(itemsOf), any: any && itemsOf(any), pending };
}

/** More chunks have more items than that: those of level 1 are long, but for the last one of each trigram. */
const chunksOf = (maxLength: number): number => 100 + Math.floor(maxLength / 400);

/** The same for all trigrams that begin with a pair; undefined when their lists are longer. */
async function pairList(
  { sql, table }: TextReading,
  texts: Texts,
  pair: number,
  maxLength: number,
  mostPending: number,
): Promise<FoundRows | undefined> {
  const { grams } = texts;
  const isOf = "level IN (0, 1) AND (gram >= ?1 AND gram < ?2)";
  const maxChunks = chunksOf(maxLength);
  const rows = await sql.rows(
    `SELECT gram, first, rest FROM (SELECT gram, first, rest FROM ${grams} WHERE ${isOf} LIMIT ?3) AS of_pair
     UNION ALL SELECT gram, first, rest FROM ${grams} WHERE level IN (0, 1) AND gram = ${anyGram}
     UNION ALL ${pendingSql(table.name, texts, "?4")}`,
    pair,
    pair + gramsOfPair,
    maxChunks,
    mostPending + 1,
  );
  const found = Map.groupBy(rows, ([gram]) => (gram === null || gram === anyGram ? gram : pair));
  const chunks = found.get(pair) ?? [];
  const length = chunks.reduce((sum, [, , rest]) => sum + (rest as string).length + 1, 0);
  if (chunks.length === maxChunks || length > maxLength) return undefined;
  return {
    lists: [itemsOf(chunks)],
    any: itemsOf(found.get(anyGram) ?? []),
    pending: pendingOf(found.get(null) ?? [], mostPending),
  };
}

/** A trigram without items has one row, without a chunk. */
const itemsOf = (rows: readonly Row[]): number[] =>
  ascending(rows.flatMap(([, first, rest]) => (first === null ? [] : readChunk(first as number, rest as string))));

/** Numbers of trigrams that have a statement. */
const lookupSizes = [8, 16, maxLookups];

/**
 * SQL for the chunks of the rarest trigrams and of `anyGram`. ?1 is the greatest length of a list, ?2 the number of chunks
 * that it has not, ?4 how many are read; the trigrams are from ?5 on.
 */
function rarestSql({ grams }: Texts, size: number): string {
  const given = Array.from({ length: size }, (_, i) => `(?${i + 5})`).join(", ");
  const isChunk = (gram: string) => `level IN (0, 1) AND chunk.gram = ${gram}`;
  const chunks = `SELECT octet_length(rest) + 1 AS length FROM ${grams} AS chunk WHERE ${isChunk("given.gram")} LIMIT ?2`;
  const leastLength = `(SELECT min(length) FROM sized WHERE gram <> ${anyGram})`;
  return `WITH given (gram) AS (SELECT DISTINCT * FROM (VALUES (CAST(${anyGram} AS BIGINT)), ${given}) AS every),
    sized AS MATERIALIZED (
      SELECT gram, (SELECT CASE WHEN count(*) < ?2 THEN coalesce(sum(length), 0) END FROM (${chunks}) AS few) AS length
      FROM given
    )
    SELECT chosen.gram, first, rest FROM (
      SELECT gram FROM sized
      WHERE length <= ?1 AND (gram = ${anyGram} OR length <= 2 * ${leastLength} + ${shortList})
      ORDER BY gram <> ${anyGram}, length LIMIT ?4
    ) AS chosen LEFT JOIN ${grams} AS chunk ON ${isChunk("chosen.gram")}`;
}

/** The numbers that are in both, which are ascending. */
function intersection(one: readonly number[], other: readonly number[]): number[] {
  const both: number[] = [];
  let at = 0;
  for (const item of one) {
    while (at < other.length && (other[at] as number) < item) at++;
    if (other[at] === item) both.push(item);
  }
  return both;
}

function spread(grams: number[]): number[] {
  const step = Math.ceil(grams.length / maxLookups);
  return grams.filter((_, i) => i % step === 0);
}
