import { isJsonObject, type Json, type JsonObject } from "../../lib/json.ts";
import { foldText } from "../../list/find.ts";
import { textOf } from "../../list/value.ts";

/**
 * Trigrams: the parts of three UTF-16 code units of folded texts, as numbers. Two may share a number. An item that
 * matches a text has every trigram of the text, so what lacks one need not be read. Decision 7.
 */

/** In place of its trigrams for an item that has too many: it may match any text. */
export const anyGram = -1;

/** A text of a language has fewer, however long it is; random bytes would make the writer slow. */
const maxGrams = 10_000;

/** The texts that conditions and searches look into, numbers as they were written included, at any depth. */
export function textsOf(data: JsonObject): Set<string> {
  const texts = new Set<string>();
  addTexts(data, texts);
  return texts;
}

function addTexts(value: Json, texts: Set<string>): void {
  if (isJsonObject(value)) for (const member of value.values()) addTexts(member, texts);
  else if (Array.isArray(value)) for (const member of value) addTexts(member, texts);
  else {
    const text = textOf(value);
    if (text !== undefined) texts.add(text);
  }
}

/** Collects which items have which trigrams. */
export class GramCollector {
  /** The items of each trigram, in the order in which they were added. */
  readonly items = new Map<number, number[]>();
  /** How many pairs of a trigram and an item there are. */
  pairs = 0;
  /** Adds an item with its texts, as a search folds them and as a condition does. Each item once. */
  add(item: number, texts: Iterable<string>): void {
    const most = this.pairs + maxGrams;
    turn++;
    for (const text of texts) {
      const folded = foldText(text);
      const plain = foldPlainly(text);
      this.addText(item, folded);
      if (plain !== folded) this.addText(item, plain);
      if (this.pairs <= most) continue;
      this.addAny(item);
      return;
    }
  }

  /** Adds an item that may match any text. */
  addAny(item: number): void {
    this.put(item, anyGram);
  }

  private addText(item: number, text: string): void {
    const add = (gram: number) => {
      const at = gram % recent;
      if (recentGrams[at] === gram && recentTurns[at] === turn) return;
      recentGrams[at] = gram;
      recentTurns[at] = turn;
      this.put(item, gram);
    };
    eachGram(text, add);
    if (text.length > 1) add(gramOf(text.charCodeAt(text.length - 2), text.charCodeAt(text.length - 1), end));
  }

  private put(item: number, gram: number): void {
    const items = this.items.get(gram);
    if (items === undefined) this.items.set(gram, [item]);
    else if (items[items.length - 1] === item) return;
    else items.push(item);
    this.pairs++;
  }
}

/** Many trigrams of a text are repeated: most of these are found here, which is faster than a map. */
const recent = 4096;
const recentGrams = new Int32Array(recent);
const recentTurns = new Float64Array(recent);
let turn = 0;

/** The trigrams that the index must have of an item with these texts. */
export function gramsOf(texts: Iterable<string>): Set<number> {
  const collector = new GramCollector();
  collector.add(1, texts);
  return collector.items.has(anyGram) ? new Set([anyGram]) : new Set(collector.items.keys());
}

/** The trigrams that each match of a search for the word, which is folded already, has. */
export function gramsOfWord(word: string): Set<number> {
  const grams = new Set<number>();
  eachGram(word, (gram) => grams.add(gram));
  return grams;
}

/** The trigrams that each text containing this one has. */
export const gramsOfPart = (text: string): Set<number> => gramsOfWord(foldPlainly(text));

/** The pair that a word of two units is, folded already; of a longer or shorter one none. */
export const pairOfWord = (word: string): number | undefined =>
  word.length === 2 ? pairOf(word.charCodeAt(0), word.charCodeAt(1)) : undefined;

/** The same for a text that is not folded. */
export const pairOfPart = (text: string): number | undefined => pairOfWord(foldPlainly(text));

/**
 * Lower case by each character alone, so that the fold of a part is in the fold of the whole: without NFC, and with
 * one lower case of Σ, the only letter whose lower case depends on its neighbours (SpecialCasing, Final_Sigma).
 */
const foldPlainly = (text: string): string => text.replaceAll("Σ", "σ").toLowerCase();

/** Spreads the numbers evenly: an odd number has an inverse, so what differs goes on to differ. */
const mixer = 0x9e3779b1;
export const gramEnd = 2 ** 30;
/** The trigrams that begin with the same two units are one range of numbers: of a pair, and this many from there. */
export const gramsOfPair = 2 ** 10;

/** The first of the trigrams that begin with these two units. A text of two units has no other. */
const pairOf = (a: number, b: number): number => (Math.imul(a * 65_536 + b, mixer) >>> 12) * gramsOfPair;

/** After the last unit of a text, so that its last two are a pair as well. */
const end = 0;

function eachGram(text: string, visit: (gram: number) => void): void {
  let a = text.charCodeAt(0);
  let b = text.charCodeAt(1);
  for (let i = 2; i < text.length; i++) {
    const c = text.charCodeAt(i);
    visit(gramOf(a, b, c));
    a = b;
    b = c;
  }
}

const gramOf = (a: number, b: number, c: number): number => pairOf(a, b) + (Math.imul(c, mixer) >>> 22);
