/** Shared by the scenarios: servers in separate processes, load on them, and lines of rounds. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoadPlan, LoadResult } from "./load.ts";
import { cpuMicrosOf } from "./processes.ts";
import type { Line } from "./scenario.ts";

export type Server = { child: ChildProcess; port: number };
/** The requests of a scenario; the rest of the plan is the same for all. */
export type Asked = Pick<LoadPlan, "connections" | "requests" | "fillerBytes">;
/** A rate, and the server's processor time per unit, including the kernel's: it varies less than the rate.
 *  `figures` are further numbers for the note, by name. */
export type Measured = { perSecond: number; cpuMicros: number; figures?: Record<string, number> };
export type Sample = LoadResult & Measured;
/** Measures the baseline for the same plan. */
export type Yardstick = (plan: LoadPlan) => Promise<Measured>;
/** One line before it is measured. */
export type Row = {
  work: string;
  goal: string;
  /** One round; numbers in requests begin at `from`. */
  measure: (from: number) => Promise<Sample>;
  yardstick: () => Promise<Measured>;
};

export const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`;
export const random = (count: number): number => Math.floor(Math.random() * count);
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const file = (name: string): string => new URL(name, import.meta.url).pathname;

/** Runs with a new folder, which is removed afterwards, also when the bench is stopped. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "octavo-bench-"));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove);
  try {
    return await work(folder);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

// ---------------------------------------------------------------------------------------------- servers

// No process is left when the bench fails or is stopped.
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill();
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** The service on the folder, its access log on. */
export const startOctavo = (folder: string, ...flags: string[]): Promise<Server> =>
  startOctavoWith({}, folder, ...flags);

/** The same with settings in the environment. */
export const startOctavoWith = (env: Record<string, string>, folder: string, ...flags: string[]): Promise<Server> =>
  start("../src/octavo.ts", ["serve", "--port", "0", "--data", folder, ...flags], env);

/** Compiled, as in the published package: type stripping takes 25 MB of each server's memory. */
const env = { ...process.env, NODE_COMPILE_CACHE: file("../node_modules/.cache/octavo") };

/** Starts a script of this folder as a server, and waits until it has printed its URL. */
export async function start(script: string, args: string[], more: Record<string, string> = {}): Promise<Server> {
  const child = spawn(process.execPath, [file(script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...env, ...more },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const output = child.stdout as NonNullable<typeof child.stdout>;
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${script} ended with ${code} before it answered`)));
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk;
      const found = /http:\/\/127\.0\.0\.1:(\d+)\D/.exec(text);
      if (!found) return;
      // From here on the access log is read, as by a supervisor, but not parsed: that would take a core from the server.
      output.off("data", read).resume();
      resolve(Number(found[1]));
    };
    output.on("data", read);
  });
  return { child, port };
}

/** Stops the server and waits until it has closed its files. */
export async function stop({ child }: Server): Promise<void> {
  const exited = once(child, "exit");
  child.kill();
  await exited;
}

/** Starts a server of this folder and measures it with the plan. */
export async function loadOnNew(script: string, args: string[], plan: LoadPlan): Promise<Sample> {
  const server = await start(script, args);
  try {
    return await loadOn(server, plan);
  } finally {
    await stop(server);
  }
}

/** A bare server that answers, from memory, with the reply to the first request of the plan. */
export function bareOf(octavo: Server, folder: string): Yardstick {
  return async (plan) => {
    const path = /^GET (\S+)/.exec(plan.requests[0] as string)?.[1] as string;
    const reply = await fetch(`http://127.0.0.1:${octavo.port}${path}`, { headers: { "Accept-Encoding": "identity" } });
    const body = join(folder, "body");
    writeFileSync(body, Buffer.from(await reply.arrayBuffer()));
    return loadOnNew("./bare.ts", ["memory", body], plan);
  };
}

// ---------------------------------------------------------------------------------------------- load

