import { digitOf, formatNumber } from "../core/lib/number-text.ts";

/**
 * Posting lists of words: the documents of a shelf that have a word in a field, ascending, with the places where it
 * stands. A list is cut into chunks, each a row: `first` is its first document, `rest` what follows as numbers
 * (number-text.ts): for each document its distance from the one before, how many places it has, and the distances of those.
 */

/** A row with a longer text would be continued on another page of SQLite. */
export const maxRest = 800;

/** The places of a word, ascending, as a posting has them. */
export function formatPlaces(places: readonly number[]): string {
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
  const postings: [number, number[]][] = [];
  readChunk(chunk, {
    begin: (document) => postings.push([document, []]) > 0,
    place: (place) => void postings.at(-1)?.[1].push(place),
  });
  return postings.map(([document, places]) => [document, formatPlaces(places)]);
}

/** Where postings are collected. */
export type Postings = {
  /** Takes a document; answers false for one whose places are not wanted. */
  begin(document: number): boolean;
  place(place: number): void;
};

/** Reads the postings of a chunk. */
export function readChunk({ first, rest }: Pick<Chunk, "first" | "rest">, to: Postings): void {
  let at = 0;
  const next = (): number => {
    let number = 0;
    let scale = 1;
    for (;;) {
      const digit = digitOf[rest.charCodeAt(at++)] as number;
      number += (digit & 31) * scale;
      if (digit >= 32) return number;
      scale *= 32;
    }
  };
  let document = first;
  while (at < rest.length) {
    document += next();
    const isWanted = to.begin(document);
    let place = 0;
    for (let left = next(); left > 0; left--) {
      place += next();
      if (isWanted) to.place(place);
    }
  }
}
