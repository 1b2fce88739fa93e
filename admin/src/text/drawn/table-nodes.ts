import { syntaxTree } from "@codemirror/language";
import type { EditorState, Line } from "@codemirror/state";

/** The tables of a text, also those in lists and quotes, whose lines begin with the marks of these. */

type Tree = ReturnType<typeof syntaxTree>;
export type SyntaxNode = Tree["topNode"];

/** A line of a table: the one below the head is the second. `text` and `from` are without what belongs to a list or a quote. */
export type TableLine = { line: Line; from: number; text: string };

const containers = ["Blockquote", "BulletList", "OrderedList", "ListItem", "Footnote"];
const known = new WeakMap<Tree, SyntaxNode[]>();

/** In their order. */
export function tableNodes(state: EditorState): readonly SyntaxNode[] {
  const tree = syntaxTree(state);
  const tables = known.get(tree) ?? tablesIn(tree.topNode);
  known.set(tree, tables);
  return tables;
}

function tablesIn(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.name === "Table") found.push(child);
    else if (containers.includes(child.name)) found.push(...tablesIn(child));
  }
  return found;
}

export function tableLines({ doc }: EditorState, table: SyntaxNode): TableLine[] {
  const lines: TableLine[] = [];
  for (let child = table.firstChild; child; child = child.nextSibling) {
    if (!child.name.startsWith("Table")) continue;
    const line = doc.lineAt(child.from);
    lines.push({ line, from: child.from, text: line.text.slice(child.from - line.from) });
  }
  return lines;
}

/** The table that has this line. */
export const tableOn = (state: EditorState, { from, to }: Line): SyntaxNode | undefined =>
  tableNodes(state).find((table) => table.from <= to && endOf(state, table) >= from);

/** Where its last line ends. */
export const endOf = ({ doc }: EditorState, { to }: SyntaxNode): number => doc.lineAt(to).to;
