import { formatJson, type JsonObject, parseJson } from "../api/json.ts";
import type { OpenedEntry } from "../api/staged.ts";
import type { Change } from "./draft.ts";

/**
 * Unsaved changes of entries, kept in this tab until they are saved or thrown away, so that no fault of the page, reload
 * or lost session loses them. Other tabs do not see them; signing out removes them.
 */

/** The unsaved changes of an entry. */
export type Kept = {
  /** When they were typed last, in Unix seconds. */
  at: number;
  /** The token of the session in which they were typed. */
  tokenId: string;
  /** The state that they change. */
  base: OpenedEntry;
  change: Change;
  /** Texts that cannot be read as values, with the names of their fields. */
  typed: [name: string, text: string][];
};

const prefix = "octavo.unsaved.";

/** The unsaved changes of the entry with this slug. */
export const keptOf = (slug: string): Kept | undefined =>
  tried(() => {
    const text = sessionStorage.getItem(prefix + slug);
    return text === null ? undefined : (parseJson(text) as unknown as Kept);
  });

/** Returns false when the browser cannot keep them: they are too large, or it forbids it. */
export const keep = (kept: Kept): boolean =>
  tried(() => {
    sessionStorage.setItem(prefix + kept.base.entry.slug, formatJson(kept as unknown as JsonObject));
    return true;
  }) ?? false;

export const drop = (slug: string): void => tried(() => sessionStorage.removeItem(prefix + slug));

/** The ids of the entries whose unsaved changes are kept. */
export const keptSlugs = (): string[] =>
  tried(() =>
    Object.keys(sessionStorage)
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length)),
  ) ?? [];

/** The storage may be full or forbidden, and hold what an older page wrote. */
function tried<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
