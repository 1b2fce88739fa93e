import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * What a process must have before it loads anything: a folder for compiled code, and for some what bounds its memory and is
 * read only when a process starts: V8's flag of the main thread's young generation, which otherwise grows to 64 MB and stays
 * there (threads have resourceLimits), and glibc's number of arenas, each of which keeps what was freed in it. Decision 44.
 */

const youngFlag = "--max-semi-space-size";
/** MiB of one of the two halves. */
const maxSemiSpaceMib = 8;
const maxArenas = "2";
/**
 * For a command: its old generation is collected from this many MiB on, and then after each growth by so many percent.
 * By default V8 first waits for some 250 MiB and keeps what it had. The service's heap is left to V8.
 */
const commandFlags = ["--initial-old-space-size=48", "--heap-growing-percent=40"];

/** The service, also by itself, and the commands that read and write as much as a store holds. Others are short. */
export const isTuned = (name: string | undefined): boolean =>
  isService(name) || name === "restore" || name === "import";

/** Without a command, flags may follow at once: settings of the sample site. */
export const isService = (name: string | undefined): boolean =>
  name === undefined || name === "serve" || /^--(?!help|version)/.test(name);

/** Compiled code, which each start otherwise makes anew, in a checkout from types, too. Not written where it may not be. */
const cacheFolder = fileURLToPath(new URL("../../node_modules/.cache/octavo", import.meta.url));

/**
 * Replaces this process by the same command with these settings: the pid, the descriptors and the arguments stay. Does
 * nothing where they are set, by an earlier restart or by the operator, nor in a process with a channel to its parent,
 * which would lose it: a worker inherits the settings. Nor where the system cannot replace a process (Windows).
 */
export function restartTuned(): void {
  const { env, execArgv, execPath, argv } = process;
  const isSet = [...execArgv, env.NODE_OPTIONS ?? ""].some((text) => text.includes(youngFlag));
  if (isSet || process.channel || process.platform === "win32" || !process.execve) return;
  const flags = [`${youngFlag}=${maxSemiSpaceMib}`, ...(isService(argv[2]) ? [] : commandFlags)];
  process.execve(execPath, [execPath, ...execArgv, ...flags, ...argv.slice(1)], {
    MALLOC_ARENA_MAX: maxArenas,
    NODE_COMPILE_CACHE: cacheFolder,
    ...env,
  });
}

/**
 * Threads for calls of the file system. Each waits for the disk, which makes the bytes of many files durable in the time of one:
 * libuv's four are too few for an import of many small files. It reads the variable when the first call is made.
 */
const diskThreads = "16";

/** For a command, restarted or not: compiled code is kept, of its threads, too, which read the variable. */
export function prepareCommand(): void {
  process.env.UV_THREADPOOL_SIZE ??= diskThreads;
  process.env.NODE_COMPILE_CACHE ??= cacheFolder;
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
