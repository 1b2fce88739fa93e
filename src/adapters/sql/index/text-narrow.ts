import type { Condition } from "../../../domain/filter.ts";
import type { Find } from "../../../domain/find.ts";
import type { TableReading } from "../noun.ts";
import type { Row } from "../sql.ts";
import { anyGram, gramsOfPart, gramsOfWord } from "./gram.ts";
import { readChunk } from "./posting.ts";
import type { Texts } from "./table.ts";

/** Which rows can match texts, by the text index. The answer is a superset: the domain decides. */

/** The trigrams of a long text that are looked up, at equal distances. */
const maxLookups = 32;
/** The rarest trigrams, whose items are read. */
const maxRead = 4;

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
): Promise<Set<number> | undefined> {
  const { texts } = on.table;
  if (!texts || grams.size === 0) return undefined;
  // Before the posting lists: what is indexed meanwhile is in one of the two at least.
  const pending = await findPending(on, texts, maxRows);
  if (!pending) return undefined;
  const lists = await rarest(on, texts, spread([...grams]), Math.min(256, Math.max(32, Math.floor(maxRows / 50))));
  if (!lists) return undefined;
  const [any, ...read] = await readLists(on, texts, [anyGram, ...lists], pending.indexedTo);
  if (!any) return undefined;
  const found = read.reduce((all, list) => all.intersection(list)).union(any);
  for (const id of pending.ids) found.add(id);
  return found.size <= maxRows ? found : undefined;
}

type Pending = { indexedTo: number; ids: number[] };

/** Rows that the index does not have yet; undefined when they are too many, and when there is no index. */
async function findPending(
  { sql, table }: TableReading,
  { state }: Texts,
  maxRows: number,
): Promise<Pending | undefined> {
  const rows = await sql.rows(
    `SELECT 1, indexed_to FROM ${state} UNION ALL SELECT 0, id FROM
       (SELECT id FROM ${table.name} WHERE id > (SELECT indexed_to FROM ${state}) ORDER BY id LIMIT ?1) AS pending`,
    maxRows + 1,
  );
  const head = rows.find(([isState]) => isState === 1);
  if (!head || rows.length > maxRows + 1) return undefined;
  const ids = rows.filter(([isState]) => isState === 0).map(([, id]) => id as number);
  return { indexedTo: head[1] as number, ids };
}

/** The trigrams with the fewest chunks; undefined when each has more than `maxChunks`, or those that may match any text. */
async function rarest({ sql }: TableReading, { grams: table }: Texts, grams: number[], maxChunks: number) {
  const text = `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE gram = ?1 LIMIT ?2) AS few`;
  const all = [anyGram, ...grams];
  const counts = await sql.rowsAll(
    text,
    all.map((gram) => [gram, maxChunks + 1]),
    ["integer", "integer"],
  );
  const [any, ...few] = all
    .map((gram, i) => ({ gram, count: counts[i]?.[0]?.[0] as number }))
    .filter(({ count }) => count <= maxChunks);
  if (any?.gram !== anyGram || few.length === 0) return undefined;
  return few
    .sort((a, b) => a.count - b.count)
    .slice(0, maxRead)
    .map(({ gram }) => gram);
}

/** The items of posting lists; empty when the index was emptied since its state was read. */
async function readLists({ sql }: TableReading, { grams, state }: Texts, lists: number[], indexedTo: number) {
  const text = `SELECT first, rest FROM ${grams} WHERE gram = ?1 UNION ALL SELECT indexed_to, NULL FROM ${state}`;
  const found = await sql.rowsAll(
    text,
    lists.map((gram) => [gram]),
    ["integer"],
  );
  const isSame = (rows: Row[]) => rows.some(([to, rest]) => rest === null && (to as number) >= indexedTo);
  if (!found.every(isSame)) return [];
  return found.map(
    (rows) =>
      new Set(rows.flatMap(([first, rest]) => (rest === null ? [] : readChunk(first as number, rest as string)))),
  );
}

function spread(grams: number[]): number[] {
  const step = Math.ceil(grams.length / maxLookups);
  return grams.filter((_, i) => i % step === 0);
}
