/** Asks at most once in so many milliseconds, and once for all who ask meanwhile; a failure is remembered too. */
export function remembered<T>(ask: () => Promise<T>, forMs: number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (answer && performance.now() - askedMs < forMs) return answer;
    askedMs = performance.now();
    answer = ask();
    return answer;
  };
}
