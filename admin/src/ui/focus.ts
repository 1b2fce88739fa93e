import { useEffect } from "react";

/** The elements that had the focus when each overlay was opened, last one last. */
let openers: Element[] = [];

/**
 * Gives the focus back when what is laid over the page is taken away: to what had it before, or to the page where that
 * is gone too. Mantine does so for what stays in the document and is closed; ours is there only while it is open.
 */
export function useFocusBack(): void {
  useEffect(() => {
    const active = document.activeElement;
    if (active && active !== document.body) openers = [...openers, openerOf(active)];
    // Later: what comes in its place takes the focus before.
    return () => void setTimeout(giveBack);
  }, []);
}

/** Of a menu, which closes by what is chosen in it, the button that opened it. */
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
