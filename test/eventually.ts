import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a page may take to show what an act did, on a busy machine. */
const withinMs = 15_000;

/** What a look is to give: a value, a pattern of its text, or a check that throws. */
type Expected<T> = T | RegExp | ((seen: T, what?: string) => void);

/**
 * Repeats a look until it gives what is expected, or, if it asserts by itself, throws no more; fails with its last
 * difference. A page is drawn in frames after an act, and a single look at it fails at random. A look at what must be
 * absent holds at once: it comes after a look that shows that the act is over.
 */
export async function eventually<T>(look: () => T | Promise<T>, expected?: Expected<T>, what?: string): Promise<void> {
  for (const deadline = performance.now() + withinMs; ; await sleep(20)) {
    try {
      return compare(await look(), expected, what);
    } catch (difference) {
      if (performance.now() > deadline) throw difference;
    }
  }
}

function compare<T>(seen: T, expected: Expected<T> | undefined, what: string | undefined): void {
  if (expected instanceof RegExp) assert.match(String(seen ?? ""), expected, what);
  else if (typeof expected === "function") (expected as (seen: T, what?: string) => void)(seen, what);
  else assert.deepEqual(seen, expected, what);
}
