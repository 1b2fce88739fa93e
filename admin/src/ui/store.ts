import { useSyncExternalStore } from "react";

/** A value outside of React; the components that use it follow its changes. */
export function storeOf<T>(first: T) {
  let value = first;
  const listeners = new Set<() => void>();
  /** Calls back on each change; returns a function that unsubscribes. */
  const watch = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    get: (): T => value,
    set(changed: T): void {
      value = changed;
      for (const listener of listeners) listener();
    },
    watch,
    use: (): T => useSyncExternalStore(watch, () => value),
  };
}
