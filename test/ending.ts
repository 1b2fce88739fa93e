import { after } from "node:test";

/** What is done however the tests end: a failed assertion must leave nothing open, or its file would never end. */

const steps: (() => unknown)[] = [];

/**
 * Has the step done when all tests of the file are over; what was opened last is closed first. A step that fails keeps
 * none of the others from its turn, as a hook that throws would. May be called anywhere, also in hooks and tests.
 */
export const atEnd = (step: () => unknown): void => void steps.push(step);

after(async () => {
  const failures: unknown[] = [];
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, failures.join("; "));
  if (failures.length > 0) throw failures[0];
});

/** Lets the work have what was opened, and closes it however the work ends. */
export async function closing<T extends { close(): unknown }, R>(
  opening: T | Promise<T>,
  work: (opened: T) => R | Promise<R>,
): Promise<R> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/**
 * Looks again and again while the work goes on; answers how often. Rejects with what either of them fails with, once
 * both have ended.
 */
export async function meanwhile(work: Promise<unknown>, look: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let looks = 0;
  const looking = async () => {
    for (; !isOver; looks++) {
      await look();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const done = work.finally(() => {
    isOver = true;
  });
  for (const ended of await Promise.allSettled([done, looking()])) {
    if (ended.status === "rejected") throw ended.reason;
  }
  return looks;
}
