/** Runs test files, each in its own process, several at a time; none of them can block the others. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { orLong } from "./long.ts";

const root = join(import.meta.dirname, "..");

/** Node's compile cache: without it each of several hundred processes compiles the sources again. */
export const compileCache = join(root, "node_modules", ".cache", "compiled");
/** The number of concurrent files, on two cores: each of them is idle for part of its time. */
export const concurrency = 3;
/** The same of slow files: a browser and what it shows take both cores, and a third would only wait past its time limit. */
export const slowConcurrency = 2;

export type RunOptions = {
  concurrency: number;
  /** Only tests whose names match. */
  only?: string | undefined;
  /** Variables in addition to those of this process. */
  envOf(file: string): Record<string, string>;
};

/** The counts in the closing lines of node:test. */
const counted = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"] as const;
type Counts = Record<(typeof counted)[number], number>;
type FileResult = { file: string; output: string; failures: string; counts: Counts; seconds: number };

/**
 * The time limit of a file, a multiple of what the slowest takes on two idle cores. A file that needs more has a
 * comment: `Time limit: 900 s`.
 */
const fileSeconds = orLong(240, 1800);

const limitOf = (file: string): number =>
  Math.max(fileSeconds, Number(/Time limit: (\d+) s/.exec(readFileSync(file, "utf8"))?.[1] ?? 0));

/** Starts the files in this order, prints the output of each when it ends, then the totals. True when all passed. */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<boolean> {
  const startedMs = performance.now();
  const waiting = [...files];
  const results: FileResult[] = [];
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runFile(file, options);
      results.push(result);
      process.stdout.write(result.output);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return close(results, performance.now() - startedMs);
}

async function runFile(file: string, { envOf, only }: RunOptions): Promise<FileResult> {
  const startedMs = performance.now();
  const limit = limitOf(file);
  // A test times out shortly before its file, so that the report names it.
  const flags = [`--test-timeout=${(limit - 20) * 1000}`, "--test-reporter=spec"];
  if (only) flags.push(`--test-name-pattern=${only}`);
  const child = spawn(process.execPath, [...flags, file], {
    cwd: root,
    env: { ...process.env, ...envOf(file) },
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
  // Kills leftover processes of a file: they would keep the pipes open and slow down the others.
  child.once("exit", killGroup);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  process.off("exit", killGroup);
  const ending = isLate ? `was still running after ${limit} s` : code === 0 ? undefined : `ended with code ${code}`;
  return { file, ...read(relative(root, file), output, ending), seconds: (performance.now() - startedMs) / 1000 };
}

/** Parses the closing lines of a file. A file that fails without a failed test counts as a failed test. */
function read(name: string, output: string, ending: string | undefined): Omit<FileResult, "file" | "seconds"> {
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

function close(results: readonly FileResult[], tookMs: number): boolean {
  const sum = (what: keyof Counts) => results.reduce((total, { counts }) => total + counts[what], 0);
  const slowest = [...results].sort((a, b) => b.seconds - a.seconds).slice(0, 12);
  console.log(
    `ℹ slowest ${slowest.map(({ file, seconds }) => `${relative(root, file)} ${seconds.toFixed(1)} s`).join(", ")}`,
  );
  for (const what of counted) console.log(`ℹ ${what} ${sum(what)}`);
  console.log(`ℹ duration_ms ${tookMs.toFixed(3)}`);
  const failures = results.map((result) => result.failures).join("");
  if (failures !== "") console.log(`\n✖ failing tests:\n${failures}`);
  return sum("fail") + sum("cancelled") === 0;
}
