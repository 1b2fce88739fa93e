import { compareText } from "../core/path.ts";
import type { Scanning } from "../core/sql/noun.ts";
import type { Row } from "../core/sql/sql.ts";
import { bucketsNear } from "./bucket.ts";
import { formsOf, oneForm } from "./form.ts";
import { grown } from "./grown.ts";
import { type Chunk, ChunkReader } from "./posting.ts";
import type { Sequence, Term } from "./query.ts";
import { stemOf } from "./stem.ts";
import { typosBetween } from "./typo.ts";

/** Where the terms of a query stand, read from the posting lists of the shelves of a reader. */

/**
 * So many postings of each term that the reader may see are read, those of the best ranks first: a word of more documents
 * than are worth to rank does not make a search slow.
 */
export const mostPostings = 20_000;

/** What decides which postings are read. */
export type Seeing = {
  readonly shelves: readonly string[];
  /** False for a document that the reader does not see. */
  isSeen(document: number): boolean;
  /** The weight of a field in a document; 0 for one that is not searched. */
  weightOf(document: number, field: number): number;
  /** The greatest that it has in any document. */
  topWeightOf(field: number): number;
  languageOf(field: number): string;
  /** Makes fields known to these. */
  readFields(fields: Iterable<number>): Promise<void>;
  watch(): void;
};

/** Postings of a term, of which a search holds thousands. */
export class Hits {
  size = 0;
  documents = new Float64Array(64);
  fields = new Uint32Array(64);
  typos = new Uint8Array(64);
  /** 1 for a whole word. */
  wholes = new Uint8Array(64);
  weights = new Uint8Array(64);
  /** Where the places of a posting begin in `places`, and where those of the last one end. */
  begins = new Uint32Array(65);
  places = new Uint32Array(128);
  /** True when there are more. */
  isCut = false;

  /** With those of the places that stand from `begin` to `end`. */
  add(
    { document, field, weight }: { document: number; field: number; weight: number },
    { typos, isWhole }: Pick<Variant, "typos" | "isWhole">,
    places: ArrayLike<number>,
    begin = 0,
    end = places.length,
  ): void {
    const at = this.size;
    if (at === this.documents.length) this.growPostings();
    let to = this.begins[at] as number;
    while (to + end - begin > this.places.length)
      this.places = grown(this.places, new Uint32Array(this.places.length * 2));
    this.documents[at] = document;
    this.fields[at] = field;
    this.typos[at] = typos;
    this.wholes[at] = isWhole ? 1 : 0;
    this.weights[at] = weight;
    for (let from = begin; from < end; from++) this.places[to++] = places[from] as number;
    this.begins[at + 1] = to;
    this.size++;
  }

  documentSet(): Set<number> {
    const { documents, size } = this;
    const set = new Set<number>();
    for (let i = 0; i < size; i++) set.add(documents[i] as number);
    return set;
  }

  private growPostings(): void {
    const size = this.documents.length * 2;
    this.documents = grown(this.documents, new Float64Array(size));
    this.fields = grown(this.fields, new Uint32Array(size));
    this.typos = grown(this.typos, new Uint8Array(size));
    this.wholes = grown(this.wholes, new Uint8Array(size));
    this.weights = grown(this.weights, new Uint8Array(size));
    this.begins = grown(this.begins, new Uint32Array(size + 1));
  }
}

/** A way in which a word of a document is one of the query. */
type Variant = {
  /** The range of its forms. */
  readonly forms: readonly [from: string, to: string];
  readonly typos: number;
  /** Neither a stem, nor a beginning, nor with typos. */
  readonly isWhole: boolean;
  /** Where only fields of a language count. */
  readonly language?: string;
};
type List = {
  readonly variant: Variant;
  readonly shelf: string;
  readonly form: string;
  readonly field: number;
  readonly chunks: Chunk[];
};

/** The lists of the words that a term is, before their postings are read. */
export type TermLists = {
  readonly term: Term;
  /** Those of single words, in the order of their ranks, each word once. */
  readonly lists: readonly List[];
  /** At least as many postings as these have, those of sequences left out. */
  readonly count: number;
  readonly isCut: boolean;
};

export async function listsOfTerm(sql: Scanning["sql"], term: Term, seeing: Seeing): Promise<TermLists> {
  const lists = await exactLists(sql, await variantsOf(sql, term, seeing), seeing);
  let isCut = false;
  if (term.isBeginning && term.word !== undefined) {
    const beginnings = await beginningLists(sql, term.word, seeing);
    lists.push(...beginnings.lists);
    isCut = beginnings.isCut;
  }
  await seeing.readFields(lists.map(({ field }) => field));
  const known = new Set<string>();
  const own = lists.toSorted(byRank(seeing)).filter(({ variant, shelf, form, field }) => {
    if (variant.language !== undefined && seeing.languageOf(field) !== variant.language) return false;
    // A word may be one of the query in several ways: the best one comes first.
    const name = `${shelf} ${field} ${form}`;
    return known.size < known.add(name).size;
  });
  const count = own.reduce((sum, { chunks }) => chunks.reduce((all, chunk) => all + chunk.count, sum), 0);
  return { term, lists: own, count, isCut };
}

