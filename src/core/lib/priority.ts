import { getPriority, setPriority } from "node:os";

/** Added to the niceness of the service. */
const usualNiceness = 10;

/**
 * Lowers the priority of a process if the system permits it. Set from outside: on Linux each thread has its own priority,
 * and threads that the process starts later inherit this one.
 */
export function lowerPriority(pid: number | undefined, niceness = usualNiceness): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.max(getPriority(), niceness));
  } catch {
    // The process has ended, or the system does not permit it.
  }
}
