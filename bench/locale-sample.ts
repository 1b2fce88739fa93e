/** What samples say in the locales of the bench `locales`. */

export const locales = ["en", "de", "fr"] as const;

/** Of five samples one has no translation: a list has both. */
export const isTranslated = (n: number): boolean => n % 5 !== 0;

export const titles = { en: "Entry number", de: "Eintrag Nummer", fr: "Article numéro" } as const;
export const states = {
  en: ["new", "open", "done"],
  de: ["neu", "offen", "fertig"],
  fr: ["nouveau", "ouvert", "fini"],
} as const;
const contents = {
  de: "Zwei flinke Boxer jagen die quirlige Eva durch Sylt. ",
  fr: "Portez ce vieux whisky au juge blond qui fume. ",
} as const;

/** Three keys of each. */
export function translationsOf(n: number): Readonly<Record<string, object>> {
  if (!isTranslated(n)) return {};
  const inLocale = (locale: "de" | "fr") => ({
    title: `${titles[locale]} ${n}`,
    state: states[locale][n % 3],
    content: contents[locale].repeat(3),
  });
  return { de: inLocale("de"), fr: inLocale("fr") };
}
