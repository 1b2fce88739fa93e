/**
 * Keys that choose or confirm a candidate of an input method belong to it alone: no control, dialog or shortcut of the page
 * takes them. Safari ends the composition before the key that ended it, and gives that the code 229. The code editor looks
 * at them itself.
 */
export function leaveKeysToInputMethods(): void {
  const keep = (event: KeyboardEvent): void => {
    if (!event.isComposing && event.keyCode !== inputMethodKey) return;
    if (!(event.target as Element).closest?.(".cm-editor")) event.stopImmediatePropagation();
  };
  // Before any other listener.
  addEventListener("keydown", keep, true);
}

/** UI Events, 7.3.1: the code of a key that an input method handles. */
const inputMethodKey = 229;
