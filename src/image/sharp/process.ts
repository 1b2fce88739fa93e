import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lowerPriority } from "../../core/lib/priority.ts";
import { siblingFile } from "../../core/lib/sibling.ts";

/** How a rendering process is started, and how its resources are measured from outside. */

const workerFile = fileURLToPath(siblingFile(import.meta.url, "worker"));
const cacheFolder = fileURLToPath(new URL("../../../node_modules/.cache/octavo", import.meta.url));
/**
 * Passes on none of the service's environment. With more glibc arenas the memory of freed pictures stays with the
 * process: two arenas took 60 MB more, of 620. With smaller thresholds a picture of 2 megapixels takes a twentieth
 * longer, for pages that are mapped and unmapped. In a checkout the types are stripped once here and not in each
 * process, where that takes 30 MB.
 */
const environment = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "4194304",
  MALLOC_MMAP_THRESHOLD_: "4194304",
  ...(workerFile.endsWith(".ts") && { NODE_COMPILE_CACHE: cacheFolder }),
};
/** Few threads and a small young generation: the pictures are not on V8's heap. `gc` frees decoded ones. */
const nodeFlags = [
  "--disable-warning=ExperimentalWarning",
  "--expose-gc",
  "--max-semi-space-size=1",
  "--v8-pool-size=1",
];

/**
 * The command prefix that lets the kernel end the process together with its parent, however busy it is: prctl(2),
 * PR_SET_PDEATHSIG.
 */
const tie = ["setpriv", "--pdeathsig", "KILL"] as const;
let isTied: boolean | undefined;

/** Whether setpriv supports this: util-linux's does, on Linux only, and BusyBox's does not. */
function canTie(): boolean {
  const [program, ...words] = tie;
  isTied ??= process.platform === "linux" && spawnSync(program, [...words, "true"]).status === 0;
  return isTied;
}

/**
 * Starts worker.ts with the module, at a low priority where the system permits it. Descriptor 3 is the channel, stderr
 * is a pipe. Throws, or emits "error" without having a pid, when the system is out of resources for a process.
 *
 * Not fork(): its channel throws in this process, where nothing can catch it, when the child writes invalid JSON.
 */
export function spawnWorker(module: URL, niceness?: number): ChildProcess {
  const words = [process.execPath, ...nodeFlags, workerFile, module.href, String(process.pid)];
  const [program = "", ...rest] = canTie() ? [...tie, ...words, "tied"] : words;
  const child = spawn(program, rest, { env: environment, stdio: ["ignore", "ignore", "pipe", "pipe"] });
  lowerPriority(child.pid, niceness);
  return child;
}

/**
 * Bytes of resident memory; undefined where /proc or the process does not exist. `status` is in kilobytes, `statm` in
 * pages of a size unknown here.
 */
export function readRss(pid: number | undefined): number | undefined {
  try {
    // Read synchronously, 20 µs: the thread pool may be full of other files when this matters.
    const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Clock ticks of /proc, proc(5): 100 a second on every architecture that Node runs on. */
const tickMs = 10;

/** Processor time of all threads of a process in ms; undefined where /proc or the process does not exist. */
export function readCpuMs(pid: number | undefined): number | undefined {
  try {
    // The program's name, in parentheses, may hold anything. Of the fields after it, utime and stime are the 12th and
    // 13th.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ");
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return undefined;
  }
}
