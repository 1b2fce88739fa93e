/** The language of the page: the one that was chosen in this browser, else the browser's first that there is. */

/** Those with a catalogue, by the names that they give themselves. */
export const languages = { en: "English", de: "Deutsch", fr: "Français" } as const;
export type Language = keyof typeof languages;

const isLanguage = (tag: string | null | undefined): tag is Language =>
  tag !== null && tag !== undefined && Object.hasOwn(languages, tag);

/** In the browser: it is needed before anybody is signed in. */
const place = "octavo.language";

/** The choice; undefined where the browser's language counts. The storage may be forbidden. */
export function chosenLanguage(): Language | undefined {
  try {
    const chosen = localStorage.getItem(place);
    return isLanguage(chosen) ? chosen : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the choice. The page has it when it is loaded again. */
export function chooseLanguage(choice: Language | undefined): void {
  if (choice === undefined) localStorage.removeItem(place);
  else localStorage.setItem(place, choice);
}

const isPage = "document" in globalThis;

/** Outside of a page, as in tests and workers, it is English. */
const tags: readonly string[] = isPage ? navigator.languages : [];

export const language: Language =
  (isPage ? chosenLanguage() : undefined) ?? tags.map((tag) => tag.split("-")[0]).find(isLanguage) ?? "en";

/** How times and numbers are written: as in the browser's country where that speaks the language. */
export const formatting = tags.find((tag) => tag.split("-")[0] === language) ?? (isPage ? language : undefined);

const fromTheRight = new Set(["ar", "fa", "he", "ur"]);
export const direction: "ltr" | "rtl" = fromTheRight.has(language) ? "rtl" : "ltr";
