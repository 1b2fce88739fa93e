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
