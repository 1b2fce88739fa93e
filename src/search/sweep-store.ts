import type { Scanning, Writing } from "../core/sql/noun.ts";
import { deleteRows, type Row, type Sql, type Value } from "../core/sql/sql.ts";
import { columnsOf } from "./columns-store.ts";
import { type Chunk, emptyAt, maxRest, type Posting, postingsOf, withPostings } from "./posting.ts";
import { putChunks } from "./save-store.ts";
import { placeOf, type SearchState, searchState } from "./state-store.ts";
import type { Way } from "./way.ts";

/**
 * Takes documents that have ended out of the posting lists, which otherwise only grow, then removes their rows. A pass is made
 * when many have ended, some rows at a time, and goes on where it was. Its end is fixed when it begins: what ends later is the
 * next one's. Until their rows are gone, who searches knows by these that they have ended; see `Columns`.
 */

export type Swept = {
  way: Way;
  from: string;
  sweepEnd: number | null;
  sweepAt: string;
  swept: number;
  /** By the key of their rows. */
  put: Value[][];
  drop: Value[][];
};

/** The place after all lists. */
const allLists = "all";
/** Rows of lists that are looked at together, and documents that are removed. */
const maxChunks = 512;
const maxRemoved = 4096;

/** Nothing is to be swept where fewer than `least` have ended, or than a quarter, or the index is being built. */
export const isSweepDue = async (sql: Pick<Sql, "row">, way: Way, least: number): Promise<boolean> =>
  isDue(await searchState(sql, way), least);

function isDue({ isVoid, builtTo, ended, swept, kept, sweepEnd }: SearchState, least: number): boolean {
  if (isVoid || builtTo !== null) return false;
  return sweepEnd !== null || (ended - swept >= least && 4 * (ended - swept) > kept);
}

/** Undefined where nothing is to be swept. */
export async function prepareSweep(on: Scanning, way: Way, least: number): Promise<Swept | undefined> {
  const state = await searchState(on.sql, way);
  if (!isDue(state, least)) return undefined;
  const begun = { way, from: placeOf(state), sweepEnd: state.sweepEnd ?? state.ended, swept: state.swept };
  const sweepAt = state.sweepEnd === null ? "" : state.sweepAt;
  if (sweepAt !== allLists) return { ...begun, ...(await sweptLists(on, state, begun.sweepEnd, sweepAt)) };
  const swept = Math.min(begun.swept + maxRemoved, begun.sweepEnd);
  return { ...begun, swept, sweepEnd: swept === begun.sweepEnd ? null : begun.sweepEnd, sweepAt, put: [], drop: [] };
}

type Key = readonly [shelf: string, word: string, field: number, first: number];
const keyOf = (row: Row): Key => row.slice(0, 4) as unknown as Key;
const select = "SELECT shelf, word, field, first, last, count, rest FROM search_posting";
const inOrder = `ORDER BY shelf, word, field, first LIMIT ${maxChunks}`;

async function sweptLists(on: Scanning, state: SearchState, end: number, at: string) {
  const after = at === "" ? [] : (JSON.parse(at) as Value[]);
  const where = at === "" ? "" : "WHERE (shelf, word, field, first) > (?1, ?2, ?3, ?4)";
  const rows = await on.sql.rows(`${select} ${where} ${inOrder}`, ...after);
  const columns = await columnsOf(on, state);
  const hasGone = (document: number) => columns.endOf(document) <= end;
  const put: Value[][] = [];
  const drop: Value[][] = [];
  const lists = Map.groupBy(rows, ([shelf, word, field]) => `${shelf}\0${word}\0${field}`);
  for (const list of lists.values()) {
    const [shelf, word, field] = keyOf(list[0] as Row);
    const chunks = list.map(([, , , first, last, count, rest]) => ({ first, last, count, rest }) as Chunk);
    const left = withoutGone(chunks, hasGone);
    for (const { chunk, isNew } of left)
      if (isNew) put.push([shelf, word, field, chunk.first, chunk.last, chunk.count, chunk.rest]);
    const kept = new Set(left.map(({ chunk }) => chunk.first));
    for (const { first } of chunks) if (!kept.has(first)) drop.push([shelf, word, field, first]);
  }
  const isAll = rows.length < maxChunks;
  return { put, drop, sweepAt: isAll ? allLists : JSON.stringify(keyOf(rows.at(-1) as Row)) };
}

/** The chunks of a list without these documents; what is left of one joins the one before where it fits. Keys stay. */
function withoutGone(
  chunks: readonly Chunk[],
  hasGone: (document: number) => boolean,
): { chunk: Chunk; isNew: boolean }[] {
  const left: { chunk: Chunk; isNew: boolean }[] = [];
  for (const chunk of chunks) {
    const all = postingsOf(chunk);
    const own: Posting[] = all.filter(([document]) => !hasGone(document));
    const isNew = own.length < all.length;
    if (own.length === 0) continue;
    const before = left.at(-1);
    if (before && (isNew || before.isNew) && before.chunk.rest.length + chunk.rest.length <= maxRest)
      left[left.length - 1] = { chunk: withPostings(before.chunk, own), isNew: true };
    else if (isNew) left.push({ chunk: withPostings(emptyAt(chunk.first), own), isNew });
    else left.push({ chunk, isNew });
  }
  return left;
}

const dropChunks = deleteRows("search_posting", "shelf = ?1 AND word = ?2 AND field = ?3 AND first = ?4", [
  "text",
  "text",
  "integer",
  "integer",
]);

/** Does nothing where the index is not any more where it was when this was prepared. */
export async function saveSweep({ index: { sql } }: Writing, prepared: Swept): Promise<void> {
  const { way, from, sweepEnd, sweepAt, swept, put, drop } = prepared;
  // One writer of the index at a time.
  sql.lockTexts();
  const now = await searchState(sql, way);
  if (placeOf(now) !== from) return;
  sql.later(dropChunks, drop);
  sql.later(putChunks, put);
  const removed = await sql.run("DELETE FROM search_document WHERE ended > ?1 AND ended <= ?2", now.swept, swept);
  await sql.run(
    "UPDATE search_state SET sweep_end = ?1, sweep_at = ?2, swept = ?3, kept = ?4",
    sweepEnd,
    sweepAt,
    swept,
    now.kept - removed,
  );
}
