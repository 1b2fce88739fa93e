/** Processor time and memory of processes, from proc(5). */
import { readdirSync, readFileSync } from "node:fs";

/** Processor time of a process with all its threads (fields 14 and 15 of its `stat`, in ticks of 10 ms). */
export function cpuMicrosOf(pid: number): number {
  return sumOfFields(pid, 14, 15);
}

/** The same with its children, running and ended (fields 16 and 17). The children have no children. */
export function familyCpuMicrosOf(pid: number): number {
  const living = childrenOf(pid).map((child) => orNothing(() => cpuMicrosOf(child)));
  return sum([sumOfFields(pid, 14, 17), ...living]);
}

/** The same as familyCpuMicrosOf without what ended, to the nanosecond: rounds of a second beside other work have few ticks. */
export function fineCpuMicrosOf(pid: number): number {
  const threads = [pid, ...childrenOf(pid)].flatMap((each) =>
    orNone(() => readdirSync(`/proc/${each}/task`).map((thread) => `/proc/${each}/task/${thread}/schedstat`)),
  );
  return sum(threads.map((file) => Number(readText(file).split(" ")[0]) / 1000));
}

/**
 * Memory of a process with its children, in MB of 1,000,000 bytes. In `resident` a page that three of them share counts
 * three times; in `proportional` it counts once.
 */
export type Memory = { resident: number; proportional: number };

/** Samples every 250 ms while the work runs; answers the samples, too. */
export async function watchMemory<T>(pid: number, work: () => Promise<T>): Promise<[T, Memory[]]> {
  const seen = [familyMemoryOf(pid)];
  const timer = setInterval(() => seen.push(familyMemoryOf(pid)), 250);
  try {
    return [await work(), seen];
  } finally {
    clearInterval(timer);
  }
}

/** What the process and its children hold now. */
export const familyMemoryOf = (pid: number): Memory => memoryOf([pid, ...childrenOf(pid)]);

/** What these processes hold now, together. */
export function memoryOf(pids: readonly number[]): Memory {
  const texts = pids.map((each) => readText(`/proc/${each}/smaps_rollup`));
  const total = (name: string): number =>
    sum(texts.map((text) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0))) * 0.001024;
  return { resident: total("Rss"), proportional: total("Pss") };
}

/** The most that the process itself has held so far, in MB; 0 when it has ended. */
export const peakMemoryOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0) * 0.001024;

/** The children of all threads: each thread lists those that it started. */
export function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const texts = threads.map((thread) => readText(`/proc/${pid}/task/${thread}/children`));
  return texts.flatMap((text) => text.split(" ").filter(Boolean).map(Number));
}

function sumOfFields(pid: number, first: number, last: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return sum(fields.slice(first - 3, last - 2).map(Number)) * 10_000;
}

/** Empty for a process or thread that has ended. */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const orNothing = (read: () => number): number => orElse(read, 0);
const orNone = <T>(read: () => T[]): T[] => orElse(read, []);

function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
