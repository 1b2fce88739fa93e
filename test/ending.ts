import { AsyncLocalStorage } from "node:async_hooks";
import { after } from "node:test";

/** Cleanup that always runs: an open resource after a failed assertion would keep the file's process alive. */

type Step = () => unknown;
/** Of a file by itself; files that share a process (group.ts) have their own. */
const ownSteps: Step[] = [];
const stepsOfFile = new AsyncLocalStorage<Step[]>();

/**
 * Runs the step after all tests of the file, in reverse order of registration. A failing step does not prevent the
 * others, as a throwing hook would. May be called anywhere, even in hooks and tests.
 */
export const atEnd = (step: Step): void => void (stepsOfFile.getStore() ?? ownSteps).push(step);

after(() => runSteps(ownSteps));

/** Imports a file of tests inside its suite: what it registers with `atEnd` runs at the end of this suite. */
export async function importFile(file: string): Promise<void> {
  const steps: Step[] = [];
  after(() => runSteps(steps));
  await stepsOfFile.run(steps, () => import(file));
}

async function runSteps(steps: Step[]): Promise<void> {
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
}

/** Runs the work with an opened resource and closes it in any case. */
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
 * Calls `look` repeatedly while the work runs; returns how often. Rejects with the failure of either, once both have
 * ended.
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