/** Reads where a term stands: at most `mostPostings` of its single words, or all of them in the documents of `within`. */
export async function readHits(
  sql: Scanning["sql"],
  { term, lists, isCut }: TermLists,
  seeing: Seeing,
  within?: Within,
): Promise<Hits> {
  const hits = new Hits();
  hits.isCut = isCut;
  addLists(hits, lists, seeing, within);
  for (const words of term.wholes) if (words.length > 1) await addSequence(sql, words, seeing, within, hits);
  return hits;
}

/** Documents of which alone postings are wanted. */
type Within = {
  has(document: number): boolean;
  /** False for a chunk that has none of them. */
  touches(chunk: Chunk): boolean;
};

const everywhere: Within = { has: () => true, touches: () => true };

export class Among implements Within {
  private readonly documents: ReadonlySet<number>;
  private readonly ascending: Float64Array;

  constructor(documents: ReadonlySet<number>) {
    this.documents = documents;
    this.ascending = Float64Array.from(documents).sort();
  }

  has(document: number): boolean {
    return this.documents.has(document);
  }

  touches({ first, last }: Chunk): boolean {
    let [low, high] = [0, this.ascending.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ascending[middle] as number) < first) low = middle + 1;
      else high = middle;
    }
    return low < this.ascending.length && (this.ascending[low] as number) <= last;
  }
}

/** The documents that have a sequence of words. */
export async function documentsWith(
  sql: Scanning["sql"],
  words: Sequence,
  seeing: Seeing,
  within: Within,
): Promise<ReadonlySet<number>> {
  const hits = new Hits();
  await addSequence(sql, words, seeing, within, hits);
  return hits.documentSet();
}

/** Adds lists in their order; what is beyond `mostPostings` is left out, unless it is within others. */
function addLists(hits: Hits, lists: readonly List[], seeing: Seeing, within: Within | undefined): void {
  for (const list of lists) {
    seeing.watch();
    for (const chunk of list.chunks) {
      if (within && !within.touches(chunk)) continue;
      if (!addChunk(hits, chunk, list, seeing, within)) return;
    }
  }
}

const byRank =
  ({ topWeightOf }: Seeing) =>
  (a: List, b: List): number =>
    a.variant.typos - b.variant.typos ||
    topWeightOf(b.field) - topWeightOf(a.field) ||
    Number(b.variant.isWhole) - Number(a.variant.isWhole) ||
    compareText(a.form, b.form) ||
    a.field - b.field ||
    compareText(a.shelf, b.shelf);

const reader = new ChunkReader();

/** Adds the postings of a chunk that the reader sees, the newest first; false once there are enough. */
function addChunk(
  hits: Hits,
  chunk: Chunk,
  { variant, field }: List,
  seeing: Seeing,
  within: Within | undefined,
): boolean {
  reader.read(chunk);
  const { documents, places, begins } = reader;
  for (let i = reader.count - 1; i >= 0; i--) {
    const document = documents[i] as number;
    if ((within && !within.has(document)) || !seeing.isSeen(document)) continue;
    const weight = seeing.weightOf(document, field);
    if (weight === 0) continue;
    if (!within && hits.size >= mostPostings) {
      hits.isCut = true;
      return false;
    }
    hits.add({ document, field, weight }, variant, places, begins[i], begins[i + 1]);
  }
  return true;
}

const asIs = { typos: 0, isWhole: true };

/** Adds the places where words stand next to each other. */
async function addSequence(
  sql: Scanning["sql"],
  words: Sequence,
  seeing: Seeing,
  within: Within | undefined,
  hits: Hits,
): Promise<void> {
  let found: Map<string, number[]> | undefined;
  let left = within ?? everywhere;
  for (const [i, word] of words.entries()) {
    const lists = await exactLists(sql, [{ forms: formsOf(word), ...asIs }], seeing);
    await seeing.readFields(lists.map(({ field }) => field));
    const own = new Hits();
    addLists(own, lists.toSorted(byRank(seeing)), seeing, left);
    const next = new Map<string, number[]>();
    for (let at = 0; at < own.size; at++) {
      const key = `${own.documents[at]} ${own.fields[at]}`;
      const before = i === 0 ? undefined : new Set(found?.get(key));
      const places = Array.from(own.places.subarray(own.begins[at], own.begins[at + 1]), (place) => place - i);
      const kept = before ? places.filter((place) => before.has(place)) : places;
      if (kept.length > 0) next.set(key, kept);
    }
    found = next;
    left = new Among(new Set([...next.keys()].map((key) => Number(key.split(" ")[0]))));
  }
  for (const [key, places] of found ?? []) {
    const [document = 0, field = 0] = key.split(" ").map(Number);
    hits.add({ document, field, weight: seeing.weightOf(document, field) }, asIs, places);
  }
}

