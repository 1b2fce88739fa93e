import { Checkbox } from "@mantine/core";
import { memo, useCallback, useRef } from "react";
import { say } from "../language/say.ts";
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
  const latest = useRef(selection);
  latest.current = selection;
  const toggle = useCallback(
    (isRange: boolean) => (isRange ? latest.current.toggleTo(thing) : latest.current.toggle(thing)),
    [thing],
  );
  if (!useWritesLive(locale)) return null;
  return <Tick name={name} isTicked={selection.has(thing)} onToggle={toggle} />;
}

type TickProps = { name: string; isTicked: boolean; onToggle(isRange: boolean): void };

/** Of many on a page those are drawn anew that change. */
const Tick = memo(({ name, isTicked, onToggle }: TickProps) => (
  <Checkbox
    className="select-box above-link"
    aria-label={say("Select {name}", { name })}
    checked={isTicked}
    onChange={({ nativeEvent }) => onToggle((nativeEvent as MouseEvent).shiftKey)}
    // Otherwise the browser would select the text between, too.
    onMouseDown={(event) => event.shiftKey && event.preventDefault()}
  />
));
