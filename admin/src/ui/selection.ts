import { useHotkeys } from "@mantine/hooks";
import { useState } from "react";

export type Selection<T> = {
  /** The selected keys, in display order. */
  things: readonly T[];
  isAll: boolean;
  has(thing: T): boolean;
  toggle(thing: T): void;
  /** Toggles an item, and sets the range from the previously toggled one to the same state. */
  toggleTo(thing: T): void;
  /** Selects all, or none if all are selected. */
  toggleAll(): void;
  /** Selects exactly these. */
  select(things: readonly T[]): void;
};

/**
 * The selection among the shown items, by key; Escape clears it. A hidden item is not selected, so that no action hits
 * what the user does not see; when it is shown again, after an undo or a failed deletion, it is selected again.
 */
export function useSelection<T>(shown: readonly T[], keyOf: (thing: T) => string): Selection<T> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<T>();
  const has = (thing: T): boolean => keys.has(keyOf(thing));
  const select = (things: readonly T[]): void => setKeys(new Set(things.map(keyOf)));
  const things = shown.filter(has);
  const isAll = things.length === shown.length;
  const indexOf = (thing: T): number => shown.findIndex((one) => keyOf(one) === keyOf(thing));
  const mark = (range: readonly T[], thing: T): void => {
    const after = new Set(keys);
    for (const one of range) has(thing) ? after.delete(keyOf(one)) : after.add(keyOf(one));
    setKeys(after);
    setLast(thing);
  };
  useHotkeys([["Escape", (event) => isOverPage(event) || select([]), { preventDefault: false }]], []);
  return {
    things,
    isAll,
    has,
    toggle: (thing) => mark([thing], thing),
    toggleTo: (thing) => {
      const from = last ? indexOf(last) : -1;
      const to = indexOf(thing);
      mark(from < 0 ? [thing] : shown.slice(Math.min(from, to), Math.max(from, to) + 1), thing);
    },
    toggleAll: () => select(isAll ? [] : shown),
    select,
  };
}

/** Whether Escape closes an overlay. */
const isOverPage = ({ target }: KeyboardEvent): boolean =>
  (target as Element).closest("[role=dialog], [role=menu]") !== null;
