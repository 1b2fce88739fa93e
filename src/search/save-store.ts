import type { Writing } from "../core/sql/noun.ts";
import { insertRows, type TransactionSql, updateRows, type Value } from "../core/sql/sql.ts";
import { bucketOf } from "./bucket.ts";
import { wordOf } from "./form.ts";
import { appended, type Chunk } from "./posting.ts";
import type { Prepared, PreparedList } from "./prepare-store.ts";
import { placeOf, searchState } from "./state-store.ts";
import { nameOf } from "./way.ts";

/** The second half of indexing: writes what a reader prepared. */

const insertDocuments = insertRows(
  "search_document",
  ["number", "uuid", "entry", "parent", "type", "fieldset", "published_at", "shelf"],
  ["integer", "text", "integer", "integer", "text", "text", "integer", "text"],
);

export const putChunks = insertRows(
  "search_posting",
  ["shelf", "word", "field", "first", "last", "count", "rest"],
  ["text", "text", "integer", "integer", "integer", "integer", "text"],
  "ON CONFLICT (shelf, word, field, first) DO UPDATE SET last = excluded.last, count = excluded.count, rest = excluded.rest",
);

const endDocuments = updateRows("search_document", "ended = ?2", "number = ?1", ["integer", "integer"]);

/** Answers false where the index is not any more where it was when this was prepared. */
export async function saveSearch({ index: { sql } }: Writing, prepared: Prepared): Promise<boolean> {
  const { way, from, to, log, uuids, documents, lists } = prepared;
  // One writer of the index at a time.
  sql.lockTexts();
  const now = await searchState(sql, way);
  if (placeOf(now) !== from) return false;
  const { isVoid } = now;
  if (isVoid) await empty(sql);
  const first = now.documents + 1;
  const ended = isVoid ? now.ended : await end(sql, uuids, now.ended);
  sql.later(
    insertDocuments,
    documents.map((each, i) => [
      first + i,
      each.uuid,
      each.entry,
      each.parent,
      each.type,
      each.fieldset,
      each.publishedAt,
      each.shelf,
    ]),
  );
  await addLists(sql, lists, first);
  await sql.run(
    `UPDATE search_state SET sequence = ?1, uuid = ?2, built_to = ?3, documents = ?4, ended = ?5, log = ?6, way = ?7,
       base = ?8, types = ?9, typed_to = ?10, swept = ?11, kept = ?12, sweep_end = ?13`,
    to.sequence,
    to.uuid,
    to.builtTo,
    now.documents + documents.length,
    ended,
    log,
    nameOf(way),
    isVoid ? now.documents : now.base,
    to.types,
    to.typedTo,
    isVoid ? ended : now.swept,
    (isVoid ? 0 : now.kept) + documents.length,
    isVoid ? null : now.sweepEnd,
  );
  return true;
}

/** Numbers of documents are never given again: a reader may know the old ones. */
async function empty(sql: TransactionSql): Promise<void> {
  for (const table of ["document", "posting", "word", "stem"]) await sql.run(`DELETE FROM search_${table}`);
}

/** Ends the documents of entries; answers how many have ended in all. */
async function end(sql: TransactionSql, uuids: readonly string[], before: number): Promise<number> {
  const keys = uuids.map((uuid) => [uuid]);
  const text = "SELECT number FROM search_document WHERE uuid = ?1 AND ended IS NULL";
  const rows = (await sql.rowsAll(text, keys, ["text"])).flat();
  sql.later(
    endDocuments,
    rows.map(([number], i) => [number as number, before + 1 + i]),
  );
  return before + rows.length;
}

const lastChunk = `SELECT first, last, count, rest FROM search_posting
  WHERE shelf = ?1 AND word = ?2 AND field = ?3 ORDER BY first DESC LIMIT 1`;

