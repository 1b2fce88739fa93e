import { writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import type { Refusal, Reply } from "./reply.ts";

/**
 * The main file of a rendering process: `worker.ts <module> <parent's pid> [tied]`. Jobs come and replies go as lines of JSON
 * on descriptor 3; `render` of the module does the work. The parent decides when this process ends; it ends by itself
 * only when the parent is gone.
 */

const maxIdleBytes = 4 * 1024 * 1024;
const [moduleUrl = "", parentPid = "", tied] = process.argv.slice(2);

/** Not exit(): that waits for the threads of libuv, and these may be deep in a picture. */
const endNow = (): unknown => process.kill(process.pid, "SIGKILL");

// A terminal and some service managers signal the whole group: the parent is to finish its work first, then end us.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);

// The main thread may be busy when the parent dies. Where the kernel does not end this process then, another thread
// watches: it costs 18 MB and some 30 ms; as a file with types it would be 36 MB.
const watch = `const { workerData } = require("node:worker_threads");
setInterval(() => { if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL"); }, 250);`;
if (!tied) new Worker(watch, { eval: true, workerData: Number(parentPid) });
// It may have died before the kernel was told.
if (process.ppid !== Number(parentPid)) endNow();

// Where the whole machine or container runs out of memory, the kernel is to take this process and not the service.
attempt(() => writeFileSync("/proc/self/oom_score_adj", "1000"));

const channel = new Socket({ fd: 3 });
channel.on("error", () => undefined);
channel.on("close", endNow);

const { render } = (await import(moduleUrl)) as { render: (job: unknown, room: unknown) => unknown };

// Not at its end, as usual: this process is killed.
flushCompileCache();

// Elsewhere the parent cannot look from outside. A note needs a free main thread, as sharp leaves it.
if (process.platform !== "linux") setInterval(() => say({ rss: process.memoryUsage.rss() }), 100);

let heard = "";
channel.setEncoding("utf8");
channel.on("data", (chunk: string) => {
  const lines = (heard + chunk).split("\n");
  heard = lines.pop() ?? "";
  for (const line of lines) void work(line);
});

async function work(line: string): Promise<void> {
  const { id, job, room } = JSON.parse(line) as { id: number; job: unknown; room: unknown };
  say({ id, isBegun: true });
  try {
    const value = await render(job, room);
    // What it left for the next turn of the loop goes wrong under its own name, not under the next job's.
    await new Promise(setImmediate);
    say({ id, value, rss: process.memoryUsage.rss() });
  } catch (error) {
    say({ id, error: describe(error), rss: process.memoryUsage.rss() });
  }
  collect();
}

/** Pictures that a job has decoded are no part of the heap: V8 would not see a reason to collect them. */
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
    // It was worth a try.
  }
}
