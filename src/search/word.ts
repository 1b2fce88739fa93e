import { Memo } from "../core/lib/memo.ts";
import { withoutMarks, wordJoiner } from "./mark.ts";

/** A word of a text: folded; `from`, `to`: its range of UTF-16 units in the stored text. */
export type Word = { word: string; from: number; to: number };

/**
 * The words of a text in order, as `Intl.Segmenter` cuts them, so that Chinese, Japanese and Thai have words, too.
 * Unlike it, `.` and `:` between letters part words: who searches `Floor` means `math.Floor`, too. Marks of Markdown and
 * tags of HTML are none (`withoutMarks`), and no `_` stands at the edge of a word: `_so_` is `so`, `snake_case` one word.
 * `locale` is a BCP 47 tag, "" for none. With `isName` a text is also cut at `.`, `_` and `-`, as names of files are. A word
 * without visible characters is left out.
 */
export function cutWords(text: string, locale: string, isName = false): Word[] {
  const bare = withoutMarks(text);
  const prose = isName ? bare.replace(/[._]/g, " ") : bare;
  return isLatin.test(prose) ? cutLatin(prose) : cutAny(prose, locale);
}

/**
 * A word as it is searched: NFKD without the accents (U+0300 to U+036F) and the points of Arabic and Hebrew, then NFC,
 * lower case, and letters that no form of Unicode takes apart as those that people write for them. Other marks stay
 * (the voicing of kana, vowels of Indic scripts), and so do digits. What is never shown goes as well, as soft hyphens
 * and joiners do, which stand in texts and in no query; so does white space, which compatibility forms may bring; a
 * curly apostrophe is a straight one, since keyboards have no other. A folded word is its own fold.
 */
export function foldWord(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  const lower = text.normalize("NFKD").replace(unsearched, "").normalize("NFC").toLowerCase();
  return lower.replace(/[ςßæœøłđı’]/g, (letter) => plainLetters[letter] as string);
}

const isAscii = /^[!-~]*$/;
const unsearched =
  /[\u0300-\u036f\s\p{Default_Ignorable_Code_Point}]|[[\u0591-\u05c7\ufb1e\u0610-\u06ed\u0890-\u08ff]&&\p{Mn}]/gv;
const plainLetters: Record<string, string> = {
  ς: "σ",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ı: "i",
  "’": "'",
};

/** Two in three texts of Europe are of these characters; a soft hyphen is invisible to the rules, so it is none of them. */
const isLatin = /^[\0-\u00ac\u00ae-\u024f\u2010-\u2026]*$/;

/** How the rules of words (UAX 29) see a character of `isLatin`. A word begins with one of the first three. */
const kinds = { other: 0, letter: 1, digit: 2, joiner: 3, betweenLetters: 4, betweenDigits: 5, betweenBoth: 6 };
const lastLatin = 0x24f;
const kindOf = new Uint8Array(0x2027);
for (let code = 0; code <= lastLatin; code++)
  if (/[\p{L}]/u.test(String.fromCharCode(code))) kindOf[code] = kinds.letter;
const setKind = (characters: string, kind: number) => {
  for (const character of characters) kindOf[character.charCodeAt(0)] = kind;
};
setKind("¸", kinds.letter);
setKind("0123456789", kinds.digit);
setKind("_", kinds.joiner);
setKind("·", kinds.betweenLetters);
setKind(".,;", kinds.betweenDigits);
setKind("'‘’․", kinds.betweenBoth);

/** The same words as those of `cutAny`, several times as fast: a segmenter makes an object of each space. */
function cutLatin(prose: string): Word[] {
  const words: Word[] = [];
  for (let from = 0; from < prose.length; from++) {
    const first = kindAt(prose, from);
    if (first !== kinds.letter && first !== kinds.digit) continue;
    const end = endOfLatin(prose, from, first);
    addWord(words, prose, from, end);
    from = end;
  }
  return words;
}

const kindAt = (prose: string, at: number): number => kindOf[prose.charCodeAt(at)] ?? kinds.other;

/** Where the word ends that begins at `from`: WB5 to WB13b, as far as there are such characters. */
function endOfLatin(prose: string, from: number, first: number): number {
  let last = first;
  for (let at = from + 1; ; at++) {
    const kind = kindAt(prose, at);
    if (kind !== kinds.other && kind <= kinds.joiner) {
      last = kind;
      continue;
    }
    const between = last === kinds.letter ? kinds.betweenLetters : kinds.betweenDigits;
    const isBetween = last !== kinds.joiner && (kind === between || kind === kinds.betweenBoth);
    if (!isBetween || kindAt(prose, at + 1) !== last) return at;
  }
}

/** As many as a store has, with those of a search that names others. */
const mostLocales = 100;
/** A segmenter takes longer to make than a paragraph to cut. */
const segmenters = new Memo<string, Intl.Segmenter>(mostLocales);

const segmenterOf = (locale: string): Intl.Segmenter =>
  segmenters.get(locale, () => new Intl.Segmenter(locale || "und", { granularity: "word" }));

/** Where words are parted that a segmenter leaves together. A cedilla of its own counts as a letter there. */
const betweenLetters = /(?<=[\p{L}\p{M}¸])[.:](?=[\p{L}¸])/gu;

/** One call for the whole text: each call takes as long as two hundred characters. */
function cutAny(prose: string, locale: string): Word[] {
  const words: Word[] = [];
  for (const { index, segment, isWordLike } of segmenterOf(locale).segment(prose.replace(betweenLetters, " ")))
    if (isWordLike) addWord(words, prose, index, index + segment.length);
  return words;
}

/** Without what joins words at its edges: `_`, and the narrow space before French signs, which the rules hold for one. */
function addWord(words: Word[], prose: string, start: number, end: number): void {
  let from = start;
  let to = end;
  while (from < to && isJoiner(prose[from])) from++;
  while (to > from && isJoiner(prose[to - 1])) to--;
  const word = foldWord(prose.slice(from, to)).slice(0, maxLength).toWellFormed();
  if (word !== "") words.push({ word, from, to });
}

/** What is longer is data: it is searched by its beginning, so that a database can hold it in an index. */
const maxLength = 200;

const joiners = `_\u202f\u203f\u2040\uff3f${wordJoiner}`;
const isJoiner = (character = ""): boolean => joiners.includes(character);
