import { writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Refusal, Reply } from "./reply.ts";

/**
 * The main file of a rendering process: `worker.ts <module> <parent's pid> [tied]`. Receives jobs and sends replies as
 * lines of JSON on descriptor 3; `render` of the module does the work. The parent decides when this process ends; it
 * ends by itself only when the parent has exited.
 */

const maxIdleBytes = 4 * 1024 * 1024;
const [moduleUrl = "", parentPid = "", tied] = process.argv.slice(2);

/** Not exit(): that waits for the threads of libuv, and these may be in the middle of a picture. */
const endNow = (): unknown => process.kill(process.pid, "SIGKILL");

// A terminal and some service managers signal the whole process group: the parent must finish its work first, then ends
// this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);

// The main thread may be busy when the parent dies. Where the kernel does not end this process then, another thread
// watches the parent: it costs 18 MB and some 30 ms; as a file with types it would cost 36 MB.
const watch = `const { workerData } = require("node:worker_threads");
setInterval(() => { if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL"); }, 250);`;
if (!tied) new Worker(watch, { eval: true, workerData: Number(parentPid) });
// The parent may have died before prctl took effect.
if (process.ppid !== Number(parentPid)) endNow();

// When the machine or container runs out of memory, the kernel must kill this process and not the service.
attempt(() => writeFileSync("/proc/self/oom_score_adj", "1000"));

const channel = new Socket({ fd: 3 });
channel.on("error", () => undefined);
channel.on("close", endNow);

const { render } = (await import(moduleUrl)) as { render: (job: unknown, concurrency: unknown) => unknown };

// Not at process exit, as usual: this process is killed.
flushCompileCache();

// On other systems the parent cannot measure from outside. A message needs a free main thread, which sharp leaves.
if (process.platform !== "linux") setInterval(() => say({ rss: process.memoryUsage.rss() }), 100);

let heard = "";
channel.setEncoding("utf8");
channel.on("data", (chunk: string) => {
  const lines = (heard + chunk).split("\n");
  heard = lines.pop() ?? "";
  for (const line of lines) void work(line);
});

async function work(line: string): Promise<void> {
  const { id, job, concurrency } = JSON.parse(line) as { id: number; job: unknown; concurrency: unknown };
  say({ id, isBegun: true });
  try {
    const value = await render(job, concurrency);
    // What the job left for the next turn of the event loop fails under its own id, not under the next job's.
    await setImmediate();
    say({ id, value, rss: process.memoryUsage.rss() });
  } catch (error) {
    say({ id, error: describe(error), rss: process.memoryUsage.rss() });
  }
  collect();
}

/** Decoded pictures are not on the heap: V8 would see no reason to collect them. */
function collect(): void {
  if (process.memoryUsage().arrayBuffers > maxIdleBytes) globalThis.gc?.();
}

function say(reply: Reply): void {
  channel.write(`${JSON.stringify(reply)}\n`);
}

function describe(error: unknown): Refusal {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return {
    code: typeof code === "string" ? code.slice(0, 100) : "internal",
    message: String(message ?? error).slice(0, 2000),
  };
}

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // Best effort.
  }
}
