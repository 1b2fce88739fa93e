import { isLong } from "./long.ts";

/** A number below the bound. */
export type Random = (below: number) => number;

/** The seed of `npm test` and the gate. Any would do; a run there judges the change, not what was drawn. */
const usualSeed = 20_261;
const named = process.env.OCTAVO_TEST_SEED;

/**
 * The seed of all that tests draw. It is fixed, `OCTAVO_TEST_SEED` names another, and `npm run test:all` takes a new one
 * in each process, which is printed. What must occur is constructed: no test asserts what a seed draws.
 */
export const seed = named !== undefined ? Number(named) : isLong ? Date.now() % 1_000_000 : usualSeed;
if (!Number.isSafeInteger(seed)) throw new Error(`OCTAVO_TEST_SEED was ${named}; expected an integer`);
if (isLong) console.log(`OCTAVO_TEST_SEED=${seed}`);

/** A deterministic random source (mulberry32): a failure names the seed that reproduces it. */
export function random(from: number): Random {
  let state = from;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** The same as `Math.random` gives it: at least 0, below 1. */
export function fraction(from: number): () => number {
  const pick = random(from);
  return () => pick(2 ** 32) / 2 ** 32;
}
