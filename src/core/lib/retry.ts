import { setTimeout as delay } from "node:timers/promises";

/** Waits that double with each failure in a row, from the first to the last. */
export const growingWaits =
  (firstMs: number, lastMs: number): ((failures: number) => number) =>
  (failures) =>
    Math.min(firstMs * 2 ** (failures - 1), lastMs);

const delayMs = growingWaits(50, 2000);

/**
 * Retries the work until it succeeds or its tries are used up; then throws the last failure. `costOf` says how many
 * tries a failure uses up: one, more when it took long, Infinity when it is permanent. Doubles the delay each time,
 * minus up to half of it at random, so that clients that failed together do not retry together.
 */
export async function retry<T>(work: () => Promise<T>, tries: number, costOf: (error: unknown) => number): Promise<T> {
  let left = tries;
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      left -= costOf(error);
      if (left <= 0) throw error;
      await delay(delayMs(failures) * (0.5 + Math.random() / 2));
    }
  }
}
