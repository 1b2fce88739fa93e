import {
  type AnswerOptions,
  answerCollection,
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
} from "../../../domain/collection.ts";

/** What collections of entries, files and folders share. */

export type ListOptions = { pageBytes: number; regexpBudgetMs: number };

/** The main thread answers only queries over at most this many items. */
export const quickItems = 200;
export const batchSize = 500;

export type Candidates = Pick<AnswerOptions, "arrival" | "skipped" | "total"> & {
  batches: Iterable<CollectionItem[]> | AsyncIterable<CollectionItem[]>;
};

/** Answers a query from its candidates. `scope` identifies what the caller may see. Throws as answerCollection does. */
export function answerWith(
  query: CollectionQuery,
  scope: string,
  { batches, ...found }: Candidates,
  options: ListOptions,
  nowSeconds: number,
): Promise<CollectionAnswer> {
  return answerCollection(query, scope, batches, {
    ...found,
    pageBytes: options.pageBytes,
    regexpBudgetMs: options.regexpBudgetMs,
    random: Math.random,
    nowSeconds,
  });
}
