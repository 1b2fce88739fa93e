import type { Access } from "../core/access/access.ts";
import type { CollectionAnswer, CollectionQuery } from "../core/list/list.ts";
import type { Asker } from "../core/list/query.ts";
import type { UploadsAddress } from "../file/folder.ts";
import type { Way } from "./way.ts";

/** Searches: what is asked, and where it is answered. Contract §25. */

/** A search, validated. Plain data: it is passed to a store's thread. */
export type SearchAsk = {
  q: string;
  /** False: the last word is whole. */
  prefix: boolean;
  facets: readonly string[];
  /** Whether the answer says what each match is worth. */
  wantsWhy: boolean;
  way: Way;
};

export interface SearchStore {
  /**
   * Answers with a page of what was found, the best first, and with `matches`, `facets`, `total` and `dropped` beside it. What
   * was written before is found. Throws entry_not_found, argument_invalid, filter_too_costly, busy.
   */
  find(ask: SearchAsk, query: CollectionQuery, access: Access, asker?: Asker): Promise<CollectionAnswer>;
  /** The same of files, as they are in the first locale of the chain. Throws folder_not_found. */
  findFiles(
    ask: SearchAsk,
    query: CollectionQuery,
    address: UploadsAddress,
    access: Access,
    asker?: Asker,
    chain?: readonly string[],
  ): Promise<CollectionAnswer>;
  /**
   * Indexes what was written since, some at a time; a build that was cut short goes on where it was. `say` gets a sentence
   * about how far a build is that takes more than one write, at each tenth.
   */
  index(way: Way, say?: (sentence: string) => void): Promise<void>;
  /** Takes what has ended out of the index, some at a time, if that is a quarter of it and at least so many documents. */
  sweep(way: Way, least?: number): Promise<void>;
}
