import { useEffect } from "react";

/** The elements that had the focus when the overlays were opened, in this order. */
let openers: Element[] = [];

/**
 * Restores the focus when an overlay is unmounted: to the element that had it before, or to the page if that is gone.
 * Mantine does this for overlays that stay mounted; ours are mounted only while open.
 */
export function useFocusBack(): void {
  useEffect(() => {
    const active = document.activeElement;
    if (active && active !== document.body) openers = [...openers, openerOf(active)];
    // Deferred: a component that replaces the overlay takes the focus first.
    return () => void setTimeout(giveBack);
  }, []);
}

/** Where the page has become another one, the focus goes back to none of them. */
export function forgetOpeners(): void {
  openers = [];
}

/** For an element in a menu, which closes on selection: the button that opened the menu. */
function openerOf(active: Element): Element {
  const menu = active.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return document.getElementById(menu ?? "") ?? active;
}

function giveBack(): void {
  if (document.activeElement !== document.body) return;
  const at = openers.findLastIndex(({ isConnected }) => isConnected);
  const opener = openers[at] ?? document.getElementById("content");
  openers = openers.slice(0, Math.max(at, 0));
  (opener as HTMLElement | null)?.focus({ preventScroll: true });
}
