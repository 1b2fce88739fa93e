import { digitOf, formatNumber } from "../core/lib/number-text.ts";

/**
 * Posting lists of words: the documents of a shelf that have a word in a field, ascending, with the places where it
 * stands. A list is cut into chunks, each a row: `first` is its first document, `rest` what follows as numbers
 * (number-text.ts): for each document its distance from the one before, how many places it has, and the distances of those.
 */

/** A row with a longer text would be continued on another page of SQLite. */
export const maxRest = 800;

/** The places of a word, ascending, as a posting has them. */
export function formatPlaces(places: ArrayLike<number> & Iterable<number>): string {
  let text = formatNumber(places.length);
  let before = 0;
  for (const place of places) {
    text += formatNumber(place - before);
    before = place;
  }
  return text;
}

/** A chunk as its row has it. */
export type Chunk = { first: number; last: number; count: number; rest: string };

/** A document with its places as in `formatPlaces`. */
export type Posting = readonly [document: number, places: string];

/** Puts postings after those of the last chunk of a list, if there is one; answers the chunks that are new or changed. */
export function appended(last: Chunk | undefined, postings: readonly Posting[]): Chunk[] {
  const chunks: Chunk[] = [];
  let chunk = last;
  for (const posting of postings) {
    if (!chunk || chunk.rest.length >= maxRest) {
      chunk = emptyAt(posting[0]);
      chunks.push(chunk);
    } else if (chunks.length === 0) {
      chunk = { ...chunk };
      chunks.push(chunk);
    }
    append(chunk, posting);
  }
  return chunks;
}

/** A chunk with these postings at its end, however long it is. */
export function withPostings(chunk: Chunk, postings: readonly Posting[]): Chunk {
  const longer = { ...chunk };
  for (const posting of postings) append(longer, posting);
  return longer;
}

/** A chunk without postings, whose first one is to be of this document or a later one. */
export const emptyAt = (first: number): Chunk => ({ first, last: first, count: 0, rest: "" });

function append(chunk: Chunk, [document, places]: Posting): void {
  chunk.rest += formatNumber(document - chunk.last) + places;
  chunk.last = document;
  chunk.count++;
}

/** The postings of a chunk. */
export function postingsOf(chunk: Chunk): Posting[] {
  reader.read(chunk);
  return Array.from({ length: reader.count }, (_, i) => {
    const places = reader.places.subarray(reader.begins[i], reader.begins[i + 1]);
    return [reader.documents[i] as number, formatPlaces(places)];
  });
}

/** Reads chunks into arrays that the next chunk overwrites: a search reads thousands of postings. */
export class ChunkReader {
  count = 0;
  documents = new Float64Array(0);
  places = new Uint32Array(0);
  /** Where the places of each posting begin in `places`, and where those of the last one end. */
  begins = new Uint32Array(1);
  private rest = "";
  private at = 0;

  read({ first, rest }: Pick<Chunk, "first" | "rest">): void {
    this.grow(rest.length);
    const { documents, places, begins } = this;
    this.rest = rest;
    this.at = 0;
    let document = first;
    let [count, end] = [0, 0];
    while (this.at < rest.length) {
      document += this.next();
      documents[count++] = document;
      let place = 0;
      for (let left = this.next(); left > 0; left--) {
        place += this.next();
        places[end++] = place;
      }
      begins[count] = end;
    }
    this.count = count;
  }

  private next(): number {
    const { rest } = this;
    let digit = digitOf[rest.charCodeAt(this.at++)] as number;
    if (digit >= 32) return digit & 31;
    let number = 0;
    for (let scale = 1; ; scale *= 32) {
      number += (digit & 31) * scale;
      if (digit >= 32) return number;
      digit = digitOf[rest.charCodeAt(this.at++)] as number;
    }
  }

  /** A posting takes two characters and more, a place one and more. */
  private grow(length: number): void {
    if (this.places.length >= length) return;
    this.documents = new Float64Array(length);
    this.places = new Uint32Array(length);
    this.begins = new Uint32Array(length + 1);
  }
}

const reader = new ChunkReader();
