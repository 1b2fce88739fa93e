import { list, type SettingStates } from "../core/lib/setting.ts";
import { canonicalLocale, maxLocales, readChains } from "./locale.ts";

/** The settings of translations. */

const acceptedLocales = `at most ${maxLocales} language tags, each once, as en,de,de-AT; the first is that of the source`;

const locales = list({
  default: [],
  isItem: (item) => canonicalLocale(item) !== undefined,
  accepted: acceptedLocales,
  help: "Locales in which entries are written (BCP 47). The first is the source: what entries say themselves; they are translated into the others. None: there are no translations.",
});

export const translationSettings = {
  locales: {
    ...locales,
    parse: (received: string) => {
      const parsed = locales.parse(received)?.map((item) => canonicalLocale(item) as string);
      const isAccepted = parsed && parsed.length <= maxLocales && new Set(parsed).size === parsed.length;
      return isAccepted ? Object.freeze(parsed) : undefined;
    },
  },
  locale_fallbacks: list({
    default: [],
    isItem: (item) => /^[^>]+(>[^>]+)+$/.test(item),
    accepted: "chains of locales, as fr>de,pt>es>fr",
    help: "What a locale shows where it has no translation: the others in this order, then the source. Without a chain a locale falls back to its own prefixes, de-AT to de, then to the source.",
  }),
};

/** Sentences about chains that name what is no locale, or go round. */
export function translationFaults(states: SettingStates): string[] {
  const textsOf = (name: string) => (states.get(name)?.value ?? []) as readonly string[];
  const [all, chains] = [textsOf("locales"), textsOf("locale_fallbacks")];
  return readChains(all, chains).faults.map((fault) => `locale_fallbacks: ${fault}`);
}
