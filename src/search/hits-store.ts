import { compareText } from "../core/path.ts";
import type { Scanning } from "../core/sql/noun.ts";
import type { Row } from "../core/sql/sql.ts";
import { bucketsNear } from "./bucket.ts";
import { formsOf, oneForm } from "./form.ts";
import { type Chunk, readChunk } from "./posting.ts";
import type { Sequence, Term } from "./query.ts";
import { stemOf } from "./stem.ts";
import { typosBetween } from "./typo.ts";

/** Where the terms of a query stand, read from the posting lists of the shelves of a reader. */

/**
 * So many postings of each term that the reader may see are read, those of the best ranks first: a word of more documents
 * than are worth to rank does not make a search slow.
 */
const maxPostings = 20_000;

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

/** Postings of a term. */
export class Hits {
  readonly documents: number[] = [];
  readonly typos: number[] = [];
  readonly wholes: boolean[] = [];
  readonly fields: number[] = [];
  readonly weights: number[] = [];
  /** Where the places of a posting begin in `places`, and where those of the last one end. */
  readonly begins: number[] = [0];
  readonly places: number[] = [];
  /** True when there are more. */
  isCut = false;

  /** With those of the places that stand from `begin` to `end`. */
  add(
    { document, field, weight }: { document: number; field: number; weight: number },
    { typos, isWhole }: Pick<Variant, "typos" | "isWhole">,
    places: readonly number[],
    begin = 0,
    end = places.length,
  ): void {
    this.documents.push(document);
    this.typos.push(typos);
    this.wholes.push(isWhole);
    this.fields.push(field);
    this.weights.push(weight);
    for (let at = begin; at < end; at++) this.places.push(places[at] as number);
    this.begins.push(this.places.length);
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

/** Reads where a term stands, at most `most` postings of single words, and in `within` alone if that is given. */
export async function readHits(
  sql: Scanning["sql"],
  term: Term,
  seeing: Seeing,
  most = maxPostings,
  within?: ReadonlySet<number>,
): Promise<Hits> {
  const hits = new Hits();
  const singles = await variantsOf(sql, term, seeing);
  const lists = await exactLists(sql, singles, seeing);
  if (term.isBeginning && term.word !== undefined) {
    const beginnings = await beginningLists(sql, term.word, seeing);
    lists.push(...beginnings.lists);
    hits.isCut = beginnings.isCut;
  }
  await seeing.readFields(lists.map(({ field }) => field));
  addLists(hits, lists, seeing, most, within);
  for (const words of term.wholes) if (words.length > 1) await addSequence(sql, words, seeing, within, hits);
  return hits;
}

/** The documents that have a sequence of words. */
export async function documentsWith(
  sql: Scanning["sql"],
  words: Sequence,
  seeing: Seeing,
  within: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  const hits = new Hits();
  await addSequence(sql, words, seeing, within, hits);
  return new Set(hits.documents);
}

/** Adds lists in the order of their ranks; what is beyond `most` is left out. */
function addLists(
  hits: Hits,
  lists: readonly List[],
  seeing: Seeing,
  most: number,
  within: ReadonlySet<number> | undefined,
): void {
  const read = new Set<string>();
  for (const { variant, shelf, form, field, chunks } of lists.toSorted(byRank(seeing))) {
    if (variant.language !== undefined && seeing.languageOf(field) !== variant.language) continue;
    seeing.watch();
    // A word may be one of the query in several ways: the best one comes first.
    const name = `${shelf} ${field} ${form}`;
    if (read.has(name)) continue;
    read.add(name);
    for (const chunk of chunks) if (!addChunk(hits, chunk, variant, field, seeing, most, within)) return;
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

/** Adds the postings of a chunk that the reader sees, the newest first; false once there are enough. */
function addChunk(
  hits: Hits,
  chunk: Chunk,
  variant: Variant,
  field: number,
  seeing: Seeing,
  most: number,
  within: ReadonlySet<number> | undefined,
): boolean {
  const documents: number[] = [];
  const weights: number[] = [];
  const begins: number[] = [];
  const places: number[] = [];
  readChunk(chunk, {
    begin(document) {
      if ((within && !within.has(document)) || !seeing.isSeen(document)) return false;
      const weight = seeing.weightOf(document, field);
      if (weight === 0) return false;
      documents.push(document);
      weights.push(weight);
      begins.push(places.length);
      return true;
    },
    place: (place) => void places.push(place),
  });
  begins.push(places.length);
  for (let i = documents.length - 1; i >= 0; i--) {
    if (hits.documents.length >= most) {
      hits.isCut = true;
      return false;
    }
    const posting = { document: documents[i] as number, field, weight: weights[i] as number };
    hits.add(posting, variant, places, begins[i], begins[i + 1]);
  }
  return true;
}

const asIs = { typos: 0, isWhole: true };

/** Adds the places where words stand next to each other. */
async function addSequence(
  sql: Scanning["sql"],
  words: Sequence,
  seeing: Seeing,
  within: ReadonlySet<number> | undefined,
  hits: Hits,
): Promise<void> {
  let found: Map<string, number[]> | undefined;
  let documents = within;
  for (const [i, word] of words.entries()) {
    const lists = await exactLists(sql, [{ forms: formsOf(word), ...asIs }], seeing);
    await seeing.readFields(lists.map(({ field }) => field));
    const own = new Hits();
    addLists(own, lists, seeing, Number.POSITIVE_INFINITY, documents);
    const next = new Map<string, number[]>();
    for (const [at, document] of own.documents.entries()) {
      const key = `${document} ${own.fields[at]}`;
      const before = i === 0 ? undefined : new Set(found?.get(key));
      const places = own.places.slice(own.begins[at], own.begins[at + 1]).map((place) => place - i);
      const kept = before ? places.filter((place) => before.has(place)) : places;
      if (kept.length > 0) next.set(key, kept);
    }
    found = next;
    documents = new Set([...next.keys()].map((key) => Number(key.split(" ")[0])));
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