/** Throws when a request fails. `cpuOf` answers the processor time so far. */
export async function loadOn(server: Server, plan: LoadPlan, cpuOf = cpuMicrosOf): Promise<Sample> {
  const sample = await loadAnyhow(server, plan, cpuOf);
  if (sample.failures > 0) throw new Error(`${sample.failures} of ${sample.requests} requests failed`);
  return sample;
}

/** The same for requests that may fail. */
export async function loadAnyhow({ child, port }: Server, plan: LoadPlan, cpuOf = cpuMicrosOf): Promise<Sample> {
  const before = cpuOf(child.pid as number);
  const result = await askChild<LoadResult>("./load.ts", { ...plan, port });
  return { ...result, cpuMicros: (cpuOf(child.pid as number) - before) / result.requests };
}

/** Runs a command of the service; answers how many seconds it took. */
export async function secondsOf(more: Record<string, string>, words: string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [file("../src/octavo.ts"), ...words], {
    env: { ...env, ...more },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`octavo ${words[0]} ended with ${code}`);
  return (performance.now() - began) / 1000;
}

/** Runs a script of this folder with one plan, at this niceness. */
export function askChild<T>(script: string, plan: object, niceness = 0): Promise<T> {
  // nice(1): a process that lowers its own priority does so for one of its threads.
  const child = fork(file(script), { execPath: "nice", execArgv: ["-n", String(niceness), process.execPath] });
  running.add(child);
  child.send(plan);
  return new Promise((resolve, reject) => {
    child.once("message", (result) => {
      child.kill();
      resolve(result as T);
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      running.delete(child);
      reject(new Error(`${script} ended with ${code} before it answered`));
    });
  });
}

// ---------------------------------------------------------------------------------------------- the rounds

type Result = Sample & { ratio: number; cpuRatio: number };

/** Measures service and baseline in turn. Each round uses new numbers. */
export async function measure({ work, goal, measure, yardstick }: Row, rounds: number): Promise<Line> {
  const results: Result[] = [];
  for (let round = 0; round < rounds; round++) {
    const result = await inRound(work, round, measure);
    const standard = await yardstick();
    results.push({ ...beside(result, standard), figures: { ...result.figures, ...standard.figures } });
  }
  return lineOf(work, goal, results);
}

/** Measures rows in turn; the first is the baseline of all. */
export async function compare(rows: Omit<Row, "yardstick">[], rounds: number): Promise<Line[]> {
  const results: Result[][] = rows.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const samples: Sample[] = [];
    for (const { work, measure } of rows) samples.push(await inRound(work, round, measure));
    for (const [i, sample] of samples.entries()) results[i]?.push(beside(sample, samples[0] as Sample));
  }
  return rows.map(({ work, goal }, i) => lineOf(work, goal, results[i] as Result[]));
}

function inRound(work: string, round: number, measure: Row["measure"]): Promise<Sample> {
  return measure(round * 1e7).catch((error: unknown) => {
    throw new Error(`${work}: a round failed`, { cause: error });
  });
}

const beside = (sample: Sample, { perSecond, cpuMicros }: Measured): Result => ({
  ...sample,
  ratio: sample.perSecond / perSecond,
  cpuRatio: cpuMicros / sample.cpuMicros,
});

/** The medians of the rounds. */
function lineOf(work: string, goal: string, results: Result[]): Line {
  const median = (pick: (result: Result) => number): number =>
    results.map(pick).sort((a, b) => a - b)[Math.floor(results.length / 2)] as number;
  const rounded = results.map(
    (r) => `${Math.round(r.perSecond)} (${r.ratio.toFixed(2)}, cpu ${r.cpuRatio.toFixed(2)})`,
  );
  console.error(`${work}: ${rounded.join(" ")}`);
  const figures = Object.keys(results[0]?.figures ?? {});
  return {
    work,
    perSecond: median((r) => r.perSecond),
    p99Ms: median((r) => r.p99Ms),
    cpuMicros: median((r) => r.cpuMicros),
    ratio: median((r) => r.ratio),
    cpuRatio: median((r) => r.cpuRatio),
    goal,
    note: figures.map((name) => `${name} ${median((r) => r.figures?.[name] ?? 0).toFixed(1)}`).join(", "),
  };
}
