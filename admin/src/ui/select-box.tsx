import { Checkbox } from "@mantine/core";
import type { Thing } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import type { Selection } from "./selection.ts";

/** The check box of a file or folder; Shift takes along all from the one before. */
export function SelectBox({ thing, selection }: { thing: Thing; selection: Selection }) {
  return (
    <Checkbox
      className="select-box above-link"
      aria-label={`Select ${nameOf(thing.path)}`}
      checked={selection.has(thing)}
      onChange={({ nativeEvent }) =>
        (nativeEvent as MouseEvent).shiftKey ? selection.toggleTo(thing) : selection.toggle(thing)
      }
      // Or the text between would be selected, too.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
    />
  );
}
