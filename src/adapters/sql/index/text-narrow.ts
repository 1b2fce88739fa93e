import type { Condition } from "../../../domain/filter.ts";
import type { Find } from "../../../domain/find.ts";
import type { TableReading } from "../noun.ts";
import type { Row } from "../sql.ts";
import { anyGram, gramsOfPart, gramsOfWord } from "./gram.ts";
import { ascending, readChunk } from "./posting.ts";
import type { Texts } from "./table.ts";
import { pendingItems } from "./text.ts";

/** Which rows can match texts, by the text index. The answer is a superset: the domain decides. */

/** What may be read of posting lists. */
export type TextBudget = {
  /** Characters of each, which is about the number of its items. */
  length: number;
  /** The share of all rows that a trigram may have: a walk soon meets those that more have. */
  share: number;
  /** Rows that the lists leave. The database tests them without reading them here. */
  rows: number;
};

/** The trigrams of a long text that are looked up, at equal distances. */
const maxLookups = 32;
/** Of these the rarest are read. */
const maxRead = 6;
/** A shorter list is read whatever its share. */
const shortList = 1000;

/** More pending rows are not kept in memory. */
const mostKept = 2000;

/** Trigrams of what must be part of a client's text for the condition; none where that is not known. */
export function gramsOfCondition(on: TableReading, { key, operator, value }: Condition): Set<number> {
  const isSubstring = operator === "contains" || operator === "ends_with";
  if (!isSubstring || typeof value !== "string" || on.table.fieldColumns.has(key)) return new Set();
  return gramsOfPart(value);
}

/** Trigrams that each match of a search has. */
export const gramsOfSearch = ({ words }: Find): Set<number> => new Set(words.flatMap((word) => [...gramsOfWord(word)]));

/** Numbers of the rows that may have all of these trigrams; undefined when the index cannot narrow them to `maxRows`. */
export async function itemsWithGrams(
  on: TableReading,
  grams: ReadonlySet<number>,
  maxRows: number,
  budget: TextBudget,
): Promise<Set<number> | undefined> {
  const { texts } = on.table;
  if (!texts || grams.size === 0) return undefined;
  // Before the posting lists: what is indexed meanwhile is in one of the two at least.
  const mostPending = Math.max(maxRows, 2 * pendingItems);
  const find = () => findPending(on, texts, mostPending);
  const pending = await (mostPending > mostKept ? find() : on.known(`pending ${texts.state} ${mostPending}`, find));
  if (!pending) return undefined;
  const most = Math.min(budget.length, shortList + Math.floor(pending.indexedTo * budget.share));
  const lists = await rarest(on, texts, spread([...grams]), most);
  if (!lists) return undefined;
  const [any, ...read] = await readLists(on, texts, [anyGram, ...lists], pending.indexedTo);
  if (!any) return undefined;
  const found = new Set([...read.reduce(intersection), ...any]);
  return found.size <= maxRows ? found.union(new Set(pending.ids)) : undefined;
}

type Pending = { indexedTo: number; ids: number[] };

/** Rows that the index does not have yet; undefined when they are too many, and when there is no index. */
async function findPending({ sql, table }: TableReading, { state }: Texts, most: number): Promise<Pending | undefined> {
  const rows = await sql.rows(
    `SELECT 1, indexed_to FROM ${state} UNION ALL SELECT 0, id FROM
       (SELECT id FROM ${table.name} WHERE id > (SELECT indexed_to FROM ${state}) ORDER BY id LIMIT ?1) AS pending`,
    most + 1,
  );
  const head = rows.find(([isState]) => isState === 1);
  if (!head || rows.length > most + 1) return undefined;
  const ids = rows.filter(([isState]) => isState === 0).map(([, id]) => id as number);
  return { indexedTo: head[1] as number, ids };
}

/**
 * The rarest trigrams, as far as reading them costs less than testing the rows; undefined when each is longer than this,
 * or what may match any text is.
 */
async function rarest({ sql }: TableReading, texts: Texts, grams: number[], maxLength: number) {
  // Chunks of level 1 are long, but for the last one of each trigram.
  const text = `SELECT coalesce(sum(length(rest) + 1), 0), count(*) FROM
    (SELECT rest FROM ${texts.grams} WHERE level IN (0, 1) AND gram = ?1 LIMIT ?2) AS few`;
  const maxChunks = 100 + Math.floor(maxLength / 400);
  const all = [anyGram, ...grams];
  const sets = all.map((gram) => [gram, maxChunks]);
  const found = await sql.rowsAll(text, sets, ["integer", "integer"]);
  const [any, ...few] = all
    .map((gram, i) => ({ gram, length: found[i]?.[0]?.[0] as number, chunks: found[i]?.[0]?.[1] as number }))
    .filter(({ length, chunks }) => length <= maxLength && chunks < maxChunks);
  if (any?.gram !== anyGram || few.length === 0) return undefined;
  few.sort((a, b) => a.length - b.length);
  const most = 2 * (few[0]?.length as number) + shortList;
  return few
    .filter(({ length }) => length <= most)
    .slice(0, maxRead)
    .map(({ gram }) => gram);
}

/** The ascending items of posting lists; no lists when the index was emptied since its state was read. */
async function readLists({ sql }: TableReading, { grams, state }: Texts, lists: number[], indexedTo: number) {
  const text = `SELECT first, rest FROM ${grams} WHERE level IN (0, 1) AND gram = ?1 UNION ALL SELECT indexed_to, NULL FROM ${state}`;
  const sets = lists.map((gram) => [gram]);
  const found = await sql.rowsAll(text, sets, ["integer"]);
  const isSame = (rows: Row[]) => rows.some(([to, rest]) => rest === null && (to as number) >= indexedTo);
  if (!found.every(isSame)) return [];
  return found.map((rows) => {
    const chunks = rows.filter(([, rest]) => rest !== null) as unknown as [first: number, rest: string][];
    return ascending(chunks.flatMap((chunk) => readChunk(...chunk)));
  });
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
