import { Decoration } from "@codemirror/view";
import { footnoteNumber } from "./footnote.ts";
import type { Pen } from "./pen.ts";
import type { SyntaxNode } from "./table-nodes.ts";
import { entryIn, pictureUrl, targetOf } from "./targets.ts";
import { Bullet, Checkbox, EntryTitle, FootnoteNumber, FootnoteReference, Picture, Rule, Words } from "./widgets.ts";

/** How each kind of node is drawn; what has no line here, or cannot be drawn, is its source. */

/** Draws a node; false when what is in it is drawn already. `depth` is how deep its element stands among others. */
export type Draw = (pen: Pen, node: SyntaxNode, depth: number) => false | undefined;

/** Nodes that are an element around their lines. */
export const wrapping: ReadonlySet<string> = new Set([
  ...["Blockquote", "BulletList", "OrderedList", "ListItem", "Footnote", "FencedCode", "CodeBlock"],
  ...["SetextHeading1", "SetextHeading2", ...[1, 2, 3, 4, 5, 6].map((level) => `ATXHeading${level}`)],
]);

const source = Decoration.mark({ class: "cm-source" });
const link = Decoration.mark({ class: "cm-link", attributes: { role: "link" } });
const thin = Decoration.line({ class: "cm-thin" });
const fence = Decoration.line({ class: "cm-fence" });

const asSource: Draw = (pen, { from, to }) => {
  pen.mark(source, from, to);
  return undefined;
};

const wrapped =
  (attributes: Record<string, string>): Draw =>
  (pen, { from, to }, depth) => {
    pen.wrap(attributes, from, to, depth);
    return undefined;
  };

/** Characters that are shown by an element, its marks hidden while the cursor is elsewhere. */
const inline =
  (tagName: string, mark: string): Draw =>
  (pen, node) => {
    pen.mark(Decoration.mark({ tagName }), node.from, node.to);
    if (!pen.isNear(node.from, node.to)) for (const { from, to } of node.getChildren(mark)) pen.hide(from, to);
    return undefined;
  };

const heading =
  (level: number): Draw =>
  (pen, node, depth) => {
    const { from, to } = node;
    pen.wrap({ class: "cm-heading", role: "heading", "aria-level": String(level) }, from, to, depth);
    if (pen.isNearLines(from, to)) return undefined;
    for (const mark of node.getChildren("HeaderMark")) {
      if (node.name.startsWith("Setext")) pen.line(thin, mark.from);
      const [before] = /[ \t]*$/.exec(pen.text(from, mark.from)) ?? [""];
      const [after] = /^[ \t]*/.exec(pen.text(mark.to, to)) ?? [""];
      pen.hide(mark.from - before.length, mark.to + after.length);
    }
    return undefined;
  };

const fenced: Draw = (pen, node, depth) => {
  const { from, to } = node;
  pen.wrap({ class: "cm-code", role: "code" }, from, to, depth);
  if (pen.isNearLines(from, to)) return undefined;
  for (const mark of node.getChildren("CodeMark")) {
    const hasWords = mark.from === from && node.getChild("CodeInfo") !== null;
    pen.line(hasWords ? fence : thin, mark.from);
    pen.hide(mark.from, mark.to);
  }
  return undefined;
};

const quoteMark: Draw = (pen, { from, to }) => {
  if (!pen.isNearLines(from, to)) pen.hide(from, to + (pen.text(to, to + 1) === " " ? 1 : 0));
  return undefined;
};

/** What stands before an item: items are counted from the number of the first one. */
function bulletOf(pen: Pen, item: SyntaxNode): string {
  const [, , dot] = ordered.exec(pen.text(item.from, item.from + 12)) ?? [];
  if (dot === undefined || !item.parent) return "•";
  const number = pen.numbers.get(item.parent.from) ?? numberOf(pen, item);
  pen.numbers.set(item.parent.from, number + 1);
  return `${number}${dot}`;
}

const ordered = /^(\d+)([.)])/;

function numberOf(pen: Pen, item: SyntaxNode): number {
  let [first, count] = [item, 0];
  for (let at = item.prevSibling; at; at = at.prevSibling) {
    if (at.name !== "ListItem") continue;
    first = at;
    count++;
  }
  return Number(ordered.exec(pen.text(first.from, first.from + 12))?.[1] ?? 1) + count;
}

const bullet = Decoration.mark({ class: "cm-bullet" });

const listMark: Draw = (pen, { from, to, parent }) => {
  const end = to + (pen.text(to, to + 1) === " " ? 1 : 0);
  const text = parent ? bulletOf(pen, parent) : "";
  if (!parent || pen.isNear(from, to)) pen.mark(bullet, from, end);
  else if (parent.getChild("Task")) pen.hide(from, end);
  else pen.replace(new Bullet({ text }), from, end);
  return undefined;
};

