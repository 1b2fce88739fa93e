import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";

const rowsOf = (list: Element): HTMLElement[] => [...list.querySelectorAll<HTMLElement>("[data-row]")];

/** Up and down move the focus between the rows of a picker and its search field; Enter in that goes to the first row. */
export function moveInRows(event: KeyboardEvent<HTMLElement>): void {
  const { key, currentTarget, target } = event;
  const rows = rowsOf(currentTarget);
  const isField = target instanceof HTMLInputElement;
  const at = rows.findIndex((row) => row.parentElement?.contains(target as Element));
  const goals: Record<string, HTMLElement | null | undefined> = {
    ArrowDown: isField || at >= 0 ? rows[at + 1] : undefined,
    ArrowUp: at === 0 ? currentTarget.querySelector("input") : rows[at - 1],
    Enter: isField ? rows[0] : undefined,
  };
  const goal = goals[key];
  if (!goal) return;
  event.preventDefault();
  goal.focus();
}

/**
 * Focuses the first row below the element when the place has changed and its rows are read: the control that was used is
 * gone.
 */
export function useFirstFocused(place: string, isRead: boolean): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null);
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place || !isRead || !host.current) return;
    before.current = place;
    const field = host.current.closest("[role=dialog]")?.querySelector("input");
    (rowsOf(host.current)[0] ?? field)?.focus();
  }, [place, isRead]);
  return host;
}
