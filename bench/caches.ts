/**
 * Compares the caches of a process with `lru-cache`: nanoseconds for a look-up among 4,000 names in random order, the
 * median of seven runs. Our own caches stay where they are faster. Decision 10.
 */
import { LRUCache } from "lru-cache";
import { ByteCache, lengthOf } from "../src/core/lib/byte-cache.ts";
import { Memo } from "../src/core/lib/memo.ts";
import { RowCache } from "../src/core/sql/row-cache.ts";
import type { Line, Options } from "./scenario.ts";

const count = 4000;
const lookUps = 1_000_000;
const names = Array.from({ length: count }, (_, n) => `blog/entry-${n}`);
/** A permutation of all names that a processor cannot prefetch. */
const nameAt = (step: number): string => names[(step * 2741) % count] as string;

export async function run({ only }: Options, remark: (text: string) => void): Promise<Line[]> {
  remark("CPU µs are those of one look-up; the ratio is to the same of `lru-cache`.");
  const works = [
    compare("rows of entries", rowLookUp(), lruLookUp({ maxSize: 1e9, sizeCalculation: () => 1000 })),
    compare("Memo", memoLookUp(), lruLookUp({ max: count + 1 })),
    compare("kept bytes", byteLookUp(), lruLookUp({ maxSize: 1e9, sizeCalculation: () => 1000 })),
  ];
  return works.filter(({ work }) => work.includes(only));
}

type LookUp = (name: string) => unknown;

function rowLookUp(): LookUp {
  const cache = new RowCache<{ id: number; path: string }>(1e9, {
    pathOf: ({ path }) => path,
    bytesOf: () => 1000,
    changedBy: [],
  });
  for (const [id, path] of names.entries()) cache.put({ id, path });
  return (name) => cache.get(name);
}

function memoLookUp(): LookUp {
  const memo = new Memo<string, number>(count + 1);
  return (name) => memo.get(name, () => 1);
}

function byteLookUp(): LookUp {
  const cache = new ByteCache(1e9, lengthOf);
  for (const name of names) cache.put(name, new Uint8Array(1000));
  return (name) => cache.get(name);
}

function lruLookUp(options: LRUCache.Options<string, object, unknown>): LookUp {
  const cache = new LRUCache<string, object>(options);
  for (const name of names) cache.set(name, {});
  return (name) => cache.get(name);
}

function compare(work: string, own: LookUp, library: LookUp): Line {
  const [ownMicros, libraryMicros] = [microsOf(own), microsOf(library)];
  const ratio = libraryMicros / ownMicros;
  const note = `${Math.round(ownMicros * 1000)} ns, lru-cache ${Math.round(libraryMicros * 1000)} ns`;
  const rest = { p99Ms: 0, cpuRatio: Number.NaN, goal: "" };
  return { work, perSecond: 1e6 / ownMicros, cpuMicros: ownMicros, ratio, note, ...rest };
}

function microsOf(lookUp: LookUp): number {
  let found = 0;
  const runs = Array.from({ length: 8 }, () => {
    const start = process.cpuUsage().user;
    for (let step = 0; step < lookUps; step++) if (lookUp(nameAt(step)) !== undefined) found++;
    return (process.cpuUsage().user - start) / lookUps;
  });
  // The count is used; otherwise the compiler may remove the look-ups.
  if (found < lookUps) throw new Error("a name was evicted");
  // The first run warms up the compiler.
  return runs.slice(1).sort((a, b) => a - b)[3] as number;
}