async function addLists(sql: TransactionSql, lists: readonly PreparedList[], first: number): Promise<void> {
  const fields = await fieldNumbers(sql, lists);
  const fieldOf = ({ field, language }: PreparedList) => fields.get(`${field}\0${language}`) as number;
  const keys = lists.map((list) => [list.shelf, list.word, fieldOf(list)]);
  const found = await sql.rowsAll(lastChunk, keys, ["text", "text", "integer"]);
  const rows: Value[][] = [];
  const fresh: PreparedList[] = [];
  for (const [i, list] of lists.entries()) {
    const [row] = found[i] ?? [];
    if (!row) fresh.push(list);
    const last = row && toChunk(row as unknown as ChunkRow);
    const postings = list.postings.map(([document, places]) => [first + document, places] as const);
    for (const chunk of appended(last, postings))
      rows.push([list.shelf, list.word, fieldOf(list), chunk.first, chunk.last, chunk.count, chunk.rest]);
  }
  sql.later(putChunks, rows);
  const words = fresh.flatMap(({ shelf, word: form }) => {
    const word = wordOf(form);
    const bucket = bucketOf(word);
    return bucket === undefined ? [] : [[shelf, bucket, word] as const];
  });
  await addWords(sql, "search_word", "bucket", words);
  const stems = fresh.flatMap(({ shelf, word, language, stem }) =>
    stem === word ? [] : [[shelf, `${language} ${stem}`, word] as const],
  );
  await addWords(sql, "search_stem", "stem", stems);
}

type ChunkRow = [number, number, number, string];
const toChunk = ([first, last, count, rest]: ChunkRow): Chunk => ({ first, last, count, rest });

/** The numbers of fields in languages; makes those that are new. */
async function fieldNumbers(sql: TransactionSql, lists: readonly PreparedList[]): Promise<ReadonlyMap<string, number>> {
  const names = [...new Set(lists.map(({ field, language }) => `${field}\0${language}`))];
  const keys = names.map((name) => name.split("\0"));
  const text = "SELECT id FROM search_field WHERE name = ?1 AND language = ?2";
  const numbers = new Map<string, number>();
  const missing: string[][] = [];
  for (const [i, rows] of (await sql.rowsAll(text, keys, ["text", "text"])).entries()) {
    const [id] = rows[0] ?? [];
    if (id === undefined) missing.push(keys[i] as string[]);
    else numbers.set(names[i] as string, id as number);
  }
  for (const [name = "", language = ""] of missing) {
    const [row] = await sql.rows(
      "INSERT INTO search_field (name, language) VALUES (?1, ?2) RETURNING id",
      name,
      language,
    );
    numbers.set(`${name}\0${language}`, row?.[0] as number);
  }
  return numbers;
}

/** Adds words to the lists of words under these keys. */
async function addWords(
  sql: TransactionSql,
  table: "search_word" | "search_stem",
  column: string,
  words: readonly (readonly [shelf: string, key: string, word: string])[],
): Promise<void> {
  const groups = Map.groupBy(words, ([shelf, key]) => `${shelf}\0${key}`);
  const keys = [...groups.keys()].map((name) => name.split("\0"));
  const text = `SELECT words FROM ${table} WHERE shelf = ?1 AND ${column} = ?2`;
  const found = await sql.rowsAll(text, keys, ["text", "text"]);
  const rows: Value[][] = [];
  for (const [i, [name, own]] of [...groups].entries()) {
    const [before = ""] = (found[i]?.[0] ?? []) as [string?];
    const has = new Set(before === "" ? [] : before.split(" "));
    const size = has.size;
    for (const [, , word] of own) has.add(word);
    if (has.size > size) rows.push([...name.split("\0"), [...has].join(" ")]);
  }
  const write = insertRows(
    table,
    ["shelf", column, "words"],
    ["text", "text", "text"],
    `ON CONFLICT (shelf, ${column}) DO UPDATE SET words = excluded.words`,
  );
  sql.later(write, rows);
}
