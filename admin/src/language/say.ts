import { formatting, language } from "./language.ts";

/**
 * All that the page says, in its language. A text is looked up by its English words, which are what is said where the
 * catalogue has none. `test/house/language.test.ts` compares the catalogues with the texts.
 */

type Value = string | number | undefined;
/** What stands in the places of a text; a number is written as the language writes it. */
export type Values = Readonly<Record<string, Value>>;

/** The texts by their English words. Those of a number have its forms in the order of the language's, split by `|`. */
type Catalogue = Readonly<Record<string, string>>;

const catalogues: Readonly<Record<string, () => Promise<{ default: Catalogue }>>> = {
  de: () => import("./de.json"),
  fr: () => import("./fr.json"),
};

// Before any module that says something is run: many say it in their constants.
const catalogue = (await catalogues[language]?.().catch(() => undefined))?.default;

const numbers = new Intl.NumberFormat(formatting);
const plurals = new Intl.PluralRules(language);
const order = ["zero", "one", "two", "few", "many", "other"];
const forms = order.filter((form) => plurals.resolvedOptions().pluralCategories.some((each) => each === form));

/** A text with its values in the places that are named `{like}` this. */
export const say = (text: string, values: Values = {}): string => filled(catalogue?.[text] ?? text, values);

/** The text for one, or for several: `{count}` is how many. */
export function sayMany(count: number, one: string, many: string, values: Values = {}): string {
  const known = catalogue?.[`${one}|${many}`]?.split("|");
  const said = known ? known[Math.min(forms.indexOf(plurals.select(count)), known.length - 1)] : undefined;
  return filled(said ?? (count === 1 ? one : many), { count, ...values });
}

/** The pieces of a text: those at odd places are the names of values. */
export const piecesOf = (text: string): string[] => (catalogue?.[text] ?? text).split(/\{(\w+)\}/);

const filled = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    return typeof value === "number" ? numbers.format(value) : (value ?? place);
  });
