import { refresh } from "../ui/query.ts";

/** The query key of an entry. */
export const entryKey = (slug: string): string[] => ["entry", slug];

/** Reloads the tree and the lists. */
export const rereadEntries = (): Promise<unknown> => refresh("children", "collection");

/** Reloads the open entries, too. */
export const rereadAll = (): Promise<unknown> => Promise.all([rereadEntries(), refresh("entry")]);
