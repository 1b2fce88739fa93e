import {
  answerCollection,
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
} from "../../../domain/collection.ts";

/** What collections of entries, files and folders have in common. */

export type ListOptions = { pageBytes: number; regexpBudgetMs: number };

/** What the main thread answers by itself: at most so many items are looked at. */
export const quickItems = 200;
export const batchSize = 500;

export type Candidates = { batches: Iterable<CollectionItem[]> | AsyncIterable<CollectionItem[]>; isSorted: boolean };

/** Answers a query out of its candidates. `scope` says what the caller may see. Throws as answerCollection does. */
export function answerWith(
  query: CollectionQuery,
  scope: string,
  { batches, isSorted }: Candidates,
  options: ListOptions,
  nowSeconds: number,
): Promise<CollectionAnswer> {
  return answerCollection(query, scope, batches, {
    sorted: isSorted,
    pageBytes: options.pageBytes,
    regexpBudgetMs: options.regexpBudgetMs,
    random: Math.random,
    nowSeconds,
  });
}
