import { setTimeout as delay } from "node:timers/promises";

const firstDelayMs = 50;
const lastDelayMs = 2000;

/**
 * Retries the work until it succeeds or its tries are used up; then throws the last failure. `costOf` says how many
 * tries a failure uses up: one, more when it took long, Infinity when it is permanent. Doubles the delay each time,
 * minus up to half of it at random, so that clients that failed together do not retry together.
 */
export async function retry<T>(work: () => Promise<T>, tries: number, costOf: (error: unknown) => number): Promise<T> {
  let left = tries;
  for (let waitMs = firstDelayMs; ; waitMs = Math.min(2 * waitMs, lastDelayMs)) {
    try {
      return await work();
    } catch (error) {
      left -= costOf(error);
      if (left <= 0) throw error;
      await delay(waitMs * (0.5 + Math.random() / 2));
    }
  }
}
