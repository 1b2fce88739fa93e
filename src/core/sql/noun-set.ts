import type { AnyNoun, NounSet } from "./noun.ts";
import type { RowTable } from "./rows.ts";

/**
 * The nouns, each by the name of its port, as one set. In a backup, rows of the nouns in `rowOrder` come first, in that
 * order.
 */
export function nounSet(nouns: object, rowOrder: readonly string[]): NounSet {
  const each = Object.entries(nouns) as [string, AnyNoun][];
  const merged = <T>(pick: (noun: AnyNoun) => Record<string, T> | undefined): Readonly<Record<string, T>> =>
    Object.assign({}, ...each.map(([, noun]) => pick(noun)));
  const all = <T>(pick: (noun: AnyNoun) => readonly T[] | undefined): T[] =>
    each.flatMap(([, noun]) => pick(noun) ?? []);
  const tables = inOrder(
    all(({ rows }) => rows),
    rowOrder,
  );
  const inBackup = tables.filter(({ isInBackup = true }) => isInBackup);
  return {
    each,
    writes: merged(({ writes }) => writes),
    scans: merged(({ scans }) => scans),
    pathsAlone: merged(({ alone }) => alone),
    writesBeside: new Set(all(({ beside }) => beside)),
    scansApart: new Set(all(({ apart }) => apart)),
    quickScans: merged(({ quick }) => quick),
    laggingScans: merged(({ mayLag }) => mayLag),
    rowTables: new Map([...inBackup, ...tables].map((table) => [table.rule.noun, table])),
    rowRules: new Map(inBackup.map(({ rule }) => [rule.noun, rule])),
    indexedTables: all(({ index }) => (index ? [index] : [])),
    relations: all(({ relations }) => relations),
    links: Object.assign({}, ...each.map(([, { links }]) => links)),
    costs: all(({ costs }) => (costs ? [costs] : [])),
  };
}

/** Tables of nouns that the order does not name stay in theirs, after the others. */
function inOrder(tables: readonly RowTable[], rowOrder: readonly string[]): RowTable[] {
  const placeOf = ({ rule }: RowTable): number =>
    rowOrder.includes(rule.noun) ? rowOrder.indexOf(rule.noun) : rowOrder.length;
  return tables.toSorted((a, b) => placeOf(a) - placeOf(b));
}
