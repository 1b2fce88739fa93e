import { type ArgumentReader, argument, ifSent, passedOver, textReader } from "../core/http/route.ts";
import { Type } from "../core/lib/json-schema.ts";
import { type Locales, parseLocale, required } from "./locale.ts";

/** The argument `locale`: the chain of the locale that it names, of the source none. Contract §24, Setting. */

const named = (description: string, read: ArgumentReader<readonly string[] | undefined>) =>
  argument(Type.Optional(Type.Unsafe<readonly string[]>({ type: "string", description })), read);

const chainIn = (locales: Locales) =>
  textReader((name, text) => locales.chains.get(parseLocale(locales, text, name)) ?? [], "one of the locales");

/** Of a read, which passes over it where there are no locales. Throws locale_unknown. */
export function localeToRead(locales: Locales | undefined) {
  const description =
    "A locale of the setting `locales`: what is translated is answered in it, or in those that it falls back to.";
  return locales ? named(description, ifSent(chainIn(locales))) : passedOver(named(description, () => undefined));
}

/** Of a write. Throws locales_missing, locale_unknown. */
export const localeToWrite = (locales: Locales | undefined) =>
  named(
    "A locale of the setting `locales`: the text is that of this locale alone. Without it that of the source.",
    ifSent((sent, name, call) => chainIn(required(locales))(sent, name, call)),
  );
