import { Checkbox } from "@mantine/core";
import { useWritesLive } from "../session-context.ts";
import type { Selection } from "./selection.ts";

type SelectBoxProps<T> = {
  thing: T;
  name: string;
  selection: Selection<T>;
  /** In which something is done with several; undefined for the source. */
  locale?: string | undefined;
};

/**
 * The checkbox of a list item; with Shift it selects the range from the previous one. None for a token whose writes are
 * staged: all actions on several things are live.
 */
export function SelectBox<T>({ thing, name, selection, locale }: SelectBoxProps<T>) {
  if (!useWritesLive(locale)) return null;
  return (
    <Checkbox
      className="select-box above-link"
      aria-label={`Select ${name}`}
      checked={selection.has(thing)}
      onChange={({ nativeEvent }) =>
        (nativeEvent as MouseEvent).shiftKey ? selection.toggleTo(thing) : selection.toggle(thing)
      }
      // Otherwise the browser would select the text between, too.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
    />
  );
}
