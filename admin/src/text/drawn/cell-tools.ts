import type { Command, EditorView } from "@codemirror/view";
import { say } from "../../language/say.ts";
import { addColumn, addRow, removeColumn, removeRow, tableRights } from "./table-commands.ts";

/** A button at the cell that has the focus, which shows what can be done there. By keys, the same is in the menu of the text. */

const acts: readonly [label: string, run: Command, right?: "removeRow" | "removeColumn"][] = [
  [say("Add row"), addRow],
  [say("Add column"), addColumn],
  [say("Remove row"), removeRow, "removeRow"],
  [say("Remove column"), removeColumn, "removeColumn"],
];

/** In pixels, as the style says. */
const listWidth = 150;

export function cellTools(view: EditorView): HTMLElement {
  const tools = document.createElement("div");
  tools.className = "cm-cell-tools";
  const list = document.createElement("div");
  Object.assign(list, { className: "cm-cell-acts", role: "toolbar", ariaLabel: say("Cell"), hidden: true });
  const handle = button("⋯", () => show(tools, list.hidden !== false));
  handle.ariaLabel = say("Rows and columns");
  tools.append(handle, list);
  for (const [label, run] of acts) {
    const act = () => {
      show(tools, false);
      // First: a cell that is drawn anew while it has the focus would select its text meanwhile.
      view.focus();
      run(view);
    };
    list.append(button(label, act));
  }
  return tools;
}

function button(label: string, run: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", tabIndex: -1, textContent: label });
  // The cell keeps the focus.
  made.addEventListener("mousedown", (event) => event.preventDefault());
  made.addEventListener("click", run);
  return made;
}

function show(tools: HTMLElement, isShown: boolean): void {
  const [handle, list] = tools.children as unknown as [HTMLElement, HTMLElement];
  list.hidden = !isShown;
  handle.ariaExpanded = String(isShown);
}

/** At the upper corner of the cell, closed. */
export function placeTools(view: EditorView, frame: HTMLElement, cell: HTMLElement): void {
  const tools = frame.querySelector<HTMLElement>(".cm-cell-tools");
  const rights = tableRights(view.state);
  if (!tools || !rights) return;
  show(tools, false);
  const [outer, inner] = [frame.getBoundingClientRect(), cell.getBoundingClientRect()];
  tools.style.left = `${Math.min(inner.right, outer.right) - outer.left}px`;
  const list = tools.querySelector<HTMLElement>(".cm-cell-acts");
  if (list) list.style.left = `${-Math.min(listWidth, inner.right - outer.left)}px`;
  tools.style.top = `${inner.top - outer.top}px`;
  for (const [i, act] of [...tools.querySelectorAll<HTMLButtonElement>(".cm-cell-acts button")].entries()) {
    const right = acts[i]?.[2];
    act.disabled = right !== undefined && !rights[right];
  }
}
