import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { siblingFile } from "../../lib/sibling.ts";

/** How a rendering process is started, and how it is looked at from outside. */

const workerFile = fileURLToPath(siblingFile(import.meta.url, "worker"));
/** Nothing of ours goes over. With glibc's many arenas the memory of freed pictures stays with the process. */
const environment = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_TRIM_THRESHOLD_: "131072",
  MALLOC_MMAP_THRESHOLD_: "131072",
};
const priority = 10;

/**
 * Starts worker.ts with the module, at a low priority where the system lets us. Descriptor 3 is the channel, stderr can
 * be read. Throws, or emits "error" without having a pid, when the system has nothing left for a process.
 *
 * Not fork(): its channel throws in this process, where nobody can catch it, when the child writes what is no JSON.
 */
export function spawnWorker(module: URL): ChildProcess {
  const words = ["--disable-warning=ExperimentalWarning", workerFile, module.href, String(process.pid)];
  const child = spawn(process.execPath, words, { env: environment, stdio: ["ignore", "ignore", "pipe", "pipe"] });
  lowerPriority(child.pid);
  return child;
}

/** Set from here: on Linux a thread has a priority of its own, and those the process starts itself inherit this one. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.max(getPriority(), priority));
  } catch {
    // It is gone already, or the system does not let us.
  }
}

/** Bytes of resident memory, or nothing where there is no /proc or no such process. `status` has kilobytes, `statm` pages of a size unknown here. */
export function readRss(pid: number | undefined): number | undefined {
  try {
    // Read at once, 20 µs: the thread pool may be full of other files when this matters.
    const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
