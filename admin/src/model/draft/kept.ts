import { formatJson, type JsonObject, parseJson } from "../../api/json.ts";
import type { OpenedEntry } from "../../api/staged.ts";
import type { Change } from "./draft.ts";

/**
 * Unsaved changes of entries and translations, kept in this browser until they are saved or thrown away, so that no closed tab, fault of
 * the page, reload or lost session loses them. Each person has his own; signing out removes them.
 */

/** The unsaved changes of an entry, or of what it says in another locale. */
export type Kept = {
  /** When they were typed last, in Unix seconds. */
  at: number;
  /** The state that they change. */
  base: OpenedEntry;
  change: Change;
  /** Texts that cannot be read as values, with the names of their fields. */
  typed: [name: string, text: string][];
};

const prefix = "octavo.unsaved.";
/** What nobody came back for is removed. */
const keptSeconds = 90 * 86_400;
/** Two tabs may change one entry: each keeps its own. Until the page is loaded again. */
const tab = Math.random().toString(36).slice(2);

const keyOf = (holder: string, { slug, locale }: Place): string =>
  `${prefix}${holder} ${tab} ${slug}${locale === undefined ? "" : ` ${locale}`}`;

/** What is edited. */
export type Place = { slug: string; locale: string | undefined };

export const placeOf = ({ entry, translation }: OpenedEntry): Place => ({
  slug: entry.slug,
  locale: translation?.locale,
});

const isSamePlace = (one: Place, other: Place): boolean => one.slug === other.slug && one.locale === other.locale;

/**
 * The unsaved changes of this place that whoever is signed in typed last, which this tab keeps from now on: the next
 * one to be found are those of a tab before.
 */
export const keptOf = (holder: string, place: Place): Kept | undefined =>
  tried(() => {
    const own = keyOf(holder, place);
    const all = keptBy(holder).filter((each) => isSamePlace(each, place));
    const found = all.find(({ key }) => key === own) ?? all[0];
    if (found && found.key !== own) {
      localStorage.removeItem(found.key);
      localStorage.setItem(own, found.text);
    }
    return found?.kept;
  });

/** Returns false when the browser cannot keep them: they are too large, or it forbids it. */
export const keep = (holder: string, kept: Kept): boolean =>
  tried(() => {
    localStorage.setItem(keyOf(holder, placeOf(kept.base)), formatJson(kept as unknown as JsonObject));
    return true;
  }) ?? false;

/** Forgets what this tab keeps of the place. */
export const drop = (holder: string, place: Place): void => tried(() => localStorage.removeItem(keyOf(holder, place)));

type KeptPlace = Place & { key: string; text: string; kept: Kept };

/** All that is kept for whoever is signed in, what was typed last first. */
export function keptBy(holder: string): KeptPlace[] {
  const keys = tried(() => Object.keys(localStorage)) ?? [];
  const found = keys
    .filter((key) => key.startsWith(`${prefix}${holder} `))
    .flatMap((key) => tried(() => [foundAt(key)]) ?? []);
  return found.sort((one, other) => other.kept.at - one.kept.at);
}

function foundAt(key: string): KeptPlace {
  const text = localStorage.getItem(key) ?? "";
  const kept = parseJson(text) as unknown as Kept;
  return { key, ...placeOf(kept.base), text, kept };
}

/** Throws away all that is kept for whoever is signed in. */
export const dropAll = (holder: string): void =>
  tried(() => {
    for (const { key } of keptBy(holder)) localStorage.removeItem(key);
  });

/** Removes what is older than it is kept, of anybody. */
export function dropOld(nowSeconds: number): void {
  for (const key of tried(() => Object.keys(localStorage)) ?? [])
    if (key.startsWith(prefix) && (tried(() => foundAt(key).kept.at) ?? 0) < nowSeconds - keptSeconds)
      tried(() => localStorage.removeItem(key));
}

/** The storage may be full or forbidden, and hold what an older page wrote. */
function tried<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
