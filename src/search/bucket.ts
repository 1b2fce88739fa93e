/** Words among which typos are looked for are kept by their first letter and their length: typos change neither the one nor much of the other. */

/** No word of fewer letters is one of five with a typo. */
const minLetters = 4;

/** Where a word is kept; undefined for one that no typo leads to. */
export function bucketOf(word: string): string | undefined {
  const letters = [...word];
  return letters.length < minLetters ? undefined : `${letters[0]}${letters.length}`;
}

/** Where the words are that have at most so many typos. */
export function bucketsNear(word: string, most: number): string[] {
  const letters = [...word];
  const first = Math.max(minLetters, letters.length - most);
  const last = letters.length + most;
  return Array.from({ length: last - first + 1 }, (_, i) => `${letters[0]}${first + i}`);
}
