/**
 * The forms of a word that posting lists tell apart: stemmers read accents that a fold drops, so `résumé` and `resume` are one
 * word of two stems. A form is the word where its stem is that of the folded word, otherwise the word with its stem.
 */

/** No word has it, and it is before all that one has. */
const mark = "\u0001";

/** `usual`: the stem of the folded word. */
export const formOf = (word: string, stem: string, usual: string): string =>
  stem === usual ? word : `${word}${mark}${stem}`;

export function wordOf(form: string): string {
  const at = form.indexOf(mark);
  return at < 0 ? form : form.slice(0, at);
}

/** The range of all forms of a word: from the one, not including the other. */
export const formsOf = (word: string): [from: string, to: string] => [word, `${word}\u0002`];

/** The same of one form. */
export const oneForm = (form: string): [from: string, to: string] => [form, `${form}${mark}`];
