/** Calls the function once, at the first call, and keeps its result. */
export function memo<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Calls the function at most once in this many milliseconds and shares the result, or the failure, with all callers. */
export function memoFor<T>(ask: () => Promise<T>, forMs: number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (answer && performance.now() - askedMs < forMs) return answer;
    askedMs = performance.now();
    answer = ask();
    return answer;
  };
}

/** Memoizes results by key, for results that never change for their key. Clears the cache when it holds `max`. */
export class Memo<K, V> {
  private readonly known = new Map<K, V>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  /** The cached result, or that of `make`. A `make` that throws caches nothing. */
  get(key: K, make: () => V): V {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.known.size >= this.max) this.known.clear();
    this.known.set(key, made);
    return made;
  }
}
