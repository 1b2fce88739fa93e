import { language } from "../language/language.ts";

/** How languages are named, and from which side they are written. */

const names = new Intl.DisplayNames(language, { type: "language" });

/** "German", "Austrian German". */
export const languageName = (locale: string): string => names.of(locale) ?? locale;

/** A language and its tag, as "German (de)". */
export const languageOf = (locale: string): string => `${languageName(locale)} (${locale})`;

type TextInfo = { direction?: "ltr" | "rtl" };
type WithTextInfo = Intl.Locale & { getTextInfo?(): TextInfo };

/** Firefox before 146 does not say it. */
const fromTheRight = new Set(["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"]);

/** True for a language that is written from the right. */
export function isFromTheRight(locale: string): boolean {
  const known: WithTextInfo = new Intl.Locale(locale);
  const { direction } = known.getTextInfo?.() ?? {};
  return direction === undefined ? fromTheRight.has(known.maximize().script ?? "") : direction === "rtl";
}
