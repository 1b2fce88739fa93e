import { useCallback, useState } from "react";

/** Settings of the person, kept in this browser. */

const prefix = "octavo.preference.";

function stored<T>(name: string, initial: T): T {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? initial : (JSON.parse(text) as T);
  } catch {
    return initial;
  }
}

/** A setting of the person by its name, and its setter. */
export function usePreference<T>(name: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState(() => stored(name, initial));
  const set = useCallback(
    (next: T) => {
      setValue(next);
      try {
        localStorage.setItem(prefix + name, JSON.stringify(next));
      } catch {
        // The browser keeps nothing: it holds until the page is left.
      }
    },
    [name],
  );
  return [value, set];
}
