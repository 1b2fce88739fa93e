/** Calls the function at most once in this many milliseconds and shares the result, or the failure, with all callers. */
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
