/**
 * The name most likely meant, or undefined when none is near: at most two typos, or one for each three letters of a
 * longer name. A typo is one letter inserted, missing or replaced, or two neighbours swapped.
 */
export function nearest(received: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestSlips = Math.max(2, Math.floor(received.length / 3)) + 1;
  for (const name of names) {
    const slips = slipsBetween(received.toLowerCase(), name.toLowerCase());
    if (slips >= bestSlips || slips >= name.length) continue;
    best = name;
    bestSlips = slips;
  }
  return best;
}

/** The name that is at most so many typos away, however long it is; undefined for none. */
export const typoOf = (received: string, names: Iterable<string>, most: number): string | undefined =>
  [...names].find((name) => slipsBetween(received.toLowerCase(), name.toLowerCase()) <= most);

/** Optimal string alignment distance: Levenshtein's with the swap of two neighbours as one step. */
function slipsBetween(a: string, b: string): number {
  if (a.length > 100 || b.length > 100) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const plain = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1));
      rows[i]?.push(isSwap ? Math.min(plain, at(i - 2, j - 2) + 1) : plain);
    }
  }
  return at(a.length, b.length);
}
