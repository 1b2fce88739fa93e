import type { Scanning } from "../core/sql/noun.ts";
import type { ReadSql, Row } from "../core/sql/sql.ts";
import { grown } from "./grown.ts";
import type { SearchState } from "./state-store.ts";

/** A key of the data, and the language that its texts are written in. */
export type Field = { readonly key: string; readonly language: string };

/**
 * What ranks and scopes look at of each document, in memory: a search meets thousands of documents, and reads a few. A document
 * never changes, so only what is new and what has ended is read again. About 40 bytes a document in each thread that searches.
 */
export class Columns {
  private size = 0;
  private known = 0;
  private ended: number;
  private entries = new Float64Array(0);
  private parents = new Float64Array(0);
  private moments = new Float64Array(0);
  private types = new Int32Array(0);
  private ends = new Float64Array(0);
  private shelves = new Int32Array(0);
  /** Types and shelves by number. */
  private readonly names: string[] = [];
  private readonly numbers = new Map<string, number>();
  /** The fields of postings, which never change. */
  readonly fields = new Map<number, Field>();
  private reading: Promise<void> = Promise.resolve();
  /** Of the state that they were first read in: what had gone before is not there. */
  private readonly base: number;
  private readonly swept: number;

  constructor({ base, swept }: SearchState) {
    this.base = base;
    this.swept = swept;
    this.ended = swept;
  }

  /** False for a state of which documents are missing here, and for one in which rows are gone whose end is unknown here. */
  fits(state: SearchState): boolean {
    return this.base <= state.base && this.swept <= state.ended && state.swept <= this.ended;
  }

  /** Reads what is new in this state. */
  refresh(sql: Pick<ReadSql, "rows">, state: SearchState): Promise<void> {
    const read = this.reading.then(() => this.read(sql, state));
    this.reading = read.catch(() => undefined);
    return read;
  }

  entryOf(document: number): number {
    return this.entries[document] as number;
  }

  parentOf(document: number): number {
    return this.parents[document] as number;
  }

  /** When it was published, in seconds. */
  publishedAt(document: number): number {
    return this.moments[document] as number;
  }

  /** The id of its type; "" for none. */
  typeOf(document: number): string {
    return this.names[this.types[document] as number] as string;
  }

  /** The same number for the same type. */
  typeNumberOf(document: number): number {
    return this.types[document] as number;
  }

  shelfOf(document: number): string {
    return this.names[this.shelves[document] as number] as string;
  }

  /** The documents that hold in this state. */
  *all(state: SearchState): Generator<number> {
    for (let document = state.base + 1; document <= state.documents; document++)
      if (this.holds(document, state)) yield document;
  }

  /** False for a document that has ended in this state. Another read may know of a newer one. */
  holds(document: number, { base, ended }: Pick<SearchState, "base" | "ended">): boolean {
    return document > base && (this.ends[document] as number) > ended;
  }

  /** True where it knows of more than this state, so that others may use it after it. */
  isNewer(state: SearchState): boolean {
    return this.base > state.base || this.swept > state.ended;
  }

  /** As how manieth it has ended, as far as is known; Infinity for one that holds, 0 for one whose row is gone. */
  endOf(document: number): number {
    return this.ends[document] as number;
  }

  /** Makes the fields with these numbers known. */
  async readFields(sql: Pick<ReadSql, "rowsAll">, numbers: Iterable<number>): Promise<void> {
    const missing = [...new Set(numbers)].filter((number) => !this.fields.has(number));
    if (missing.length === 0) return;
    const keys = missing.map((number) => [number]);
    const text = "SELECT id, name, language FROM search_field WHERE id = ?1";
    for (const [id, key, language] of (await sql.rowsAll(text, keys, ["integer"])).flat())
      this.fields.set(id as number, { key: key as string, language: language as string });
  }

  private async read(sql: Pick<ReadSql, "rows">, state: SearchState): Promise<void> {
    this.grow(state.documents + 1);
    for (let isLast = this.known >= state.documents; !isLast; ) {
      const rows = await sql.rows(newRows, this.known, state.documents, rowsAtOnce);
      for (const row of rows) this.add(row);
      isLast = rows.length < rowsAtOnce;
      if (isLast) this.known = state.documents;
    }
    if (this.ended < state.ended) {
      for (const [number, ended] of await sql.rows(endedRows, this.ended, state.ended))
        this.ends[number as number] = ended as number;
      this.ended = state.ended;
    }
  }

  private add(row: Row): void {
    const [number, entry, parent, type, publishedAt, shelf] = row as [number, number, number, string, number, string];
    this.entries[number] = entry;
    this.parents[number] = parent;
    this.moments[number] = publishedAt;
    this.types[number] = this.numberOf(type);
    this.shelves[number] = this.numberOf(shelf);
    this.ends[number] = Number.POSITIVE_INFINITY;
    this.known = number;
  }

  private numberOf(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    this.numbers.set(name, this.names.length);
    return this.names.push(name) - 1;
  }

  private grow(size: number): void {
    if (size <= this.size) return;
    this.size = Math.ceil(size * 1.2) + 1024;
    this.entries = grown(this.entries, new Float64Array(this.size));
    this.parents = grown(this.parents, new Float64Array(this.size));
    this.moments = grown(this.moments, new Float64Array(this.size));
    this.types = grown(this.types, new Int32Array(this.size));
    this.shelves = grown(this.shelves, new Int32Array(this.size));
    this.ends = grown(this.ends, new Float64Array(this.size));
  }
}

const rowsAtOnce = 10_000;
const newRows = `SELECT number, entry, parent, type, published_at, shelf FROM search_document
  WHERE number > ?1 AND number <= ?2 ORDER BY number LIMIT ?3`;
const endedRows = "SELECT number, ended FROM search_document WHERE ended > ?1 AND ended <= ?2";

/** By what lives as long as the thread reads the store: the options of each scan are others. */
const stores = new WeakMap<object, Columns>();

/** Those of the store that is read, as in this state. */
export async function columnsOf({ sql, keys }: Pick<Scanning, "sql" | "keys">, state: SearchState) {
  const known = stores.get(keys);
  const columns = known?.fits(state) ? known : new Columns(state);
  // A state that is older than what others have read has its own, once.
  if (!known?.isNewer(state)) stores.set(keys, columns);
  await columns.refresh(sql, state);
  return columns;
}
