/** A word of the query has one typo from this many letters on, and two from that many. */
const lettersForOne = 5;
const lettersForTwo = 9;

/** How many typos a word of the query may have: 0 under 5 letters, 1 from 5, 2 from 9; none with digits in it. */
export function mostTypos(word: string): 0 | 1 | 2 {
  if (word.length < lettersForOne || /\p{N}/u.test(word)) return 0;
  const letters = [...word].length;
  return letters < lettersForOne ? 0 : letters < lettersForTwo ? 1 : 2;
}

/**
 * The fewest typos between a word of the query and another word, both folded; a typo is a letter too many, missing or
 * wrong, or two neighbours swapped (optimal string alignment). Undefined where there are more than `most`, or where the
 * first letter differs. Letters are code points.
 */
export function typosBetween(query: string, word: string, most: number): number | undefined {
  if (query === word) return 0;
  if (most === 0 || query.charCodeAt(0) !== word.charCodeAt(0)) return undefined;
  if (hasPairs.test(query) || hasPairs.test(word)) return typosOfPoints(query, word, most);
  return typosOf(query, word, most);
}

const hasPairs = /[\ud800-\udfff]/;

/** Each code point as one unit: those beyond 16 bits by units that neither word has. */
function typosOfPoints(query: string, word: string, most: number): number | undefined {
  const units = new Map<string, string>();
  const used = new Set(query + word);
  let free = 0xe000;
  const unitOf = (point: string): string => {
    if (point.length === 1) return point;
    const known = units.get(point);
    if (known !== undefined) return known;
    while (used.has(String.fromCharCode(free))) free++;
    const unit = String.fromCharCode(free++);
    units.set(point, unit);
    return unit;
  };
  const one = Array.from(query, unitOf).join("");
  const other = Array.from(word, unitOf).join("");
  return one[0] === other[0] ? typosOf(one, other, most) : undefined;
}

/** The three rows of the matrix that a swap needs; words of queries are short. */
let rows = [new Int32Array(64), new Int32Array(64), new Int32Array(64)] as const;

/** The same for words whose letters are units each. Only the band of the matrix is filled where `most` can be held. */
function typosOf(query: string, word: string, most: number): number | undefined {
  if (Math.abs(query.length - word.length) > most) return undefined;
  const begin = sameBeginning(query, word);
  const end = sameEnd(query, word, begin);
  const one = query.slice(begin, query.length - end);
  const other = word.slice(begin, word.length - end);
  if (one === "" || other === "") return one.length + other.length;
  return bandOf(one, other, most);
}

function sameBeginning(query: string, word: string): number {
  let at = 0;
  while (at < query.length && at < word.length && query.charCodeAt(at) === word.charCodeAt(at)) at++;
  return at;
}

/** At most up to `begin`, so that no letter counts twice. */
function sameEnd(query: string, word: string, begin: number): number {
  const longest = Math.min(query.length, word.length) - begin;
  let count = 0;
  while (count < longest && query.at(-1 - count) === word.at(-1 - count)) count++;
  return count;
}

function bandOf(one: string, other: string, most: number): number | undefined {
  const width = other.length + 1;
  if (width > rows[0].length) rows = [new Int32Array(width), new Int32Array(width), new Int32Array(width)];
  let [before, above, row] = rows;
  const past = most + 1;
  for (let j = 0; j < width; j++) above[j] = Math.min(j, past);
  let leastAbove = 0;
  for (let i = 1; i <= one.length; i++) {
    const from = Math.max(1, i - most);
    const to = Math.min(other.length, i + most);
    row[from - 1] = from === 1 ? Math.min(i, past) : past;
    let least = row[from - 1] as number;
    const letter = one.charCodeAt(i - 1);
    for (let j = from; j <= to; j++) {
      const isSame = letter === other.charCodeAt(j - 1);
      let typos = (above[j - 1] as number) + (isSame ? 0 : 1);
      typos = Math.min(typos, (row[j - 1] as number) + 1, (above[j] as number) + 1);
      const isSwap =
        i > 1 && j > 1 && letter === other.charCodeAt(j - 2) && one.charCodeAt(i - 2) === other.charCodeAt(j - 1);
      if (isSwap) typos = Math.min(typos, (before[j - 2] as number) + 1);
      row[j] = Math.min(typos, past);
      least = Math.min(least, typos);
    }
    if (to < other.length) row[to + 1] = past;
    // A swap leads over two rows.
    if (least > most && leastAbove > most) return undefined;
    leastAbove = least;
    [before, above, row] = [above, row, before];
  }
  const typos = above[other.length] as number;
  return typos > most ? undefined : typos;
}
