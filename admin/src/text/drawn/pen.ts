import type { Range, RangeSet } from "@codemirror/state";
import { BlockWrapper, Decoration, type DecorationSet, type EditorView, type WidgetType } from "@codemirror/view";

import { directionOf } from "../../model/text/direction.ts";

/** What a text looks like while it is written: decorations of its characters, elements around its lines. */
export type Drawing = {
  decorations: DecorationSet;
  wrappers: RangeSet<BlockWrapper>;
  /** What the cursor steps over. */
  atomic: DecorationSet;
};

/** Nothing is nested deeper in the tree than this: the rank of a wrapper is a number up to it. */
const mostRank = 100;

const hidden = Decoration.replace({});

/** Collects what is drawn. Marks are hidden unless the cursor is where they act. */
export class Pen {
  readonly view: EditorView;
  /** The number of the next item, by the start of its list. */
  readonly numbers = new Map<number, number>();
  private readonly decorations: Range<Decoration>[] = [];
  private readonly wrappers: Range<BlockWrapper>[] = [];
  private readonly atomic: Range<Decoration>[] = [];

  constructor(view: EditorView) {
    this.view = view;
  }

  text(from: number, to: number): string {
    return this.view.state.doc.sliceString(from, to);
  }

  /** True when the cursor, or the selection, touches it. */
  isNear(from: number, to: number): boolean {
    const { hasFocus, state } = this.view;
    return hasFocus && state.selection.ranges.some((range) => range.from <= to && range.to >= from);
  }

  isNearLines(from: number, to: number): boolean {
    const { doc } = this.view.state;
    return this.isNear(doc.lineAt(from).from, doc.lineAt(to).to);
  }

  hide(from: number, to: number): void {
    for (const part of this.parts(from, to)) this.decorations.push(hidden.range(part.from, part.to));
  }

  /** Hides it, and the cursor does not stand in it. */
  skip(from: number, to: number): void {
    this.hide(from, to);
    if (from < to) this.atomic.push(hidden.range(from, to));
  }

  /** Draws this in its place; its source stays when it has several lines. */
  replace(widget: WidgetType, from: number, to: number): void {
    if (this.parts(from, to).length === 1) this.decorations.push(Decoration.replace({ widget }).range(from, to));
  }

  mark(mark: Decoration, from: number, to: number): void {
    if (from < to) this.decorations.push(mark.range(from, to));
  }

  line(line: Decoration, at: number): void {
    this.decorations.push(line.range(this.view.state.doc.lineAt(at).from));
  }

  wrap(attributes: Record<string, string>, from: number, to: number, depth: number): void {
    const line = this.view.state.doc.lineAt(from);
    const dir = directionOf(this.text(from, line.to));
    const rank = Math.max(0, mostRank - depth);
    const wrapper = BlockWrapper.create({
      tagName: "div",
      attributes: dir ? { ...attributes, dir } : attributes,
      rank,
    });
    this.wrappers.push(wrapper.range(line.from, to));
  }

  drawn(): Drawing {
    return {
      decorations: Decoration.set(this.decorations, true),
      wrappers: BlockWrapper.set(this.wrappers, true),
      atomic: Decoration.set(this.atomic, true),
    };
  }

  /** Line by line: a plugin must not hide the end of one. */
  private parts(from: number, to: number): { from: number; to: number }[] {
    const { doc } = this.view.state;
    const parts: { from: number; to: number }[] = [];
    for (let at = from; at < to; ) {
      const line = doc.lineAt(at);
      if (at < line.to) parts.push({ from: at, to: Math.min(to, line.to) });
      at = line.to + 1;
    }
    return parts;
  }
}
