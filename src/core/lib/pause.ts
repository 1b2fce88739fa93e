import { setImmediate } from "node:timers/promises";

/** What one piece of work may take before other work of the thread has its turn. */
const maxBusyMs = 10;

/** A pause to take between the steps of long work: nothing until the steps took long together. */
export function pauses(): () => Promise<void> | undefined {
  let startMs = performance.now();
  return () => {
    if (performance.now() - startMs < maxBusyMs) return undefined;
    return setImmediate().then(() => {
      startMs = performance.now();
    });
  };
}
