import type { IsoCode } from "multilingual-stemmer";
import { foldWord } from "./word.ts";

/**
 * Makes `stemOf` ready for the languages: the library, 370 KB of WebAssembly, is loaded where one of them has a stemmer,
 * once a process. Repeated calls cost nothing.
 */
export async function loadStemmers(languages: readonly string[]): Promise<void> {
  if (!languages.some(hasStemmer)) return;
  library ??= await import("multilingual-stemmer");
}

/**
 * The folded stem of a word by the Snowball stemmer of its language: the first subtag of a locale, in lower case. The
 * word is as written (the range of a `Word` in its text), since stemmers read the accents that a fold drops: one in five
 * Hungarian words has another stem without them (decision 10). The folded word itself in languages without a stemmer
 * and past `mostLetters`. `loadStemmers` comes first.
 */
export function stemOf(written: string, language: string): string {
  const stemmer = stemmers.get(language);
  if (!stemmer || written.length > mostLetters) return foldWord(written);
  if (!library) throw new Error(`the stemmer of ${language} is used before loadStemmers`);
  const lower = written.toLocaleLowerCase(stemmer).replace(unread, "").replaceAll("’", "'").normalize("NFC");
  return foldWord(library.stem(stemmer, lower)) || foldWord(written);
}

/** Whether words of the language have stems: false for "". */
export const hasStemmer = (language: string): boolean => stemmers.has(language);

let library: typeof import("multilingual-stemmer") | undefined;

/** The longest word of the Snowball vocabularies has 63; what is longer than this is data, and stems take time. */
const mostLetters = 100;

/** Soft hyphens, and the backslash of an escaped `_`. Joiners stay: the Persian stemmer reads them. */
const unread = /[\u00ad\\]/g;

/** Those of the library, so that a process that needs none of them does not load it. */
const own =
  "ar ca cs da de el en eo es et eu fa fi fr ga hi hu hy id it lt ne nl no pl pt ro ru sr st sv ta tr yi".split(
    " ",
  ) as IsoCode[];

/** By language; locales name the two written forms of Norwegian. */
const stemmers = new Map<string, IsoCode>([...own.map((code) => [code, code] as const), ["nb", "no"], ["nn", "no"]]);
