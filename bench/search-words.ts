import { fraction, type Random, random } from "../test/random.ts";

/**
 * Texts whose words are as frequent as in a language, and what is asked of them. All of it is drawn from fixed seeds: an
 * entry of one store is that of the other.
 */

/** As many different words as a large site has. */
const vocabularySize = 40_000;

const consonants = "bcdfghjklmnprstvwz";
const vowels = "aeiou";

/** Different words of one to four syllables, the short ones first, as in languages the frequent ones are. */
export const vocabulary: readonly string[] = (() => {
  const pick = random(1);
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    const syllables = 1 + Math.min(3, Math.floor(Math.log2(1 + words.size / 60) / 2) + pick(2));
    let word = "";
    for (let i = 0; i < syllables; i++)
      word += `${consonants[pick(18)]}${vowels[pick(5)]}${pick(3) === 0 ? consonants[pick(18)] : ""}`;
    words.add(word);
  }
  return [...words];
})();

/** Zipf's law: the share of all words up to each of the vocabulary. */
const shares: Float64Array = (() => {
  const sums = new Float64Array(vocabularySize);
  let sum = 0;
  for (let i = 0; i < vocabularySize; i++) sums[i] = sum += 1 / (i + 2.7);
  return sums.map((each) => each / sum);
})();

/** A word as frequent as it is in texts. */
function drawn(next: () => number): string {
  const share = next();
  let [low, high] = [0, vocabularySize - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shares[middle] as number) < share) low = middle + 1;
    else high = middle;
  }
  return vocabulary[low] as string;
}

const text = (next: () => number, count: number) => Array.from({ length: count }, () => drawn(next)).join(" ");

/** A word that this entry alone has. */
export const ownWord = (n: number): string => {
  // Multiplied by an odd number, so that neighbours are as different as words of different entries are.
  const digits = (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  const syllables = [...digits].map((digit) => `${consonants[Number.parseInt(digit, 16)]}${vowels[n % 5]}`);
  return syllables.join("").slice(0, 13 + (n % 4));
};

/** About 500 bytes: 80 words in three fields, and its own one. */
export function textSample(n: number): object {
  const next = fraction(n + 10);
  return {
    title: `${text(next, 4)} ${ownWord(n)}`,
    summary: text(next, 12),
    state: ["new", "open", "done"][n % 3],
    author: { name: `${text(next, 2)}` },
    content: text(next, 60),
  };
}

/** What some of the queries have. */
export type QueryKind = "words" | "typo" | "prefix";

/** Queries of one to four words of the vocabulary, by frequency; none comes twice. */
export function queries(count: number, seed: number, kinds: readonly QueryKind[]): string[] {
  const pick = random(seed);
  const next = fraction(seed + 1);
  const all = new Set<string>();
  while (all.size < count) {
    const words = Array.from({ length: 1 + pick(4) }, () => drawn(next));
    const kind = kinds[all.size % kinds.length];
    const query =
      kind === "typo" ? withTypo(words, pick) : kind === "prefix" ? withPrefix(words, pick) : words.join(" ");
    // One word alone is soon used up.
    all.add(all.has(query) ? `${query} ${drawn(next)}` : query);
  }
  return [...all];
}

/** With one letter left out, doubled or replaced in a long word. */
function withTypo(words: readonly string[], pick: Random): string {
  const at = words.findIndex(({ length }) => length >= 5);
  if (at < 0) return withTypo([...words.slice(1), vocabulary[2000 + pick(20_000)] as string], pick);
  return words.with(at, typoIn(words[at] as string, pick)).join(" ");
}

/** A word of five letters and more with one typo, not in its first letter. */
export function typoIn(word: string, pick: Random): string {
  const place = 1 + pick(word.length - 1);
  const middle = ["", (word[place] as string).repeat(2), vowels[pick(5)]][pick(3)] as string;
  return word.slice(0, place) + middle + word.slice(place + 1);
}

function withPrefix(words: readonly string[], pick: Random): string {
  const last = words.at(-1) as string;
  return words.with(-1, last.slice(0, Math.min(last.length, 2 + pick(3)))).join(" ");
}
