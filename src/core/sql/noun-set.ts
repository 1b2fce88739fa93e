import type { AnyNoun, NounSet } from "./noun.ts";

/** The nouns, each by the name of its port, as one set. */
export function nounSet(nouns: object): NounSet {
  const each = Object.entries(nouns) as [string, AnyNoun][];
  const merged = <T>(pick: (noun: AnyNoun) => Record<string, T> | undefined): Readonly<Record<string, T>> =>
    Object.assign({}, ...each.map(([, noun]) => pick(noun)));
  const all = <T>(pick: (noun: AnyNoun) => readonly T[] | undefined): T[] =>
    each.flatMap(([, noun]) => pick(noun) ?? []);
  return {
    each,
    writes: merged(({ writes }) => writes),
    scans: merged(({ scans }) => scans),
    pathsAlone: merged(({ alone }) => alone),
    writesBeside: new Set(all(({ beside }) => beside)),
    scansApart: new Set(all(({ apart }) => apart)),
    quickScans: merged(({ quick }) => quick),
    laggingScans: merged(({ mayLag }) => mayLag),
    rowTables: new Map(all(({ rows }) => rows).map((table) => [table.noun, table])),
    indexedTables: all(({ index }) => (index ? [index] : [])),
    relations: all(({ relations }) => relations),
    costs: all(({ costs }) => (costs ? [costs] : [])),
  };
}
