import { refresh } from "../ui/query.ts";

/** The query key of an entry, or of what it says in another locale than the source's. */
export const entryKey = (slug: string, locale?: string): string[] =>
  locale ? ["entry", slug, "in", locale] : ["entry", slug];

/** Reloads the tree and the lists. */
export const rereadEntries = (): Promise<unknown> => refresh("children", "collection");

/** Reloads the open entries, too. */
export const rereadAll = (): Promise<unknown> => Promise.all([rereadEntries(), refresh("entry")]);
