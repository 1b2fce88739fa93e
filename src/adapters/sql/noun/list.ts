import type { Reader } from "../../../domain/access.ts";
import {
  type AnswerOptions,
  answerCollection,
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
} from "../../../domain/collection.ts";
import { problem } from "../../../domain/problem.ts";

/** What collections of entries, files and folders share. */

export type ListOptions = {
  pageBytes: number;
  regexpBudgetMs: number;
  /** How long a scan may take, by its reader. */
  scanBudgetMs: Readonly<Record<Reader, number>>;
};

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
  watch?: () => void,
): Promise<CollectionAnswer> {
  return answerCollection(query, scope, watch ? watched(batches, watch) : batches, {
    ...found,
    pageBytes: options.pageBytes,
    regexpBudgetMs: options.regexpBudgetMs,
    random: Math.random,
    nowSeconds,
  });
}

/** A function that throws once the scan must stop: filter_too_costly above its time limit, busy when its client has disconnected. */
export function watchOf({ scanBudgetMs }: ListOptions, isStopped: () => boolean, reader: Reader): () => void {
  const endMs = performance.now() + scanBudgetMs[reader];
  return () => {
    if (isStopped()) throw problem("busy", { reason: "the client has left" });
    if (performance.now() > endMs) throw problem("filter_too_costly", { argument: "filter" });
  };
}

async function* watched(batches: Candidates["batches"], watch: () => void): AsyncGenerator<CollectionItem[]> {
  for await (const batch of batches) {
    watch();
    yield batch;
  }
}
