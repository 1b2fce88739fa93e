/** What was made for a key, for what is always the same for its key. It forgets everything when it holds `max`. */
export class Memo<K, V> {
  private readonly known = new Map<K, V>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  /** Made once for as long as it is remembered. Nothing is remembered of a `make` that throws. */
  get(key: K, make: () => V): V {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.known.size >= this.max) this.known.clear();
    this.known.set(key, made);
    return made;
  }
}
