import { refresh } from "../ui/query.ts";

/** Under what an entry that was read is kept. */
export const entryKey = (slug: string): string[] => ["entry", slug];

/** Reads the tree and the lists anew. */
export const rereadEntries = (): Promise<unknown> => refresh("children", "collection");
