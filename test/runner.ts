/** Runs test files in processes, several at a time; none of them can block the others. */
import "./env.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { cachedBundles } from "../scripts/threads.ts";
import { orLong } from "./long.ts";

const root = join(import.meta.dirname, "..");
const groupFile = join(import.meta.dirname, "group.ts");

/** The number of concurrent processes, on two cores: each of them is idle for a third of its time or more. */
export const concurrency = 3;

/** How many files share a process. With more of them a run of all files ends later: its last process runs alone. */
export const filesOfProcess = 12;
/** The same of slow files: a process for each would cost one hundredth of their time, and twelve of them take minutes. */
export const slowFilesOfProcess = 3;

/** Prepares this process's environment, which all others inherit: the compile cache, the bundles of threads. */
export async function prepareEnvironment(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "compiled");
  process.env.OCTAVO_TEST_THREADS = await cachedBundles(join(root, "node_modules", ".cache", "threads"));
  const hook = pathToFileURL(join(import.meta.dirname, "bundled.mjs"));
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --import=${hook}`.trim();
}

export type RunOptions = {
  concurrency: number;
  /** Only tests whose names match. */
  only?: string | undefined;
  /** Variables in addition to those of this process. Files that share a process have the same. */
  envOf(file: string): Record<string, string>;
};

/** The counts in the closing lines of node:test. */
const counted = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"] as const;
type Counts = Record<(typeof counted)[number], number>;
type Outcome = { output: string; failures: string; counts: Counts; seconds: Record<string, number> };

/**
 * The time limit of a file, a multiple of what the slowest takes on two idle cores. A file that needs more has a
 * comment: `Time limit: 900 s`.
 */
const fileSeconds = orLong(240, 1800);
/** What files that share a process have together: those are short. */
const groupSeconds = 2 * fileSeconds;
/** How long after the end of a process its pipes are read, when another one holds them. */
const pipesMs = 2000;

const textOf = (file: string): string => readFileSync(file, "utf8");
const limitOf = (file: string): number =>
  Math.max(fileSeconds, Number(/Time limit: (\d+) s/.exec(textOf(file))?.[1] ?? 0));

/**
 * Files in groups that share a process, in this order. A file is alone when a comment says why (`Own process: why`), or
 * `isLong` says that it takes a while: then others would wait for it.
 */
export function groupsOf(
  files: readonly string[],
  isLong: (file: string) => boolean,
  perProcess: number = filesOfProcess,
): string[][] {
  const isAlone = (file: string): boolean => isLong(file) || /^\/\/ Own process: /m.test(textOf(file));
  const groups = files.filter(isAlone).map((file) => [file]);
  const rest = files.filter((file) => !isAlone(file));
  const count = Math.ceil(rest.length / perProcess);
  for (let n = 0; n < count; n++) {
    groups.push(rest.slice(Math.round((n * rest.length) / count), Math.round(((n + 1) * rest.length) / count)));
  }
  return groups;
}

/** Starts the groups in this order, prints the output of each when it ends, then the totals. True when all passed. */
export async function runFiles(groups: readonly string[][], options: RunOptions): Promise<boolean> {
  const startedMs = performance.now();
  const waiting = [...groups];
  const results: Outcome[] = [];
  const worker = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const result = await runGroup(group, options);
      results.push(result);
      process.stdout.write(result.output);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return close(results, performance.now() - startedMs);
}

async function runGroup(files: readonly string[], { envOf, only }: RunOptions): Promise<Outcome> {
  const [first = ""] = files;
  const startedMs = performance.now();
  const fileLimit = Math.max(...files.map(limitOf));
  const limit = files.length === 1 ? fileLimit : Math.max(fileLimit, groupSeconds);
  // A test times out shortly before its file, so that the report names it.
  const flags = [`--test-timeout=${(fileLimit - 20) * 1000}`, "--test-reporter=spec"];
  if (only) flags.push(`--test-name-pattern=${only}`);
  const words = files.length === 1 ? files : [groupFile, ...files];
  const child = spawn(process.execPath, [...flags, ...words], {
    cwd: root,
    env: { ...process.env, ...envOf(first) },
    stdio: ["ignore", "pipe", "pipe"],
    // In its own process group, so that everything it started can be killed with it.
    detached: true,
  });
  let output = "";
  const hear = (chunk: string) => {
    output += chunk;
  };
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  const killGroup = () => {
    try {
      process.kill(-(child.pid as number), "SIGKILL");
    } catch {
      // The process group is empty.
    }
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup();
  }, limit * 1000);
  process.once("exit", killGroup);
  // Kills leftover processes: they would keep the pipes open and slow down the others. Those in a group of their own are left
  // when the process is killed before its cleanup: their pipes are no longer read.
  child.once("exit", () => {
    killGroup();
    setTimeout(() => [child.stdout, child.stderr].forEach((pipe) => void pipe.destroy()), pipesMs).unref();
  });
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  process.off("exit", killGroup);
  const ending = isLate ? `was still running after ${limit} s` : code === 0 ? undefined : `ended with code ${code}`;
  const name = files.map((file) => relative(root, file)).join(", ");
  const seconds = files.length === 1 ? { [name]: (performance.now() - startedMs) / 1000 } : secondsIn(output);
  return { ...read(name, output, ending), seconds };
}

/** The duration of each file of a group: that of its suite. */
const secondsIn = (output: string): Record<string, number> =>
  Object.fromEntries(
    [...output.matchAll(/^[✔✖] ((?:src|test)\/\S+) \(([\d.]+)ms\)/gm)].map(([, file, ms]) => [file, Number(ms) / 1000]),
  );

/** Parses the closing lines of a process. One that fails without a failed test counts as a failed test. */
function read(name: string, output: string, ending: string | undefined): Omit<Outcome, "seconds"> {
  const counts = Object.fromEntries(counted.map((what) => [what, 0])) as Counts;
  const at = output.search(/^ℹ tests \d+$/m);
  const closing = at < 0 ? "" : output.slice(at);
  for (const what of counted) counts[what] = Number(new RegExp(`^ℹ ${what} (\\d+)$`, "m").exec(closing)?.[1] ?? 0);
  let failures = /^✖ failing tests:\n([\s\S]*)/m.exec(closing)?.[1] ?? "";
  if (ending !== undefined && counts.fail + counts.cancelled === 0) {
    counts.fail = 1;
    counts.tests++;
    failures += `\n✖ ${name} ${ending}\n${at < 0 ? output.slice(-4000) : closing}`;
  }
  return { output: at < 0 ? output : output.slice(0, at), failures, counts };
}

function close(results: readonly Outcome[], tookMs: number): boolean {
  const sum = (what: keyof Counts) => results.reduce((total, { counts }) => total + counts[what], 0);
  const seconds = results.flatMap((result) => Object.entries(result.seconds)).sort(([, a], [, b]) => b - a);
  console.log(
    `ℹ slowest ${seconds
      .slice(0, 20)
      .map(([file, took]) => `${file} ${took.toFixed(1)} s`)
      .join(", ")}`,
  );
  for (const what of counted) console.log(`ℹ ${what} ${sum(what)}`);
  console.log(`ℹ duration_ms ${tookMs.toFixed(3)}`);
  const failures = results.map((result) => result.failures).join("");
  if (failures !== "") console.log(`\n✖ failing tests:\n${failures}`);
  return sum("fail") + sum("cancelled") === 0;
}
