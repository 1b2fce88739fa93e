import { setTimeout as delay } from "node:timers/promises";
import type { Stores } from "./stores.ts";

/** How long it is waited for the bucket: a load balancer waits about a second for the whole reply. */
const bucketWaitMs = 300;

/** What does not answer at each call, though requests are accepted. Each new fault is reported once, not at each call. */
export function degradation({ bucketFault }: Stores, onFault: (error: unknown) => void): () => Promise<string[]> {
  let known: string | undefined;
  return async () => {
    const silence = delay(bucketWaitMs, new Error("the bucket does not answer in time"), { ref: false });
    const error = await Promise.race([bucketFault(), silence]);
    const message = (error as Error | undefined)?.message;
    if (error !== undefined && message !== known) onFault(error);
    known = message;
    return error === undefined ? [] : ["bucket"];
  };
}
