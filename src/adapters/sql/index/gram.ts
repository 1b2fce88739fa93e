import { foldText } from "../../../domain/find.ts";
import { textOf } from "../../../domain/value.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../lib/json.ts";

/**
 * Trigrams: the parts of three UTF-16 code units of folded texts, as numbers. Two may share a number. An item that
 * matches a text has every trigram of the text, so what lacks one need not be read. Decision 39.
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

/** The trigrams of texts as a search folds them and as a condition does. */
export function gramsOf(texts: Iterable<string>): Set<number> {
  const grams = new Set<number>();
  for (const text of texts) {
    const folded = foldText(text);
    const plain = foldPlainly(text);
    addGrams(folded, grams);
    if (plain !== folded) addGrams(plain, grams);
    if (grams.size > maxGrams) return new Set([anyGram]);
  }
  return grams;
}

/** The trigrams that each match of a search for the word has. `word` is folded already. */
export const gramsOfWord = (word: string): Set<number> => addGrams(word, new Set());

/** The trigrams that each text containing this one has. */
export function gramsOfPart(text: string): Set<number> {
  const grams = new Set<number>();
  // Half a surrogate pair is part of a text, too, but another letter in lower case.
  for (const part of text.split(/\p{Surrogate}/u)) addGrams(foldPlainly(part), grams);
  return grams;
}

/**
 * Lower case by each character alone, so that the fold of a part is part of the fold of the whole: without NFC, and with
 * one lower case of Σ, the only letter whose lower case depends on its neighbours (SpecialCasing, Final_Sigma).
 */
const foldPlainly = (text: string): string => text.replaceAll("Σ", "σ").toLowerCase();

/** Spreads the numbers evenly: an odd number has an inverse, so what differs goes on to differ. */
const mixer = 0x9e3779b1;
export const gramEnd = 2 ** 30;

function addGrams(text: string, grams: Set<number>): Set<number> {
  let a = text.charCodeAt(0);
  let b = text.charCodeAt(1);
  for (let i = 2; i < text.length; i++) {
    const c = text.charCodeAt(i);
    grams.add(Math.imul(Math.imul(a, 16_384) + b * 128 + c, mixer) >>> 2);
    a = b;
    b = c;
  }
  return grams;
}
