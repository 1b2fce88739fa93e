import { Checkbox } from "@mantine/core";
import type { Selection } from "./selection.ts";

type SelectBoxProps<T> = { thing: T; name: string; selection: Selection<T> };

/** The check box of one of several things; Shift takes along all from the one before. */
export function SelectBox<T>({ thing, name, selection }: SelectBoxProps<T>) {
  return (
    <Checkbox
      className="select-box above-link"
      aria-label={`Select ${name}`}
      checked={selection.has(thing)}
      onChange={({ nativeEvent }) =>
        (nativeEvent as MouseEvent).shiftKey ? selection.toggleTo(thing) : selection.toggle(thing)
      }
      // Or the text between would be selected, too.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
    />
  );
}
