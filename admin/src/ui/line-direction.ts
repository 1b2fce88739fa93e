import { type Extension, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { directionOf } from "../model/text/direction.ts";
import type { Writing } from "./writing.ts";

/** Each line is written from the side of its own first letter; one without letters from that of the text. */

const lines = {
  ltr: Decoration.line({ attributes: { dir: "ltr" } }),
  rtl: Decoration.line({ attributes: { dir: "rtl" } }),
};

function directionsIn({ state, visibleRanges }: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>();
  let last = -1;
  for (const { from, to } of visibleRanges)
    for (let line = state.doc.lineAt(from); ; line = state.doc.line(line.number + 1)) {
      const direction = line.from > last ? directionOf(line.text) : undefined;
      if (direction) found.add(line.from, line.from, lines[direction]);
      last = Math.max(last, line.from);
      if (line.to >= to || line.number === state.doc.lines) break;
    }
  return found.finish();
}

class Directions {
  decorations: DecorationSet;
  constructor(view: EditorView) {
    this.decorations = directionsIn(view);
  }
  update({ docChanged, viewportChanged, view }: ViewUpdate): void {
    if (docChanged || viewportChanged) this.decorations = directionsIn(view);
  }
}

/** Lines that say it themselves do not count for the browser. */
const ofText = EditorView.contentAttributes.compute(["doc"], ({ doc }): Record<string, string> => {
  const dir = directionOf(doc.sliceString(0, mostLooked));
  return dir ? { dir } : {};
});

/** Characters at the start of a text in which its first letter is looked for. */
const mostLooked = 2000;

export const lineDirections = (dir: Writing["dir"]): Extension => [
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.fromClass(Directions, { decorations: ({ decorations }) => decorations }),
  dir === "auto" ? ofText : [],
];
