import type { Locales } from "../translation/locale.ts";
import { languageOf } from "./query.ts";

/** How the texts of a store are cut into words. Plain data: it is passed to the threads of the store. */
export type Way = {
  /** The language of what entries themselves say; "" for none. */
  readonly source: string;
  /** Of each locale but the source itself and those that it falls back to, without the source. */
  readonly chains: readonly (readonly string[])[];
};

/** A change of how words are cut, or of how they are kept, begins a new number: the index is built anew. */
const version = 2;

export const wayOf = (locales: Locales | undefined, language: string): Way => ({
  source: locales?.source ?? language,
  chains: locales ? [...locales.chains.values()].filter((chain) => chain.length > 0) : [],
});

/** A text that is another one for another way. */
export const nameOf = (way: Way): string => JSON.stringify([version, way.source, way.chains]);

export const languagesOf = ({ source, chains }: Way): string[] => [
  ...new Set([source, ...chains.map(([own = ""]) => own)].map(languageOf)),
];