/** The ways in which a word of the shelves is this term, apart from beginnings. */
async function variantsOf(sql: Scanning["sql"], term: Term, { shelves }: Seeing): Promise<Variant[]> {
  const variants = term.wholes
    .filter(({ length }) => length === 1)
    .map(([word = ""]): Variant => ({ forms: formsOf(word), ...asIs }));
  const { word, mostTypos } = term;
  if (word === undefined) return variants;
  const stems = [...term.stems].filter(([language]) => language !== "");
  for (const [language, stem] of stems)
    if (stemOf(stem, language) === stem) variants.push({ forms: oneForm(stem), typos: 0, isWhole: false, language });
  const stemKeys = shelves.flatMap((shelf) => stems.map(([language, stem]) => [shelf, `${language} ${stem}`]));
  const ofStems = await sql.rowsAll(stemSql, stemKeys, ["text", "text"]);
  for (const [i, rows] of ofStems.entries()) {
    const [language] = stems[i % stems.length] as [string, string];
    for (const form of wordsIn(rows)) variants.push({ forms: oneForm(form), typos: 0, isWhole: false, language });
  }
  if (mostTypos === 0) return variants;
  const keys = shelves.flatMap((shelf) => bucketsNear(word, mostTypos).map((bucket) => [shelf, bucket]));
  const near = new Set((await sql.rowsAll(wordSql, keys, ["text", "text"])).flatMap(wordsIn));
  for (const other of near) {
    const typos = typosBetween(word, other, mostTypos);
    if (typos) variants.push({ forms: formsOf(other), typos, isWhole: false });
  }
  return variants;
}

const stemSql = "SELECT words FROM search_stem WHERE shelf = ?1 AND stem = ?2";
const wordSql = "SELECT words FROM search_word WHERE shelf = ?1 AND bucket = ?2";
const wordsIn = ([row]: readonly Row[]): string[] => (row ? String(row[0]).split(" ") : []);

/** A word with more rows is read field by field. */
const fewRows = 64;

const wordRows = `SELECT word, field, first, last, count, rest FROM search_posting
  WHERE shelf = ?1 AND word >= ?2 AND word < ?3 ORDER BY word, field, first DESC LIMIT ${fewRows}`;
const wordFields = "SELECT DISTINCT word, field FROM search_posting WHERE shelf = ?1 AND word >= ?2 AND word < ?3";
const fieldRows = `SELECT word, field, first, last, count, rest FROM search_posting
  WHERE shelf = ?1 AND word = ?2 AND field = ?3 ORDER BY first DESC`;

/** The lists of words. */
async function exactLists(sql: Scanning["sql"], variants: readonly Variant[], { shelves }: Seeing): Promise<List[]> {
  const keys = variants.flatMap(({ forms }) => shelves.map((shelf) => [shelf, ...forms]));
  const found = await sql.rowsAll(wordRows, keys, ["text", "text", "text"]);
  const lists: List[] = [];
  for (const [i, rows] of found.entries()) {
    const variant = variants[Math.floor(i / shelves.length)] as Variant;
    const shelf = shelves[i % shelves.length] as string;
    const own = rows.length < fewRows ? rows : await longList(sql, shelf, variant.forms);
    lists.push(...listsOf(own, shelf, variant));
  }
  return lists;
}

async function longList(sql: Scanning["sql"], shelf: string, forms: readonly [string, string]): Promise<Row[]> {
  const lists = await sql.rows(wordFields, shelf, ...forms);
  const keys = lists.map(([word, field]) => [shelf, word as string, field as number]);
  return (await sql.rowsAll(fieldRows, keys, ["text", "text", "integer"])).flat();
}

/** Rows of words with a common beginning that are read, in their order. */
const maxBeginnings = 2000;
const beginningRows = `SELECT word, field, first, last, count, rest FROM search_posting
  WHERE shelf = ?1 AND word > ?2 AND word < ?3 ORDER BY word, field, first DESC LIMIT ${maxBeginnings}`;

async function beginningLists(
  sql: Scanning["sql"],
  beginning: string,
  { shelves }: Seeing,
): Promise<{ lists: List[]; isCut: boolean }> {
  const keys = shelves.map((shelf) => [shelf, beginning, `${beginning}\u{10ffff}`]);
  const found = await sql.rowsAll(beginningRows, keys, ["text", "text", "text"]);
  const variant = { forms: formsOf(beginning), typos: 0, isWhole: false };
  const lists = found.flatMap((rows, i) => listsOf(rows, shelves[i] as string, variant));
  return { lists, isCut: found.some(({ length }) => length === maxBeginnings) };
}

type ChunkRow = readonly [word: string, field: number, first: number, last: number, count: number, rest: string];

function listsOf(rows: readonly Row[], shelf: string, variant: Variant): List[] {
  const lists: List[] = [];
  let before = "";
  for (const row of rows) {
    const [word, field, first, last, count, rest] = row as unknown as ChunkRow;
    const name = `${field} ${word}`;
    if (name !== before) lists.push({ variant, shelf, form: word, field, chunks: [] });
    before = name;
    lists.at(-1)?.chunks.push({ first, last, count, rest });
  }
  return lists;
}
