import "./drawn.css";
import { syntaxTree } from "@codemirror/language";
import { type Extension, RangeSet } from "@codemirror/state";
import { Decoration, EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { drawnMarkKeys } from "./mark-keys.ts";
import { draws, wrapping } from "./nodes.ts";
import { type Drawing, Pen } from "./pen.ts";
import type { SyntaxNode } from "./table-nodes.ts";
import { tables } from "./tables.ts";

/**
 * Draws a Markdown text as it will read, in the lines that are on the screen. The text stays what it is: all of this is
 * decoration.
 */
class Drawer implements PluginValue {
  drawing: Drawing;
  private isBehind = false;

  constructor(view: EditorView) {
    this.drawing = draw(view);
  }

  update(update: ViewUpdate): void {
    const { view, docChanged, viewportChanged, selectionSet, focusChanged, startState, state } = update;
    // What is composed is the browser's: another element around it would end it.
    if (view.compositionStarted && !viewportChanged) {
      this.isBehind = true;
      if (docChanged) this.drawing = moved(this.drawing, update);
      return;
    }
    const isParsed = syntaxTree(startState) !== syntaxTree(state);
    if (!docChanged && !viewportChanged && !selectionSet && !focusChanged && !isParsed && !this.isBehind) return;
    this.isBehind = false;
    this.drawing = draw(view);
  }
}

const moved = ({ decorations, wrappers, atomic }: Drawing, { changes }: ViewUpdate): Drawing => ({
  decorations: decorations.map(changes),
  wrappers: wrappers.map(changes),
  atomic: atomic.map(changes),
});

function draw(view: EditorView): Drawing {
  const pen = new Pen(view);
  const { from, to } = view.viewport;
  const indents = new Indents(view, from, to);
  let depth = 0;
  syntaxTree(view.state).iterate({
    from,
    to,
    enter: ({ name, node }) => {
      if (name === "ListItem") indents.of(node);
      else if (name === "Footnote")
        indents.below(node, node.from - view.state.doc.lineAt(node.from).from + footnoteIndent);
      const isDrawn = draws[name]?.(pen, node, depth) ?? true;
      if (isDrawn && wrapping.has(name)) depth++;
      return isDrawn;
    },
    leave: ({ name }) => {
      if (wrapping.has(name)) depth--;
    },
  });
  indents.hide(pen);
  return pen.drawn();
}

/** Lines of a footnote after its first one are indented by these columns. */
const footnoteIndent = 4;

/** A tab goes on to the next of these columns. */
const tab = 4;

/** The white space at the start of lines that makes them a part of an item: the item's element stands in its place. */
class Indents {
  private readonly columns = new Map<number, number>();
  private readonly view: EditorView;
  private readonly from: number;
  private readonly to: number;

  constructor(view: EditorView, from: number, to: number) {
    this.view = view;
    this.from = from;
    this.to = to;
  }

  /** The innermost item of a line comes last. */
  of(item: SyntaxNode): void {
    const { doc } = this.view.state;
    const mark = item.getChild("ListMark");
    if (!mark) return;
    const first = doc.lineAt(item.from);
    const [space] = /^ {0,4}/.exec(doc.sliceString(mark.to, first.to)) ?? [""];
    const column = mark.to + Math.max(1, space.length) - first.from;
    this.columns.set(first.from, mark.from - first.from);
    this.below(item, column);
  }

  /** The lines after its first one. */
  below({ from, to }: SyntaxNode, column: number): void {
    const { doc } = this.view.state;
    const first = doc.lineAt(from);
    const end = Math.min(to, this.to);
    for (let { number } = doc.lineAt(Math.max(first.to, this.from)); number <= doc.lines; number++) {
      const line = doc.line(number);
      if (line.from > end) return;
      if (line.from > first.from) this.columns.set(line.from, column);
    }
  }

  hide(pen: Pen): void {
    for (const [from, most] of this.columns) {
      const text = this.view.state.doc.lineAt(from).text;
      let [column, at] = [0, 0];
      for (; column < most && /[ \t]/.test(text[at] ?? ""); at++)
        column = text[at] === "\t" ? column + tab - (column % tab) : column + 1;
      pen.skip(from, from + at);
    }
  }
}

const nothing: Drawing = { decorations: Decoration.none, wrappers: RangeSet.empty, atomic: Decoration.none };

const drawer = ViewPlugin.fromClass(Drawer, {
  provide: (plugin) => [
    EditorView.decorations.of((view) => view.plugin(plugin)?.drawing.decorations ?? nothing.decorations),
    EditorView.blockWrappers.of((view) => view.plugin(plugin)?.drawing.wrappers ?? nothing.wrappers),
    EditorView.atomicRanges.of((view) => view.plugin(plugin)?.drawing.atomic ?? nothing.atomic),
  ],
});

export const drawing: Extension = [
  drawer,
  tables,
  drawnMarkKeys,
  EditorView.editorAttributes.of({ class: "cm-drawn" }),
];
