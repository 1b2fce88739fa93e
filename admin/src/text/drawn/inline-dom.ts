import type { EditorState } from "@codemirror/state";
import { footnoteNumber } from "./footnote.ts";
import type { SyntaxNode } from "./table-nodes.ts";
import { pictureUrl, targetOf } from "./targets.ts";
import { footnoteReference } from "./widgets.ts";

/** A stretch of a text as elements: what is shown where no cursor is, such as in a cell of a table. */

const elements: Readonly<Record<string, string>> = {
  Emphasis: "em",
  StrongEmphasis: "strong",
  Strikethrough: "del",
};
const marks = /^(?:EmphasisMark|StrikethroughMark)$/;

/** Appends what is in the node between the positions. */
export function appendInline(state: EditorState, node: SyntaxNode, from: number, to: number, parent: Element): void {
  let at = from;
  for (let child = node.firstChild; child && child.from < to; child = child.nextSibling) {
    if (child.to <= at) continue;
    parent.append(state.sliceDoc(at, child.from));
    append(state, child, parent);
    at = child.to;
  }
  parent.append(state.sliceDoc(at, to));
}

function append(state: EditorState, node: SyntaxNode, parent: Element): void {
  const { name, from, to } = node;
  const source = state.sliceDoc(from, to);
  const tag = elements[name];
  if (marks.test(name)) return;
  if (name === "InlineCode") added(parent, "code").append(codeOf(state, node));
  else if (tag) appendInline(state, node, from, to, added(parent, tag));
  else if (name === "Escape") parent.append(source.slice(1));
  else if (name === "HTMLTag" && /^<br\s*\/?>$/i.test(source)) added(parent, "br");
  else if (name === "FootnoteReference") parent.append(noteOf(state, node) ?? source);
  else if (name === "Link" || name === "Image") appendLink(state, node, parent);
  else parent.append(source);
}

/** A bar is escaped in a cell, also in code. */
function codeOf(state: EditorState, { from, to, firstChild, lastChild }: SyntaxNode): string {
  return state.sliceDoc(firstChild?.to ?? from, lastChild?.from ?? to).replaceAll("\\|", "|");
}

function noteOf(state: EditorState, node: SyntaxNode): Element | undefined {
  const number = footnoteNumber(state, node);
  return number === undefined ? undefined : footnoteReference(number);
}

function appendLink(state: EditorState, node: SyntaxNode, parent: Element): void {
  const target = targetOf(state, node);
  const [first, second] = node.getChildren("LinkMark");
  if (target === undefined || !first || !second) {
    parent.append(state.sliceDoc(node.from, node.to));
    return;
  }
  const url = node.name === "Image" ? pictureUrl(target) : undefined;
  const made = added(parent, url === undefined ? "span" : "img");
  made.className = url === undefined ? "cm-link" : "cm-picture";
  if (url !== undefined) Object.assign(made, { src: url, alt: state.sliceDoc(first.to, second.from) });
  else appendInline(state, node, first.to, second.from, made);
}

function added(parent: Element, tag: string): Element {
  const made = document.createElement(tag);
  parent.append(made);
  return made;
}
