import type { Sql, Value } from "../sql.ts";

/**
 * Posting lists: which items have a trigram, as ascending numbers in chunks. The row of a chunk is (gram, first, rest);
 * each item is in the chunk with the greatest `first` that is not above it.
 */

/** A row with a longer text would be continued on another page of SQLite. */
const maxRest = 800;

/** The numbers after the first one as the distances between them, in base 32, least digit first; the last one is a letter. */
const digits = "0123456789abcdefghijklmnopqrstuv";
const lastDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_!#";
const digitOf = new Uint8Array(128);
for (let i = 0; i < 32; i++) {
  digitOf[digits.charCodeAt(i)] = i;
  digitOf[lastDigits.charCodeAt(i)] = i | 32;
}

/** The numbers of a chunk. */
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

function formatStep(step: number): string {
  let text = "";
  let left = step;
  for (; left > 31; left = Math.floor(left / 32)) text += digits[left % 32];
  return text + lastDigits[left];
}

type Chunk = [first: number, rest: string];

/** Chunks of ascending numbers. */
export function toChunks(items: readonly number[]): Chunk[] {
  const chunks: Chunk[] = [];
  let last = 0;
  for (const item of items) {
    const chunk = chunks.at(-1);
    if (chunk && chunk[1].length < maxRest) chunk[1] += formatStep(item - last);
    else chunks.push([item, ""]);
    last = item;
  }
  return chunks;
}

/** The chunk that has an item if one has, and the one after it. */
const chunkSql = (table: string): string =>
  `SELECT first, rest FROM ${table} WHERE gram = ?1
     AND first >= coalesce((SELECT max(first) FROM ${table} WHERE gram = ?1 AND first <= ?2), ?2) ORDER BY first LIMIT 2`;

/** Chunks looked up, and written, by one statement. */
const maxSets = 5000;

/** Adds items to the posting lists of trigrams; the items of each are ascending. */
export async function addPostings(sql: Sql, table: string, postings: ReadonlyMap<number, readonly number[]>) {
  let left = [...postings];
  while (left.length > 0) {
    const now = left.splice(0, maxSets);
    left = left.concat(await addSome(sql, table, now));
  }
}

/** Answers what belongs to later chunks. */
async function addSome(
  sql: Sql,
  table: string,
  postings: [gram: number, items: readonly number[]][],
): Promise<typeof postings> {
  const sets = postings.map(([gram, items]) => [gram, items[0] as number]);
  const found = await sql.rowsAll(chunkSql(table), sets, ["integer", "integer"]);
  const rows: Value[][] = [];
  const later: typeof postings = [];
  for (const [i, [gram, items]] of postings.entries()) {
    const chunks = (found[i] ?? []) as unknown as readonly Chunk[];
    const held = chunks.find(([first]) => first <= (items[0] as number));
    const next = chunks.find(([first]) => first > (items[0] as number))?.[0] ?? Number.POSITIVE_INFINITY;
    const own = items.filter((item) => item < next);
    if (own.length < items.length) later.push([gram, items.slice(own.length)]);
    const old = held ? readChunk(...held) : [];
    const all = merge(old, own);
    if (all.length > old.length)
      for (const chunk of toChunks(all))
        if (chunk[1] !== held?.[1] || chunk[0] !== held[0]) rows.push([gram, ...chunk]);
  }
  const text = `INSERT INTO ${table} (gram, first, rest) VALUES (?1, ?2, ?3)
    ON CONFLICT (gram, first) DO UPDATE SET rest = excluded.rest`;
  await sql.runAll(text, rows, ["integer", "integer", "text"]);
  return later;
}

/** The ascending numbers of both. */
function merge(old: number[], added: readonly number[]): number[] {
  if (old.length === 0 || (old.at(-1) as number) < (added[0] as number)) return [...old, ...added];
  return [...new Set([...old, ...added])].sort((a, b) => a - b);
}

/** The items of posting lists; of those between two numbers none is missing. One answer for each trigram. */
export async function readPostings(
  sql: Sql,
  table: string,
  grams: readonly number[],
  from: number,
  to: number,
): Promise<Set<number>[]> {
  const text = `SELECT first, rest FROM ${table} WHERE gram = ?1 AND first <= ?3
    AND first >= coalesce((SELECT max(first) FROM ${table} WHERE gram = ?1 AND first <= ?2), ?2)`;
  const sets = grams.map((gram) => [gram, from, to]);
  const found = await sql.rowsAll(text, sets, ["integer", "integer", "integer"]);
  return found.map((rows) => new Set(rows.flatMap(([first, rest]) => readChunk(first as number, rest as string))));
}
