import { getPriority, setPriority } from "node:os";

/** Added to the niceness of the service. */
const usualNiceness = 10;

/**
 * Lets the others go first, as far as the system lets us. Set from outside: on Linux a thread has a priority of its own,
 * and those that the process starts itself inherit this one.
 */
export function lowerPriority(pid: number | undefined, niceness = usualNiceness): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.max(getPriority(), niceness));
  } catch {
    // It is gone already, or it may not be.
  }
}