const task: Draw = (pen, { from, to }) => {
  const isChecked = pen.text(from + 1, to - 1) !== " ";
  if (!pen.isNear(from, to - 1))
    pen.replace(new Checkbox({ isChecked, isReadOnly: pen.view.state.readOnly }), from, to);
  return undefined;
};

const linked: Draw = (pen, node) => {
  const { state } = pen.view;
  const target = targetOf(state, node);
  const [first, second] = node.getChildren("LinkMark");
  if (target === undefined || !first || !second) return undefined;
  pen.mark(link, first.to, second.from);
  if (pen.isNear(node.from, node.to)) return undefined;
  pen.hide(first.from, first.to);
  const id = entryIn(target);
  if (id === undefined) pen.hide(second.from, node.to);
  else pen.replace(new EntryTitle({ id, words: pen.text(first.to, second.from) }), second.from, node.to);
  return undefined;
};

const picture: Draw = (pen, node) => {
  const target = targetOf(pen.view.state, node);
  const [first, second] = node.getChildren("LinkMark");
  if (target === undefined || !first || !second) return undefined;
  if (pen.isNear(node.from, node.to)) return false;
  const alt = pen.text(first.to, second.from).replace(/\\([!-/:-@[-`{-~])/g, "$1");
  pen.replace(new Picture({ url: pictureUrl(target), alt }), node.from, node.to);
  return false;
};

const autolink: Draw = (pen, node) => {
  if (!pen.isNear(node.from, node.to)) for (const { from, to } of node.getChildren("LinkMark")) pen.hide(from, to);
  return undefined;
};

const address: Draw = (pen, { from, to, parent }) => {
  if (!/^(?:Link|Image|LinkReference)$/.test(parent?.name ?? "")) pen.mark(link, from, to);
  return undefined;
};

const escaped: Draw = (pen, { from, to }) => {
  if (!pen.isNear(from, to)) pen.hide(from, from + 1);
  return undefined;
};

/** Two spaces at the end of a line are not seen anyway. */
const lineBreak: Draw = (pen, { from }) => {
  if (pen.text(from, from + 1) === "\\" && !pen.isNear(from, from + 1)) pen.hide(from, from + 1);
  return undefined;
};

const entity: Draw = (pen, { from, to }) => {
  const text = charactersOf(pen.text(from, to));
  if (text !== undefined && !pen.isNear(from, to)) pen.replace(new Words({ text }), from, to);
  return undefined;
};

/** Undefined for a name that is none, and for what would not be seen. */
function charactersOf(reference: string): string | undefined {
  const { body } = new DOMParser().parseFromString(reference, "text/html");
  const text = body.textContent ?? "";
  return text === reference || text.trim() === "" ? undefined : text;
}

const rule: Draw = (pen, { from, to }) => {
  if (!pen.isNearLines(from, to)) pen.replace(new Rule({}), from, to);
  return undefined;
};

const footnoteReference: Draw = (pen, node) => {
  const number = footnoteNumber(pen.view.state, node);
  if (number !== undefined && !pen.isNear(node.from, node.to))
    pen.replace(new FootnoteReference({ number }), node.from, node.to);
  return undefined;
};

const footnoteMark: Draw = (pen, node) => {
  const number = footnoteNumber(pen.view.state, node);
  const blank = pen.text(node.to, node.to + 1) === " " ? 1 : 0;
  if (number !== undefined && !pen.isNear(node.from, node.to))
    pen.replace(new FootnoteNumber({ number }), node.from, node.to + blank);
  else pen.mark(source, node.from, node.to);
  return undefined;
};

export const draws: Readonly<Record<string, Draw>> = {
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`ATXHeading${level}`, heading(level)])),
  SetextHeading1: heading(1),
  SetextHeading2: heading(2),
  Emphasis: inline("em", "EmphasisMark"),
  StrongEmphasis: inline("strong", "EmphasisMark"),
  Strikethrough: inline("del", "StrikethroughMark"),
  InlineCode: inline("code", "CodeMark"),
  Blockquote: wrapped({ class: "cm-quote", role: "blockquote" }),
  QuoteMark: quoteMark,
  BulletList: wrapped({ class: "cm-list", role: "list" }),
  OrderedList: wrapped({ class: "cm-list", role: "list" }),
  ListItem: wrapped({ class: "cm-item", role: "listitem" }),
  ListMark: listMark,
  TaskMarker: task,
  FencedCode: fenced,
  CodeBlock: wrapped({ class: "cm-code", role: "code" }),
  HorizontalRule: rule,
  Footnote: wrapped({ class: "cm-footnote", role: "note" }),
  FootnoteMark: footnoteMark,
  FootnoteReference: footnoteReference,
  Link: linked,
  Image: picture,
  Autolink: autolink,
  URL: address,
  Escape: escaped,
  Entity: entity,
  HardBreak: lineBreak,
  ...Object.fromEntries(
    ["HTMLTag", "HTMLBlock", "Comment", "CommentBlock", "ProcessingInstruction", "LinkReference", "Table"].map(
      (name) => [name, asSource],
    ),
  ),
};
