import { useHotkeys } from "@mantine/hooks";
import { useState } from "react";
import type { Thing } from "../api/file.ts";
import { keyOf } from "./thing.ts";

export type Selection = {
  /** What is selected, in the order it is shown in. */
  things: readonly Thing[];
  isAll: boolean;
  has(thing: Thing): boolean;
  toggle(thing: Thing): void;
  /** Toggles it, and makes all alike from the one toggled before to this one. */
  toggleTo(thing: Thing): void;
  /** All, or none when all are. */
  toggleAll(): void;
  /** Selects these and no others. */
  select(things: readonly Thing[]): void;
};

/**
 * Which of the files and folders that are shown are selected; Escape selects none. What is shown no longer is not
 * selected, so that nothing is done to what nobody sees; when it is shown again, after an undo or a deletion that
 * failed, it is selected again.
 */
export function useSelection(shown: readonly Thing[]): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<Thing>();
  const has = (thing: Thing): boolean => keys.has(keyOf(thing));
  const select = (things: readonly Thing[]): void => setKeys(new Set(things.map(keyOf)));
  const things = shown.filter(has);
  const isAll = things.length === shown.length;
  const indexOf = (thing: Thing): number => shown.findIndex((one) => keyOf(one) === keyOf(thing));
  const mark = (range: readonly Thing[], thing: Thing): void => {
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

/** Whether Escape closes something that lies over the page. */
const isOverPage = ({ target }: KeyboardEvent): boolean =>
  (target as Element).closest("[role=dialog], [role=menu]") !== null;
