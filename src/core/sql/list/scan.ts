import {
  type Arrival,
  answerCollection,
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
} from "../../list/list.ts";
import type { ListOptions } from "./options.ts";

/** A list that no index serves: every item in scope is tested. */

/** Items that are in memory at once. */
export const batchSize = 500;

export type Candidates = {
  batches: Iterable<CollectionItem[]> | AsyncIterable<CollectionItem[]>;
  arrival: Arrival;
};

/** `scope` identifies what the caller may see. Throws as answerCollection does, and what `watch` throws. */
export async function answerScan(
  query: CollectionQuery,
  scope: string,
  { batches, arrival }: Candidates,
  { options, nowSeconds, watch }: { options: ListOptions; nowSeconds: number; watch(): void },
  noun: string,
): Promise<CollectionAnswer> {
  let read = 0;
  async function* watched() {
    for await (const batch of batches) {
      watch();
      read += batch.length;
      yield batch;
    }
  }
  const answered = await answerCollection(query, scope, watched(), {
    arrival,
    pageBytes: options.pageBytes,
    regexpBudgetMs: options.regexpBudgetMs,
    random: Math.random,
    nowSeconds,
  });
  return { ...answered, plan: `scan of every ${noun}, ${read} read`, isEmpty: read === 0 };
}
