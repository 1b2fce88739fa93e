import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "./table-nodes.ts";

/** The numbers of footnotes: in the order in which they are first referred to, as the service counts them. */

const known = new WeakMap<SyntaxNode["tree"] & object, ReadonlyMap<string, number>>();

/** The number of what a reference or a definition names; undefined for what is not defined, or not referred to. */
export function footnoteNumber(state: EditorState, node: SyntaxNode): number | undefined {
  const tree = syntaxTree(state);
  const numbers = known.get(tree) ?? numbersIn(state);
  known.set(tree, numbers);
  return numbers.get(nameOf(state, node));
}

/** Names are the same in either case. */
const nameOf = (state: EditorState, { from, to }: SyntaxNode): string =>
  state.sliceDoc(from, to).replace(/:$/, "").normalize("NFC").toLowerCase().toUpperCase();

function numbersIn(state: EditorState): Map<string, number> {
  const { topNode } = syntaxTree(state);
  const notes = new Map<string, SyntaxNode>();
  for (const note of topNode.getChildren("Footnote")) {
    const name = nameOf(state, note.getChild("FootnoteMark") ?? note);
    if (!notes.has(name)) notes.set(name, note);
  }
  const numbers = new Map<string, number>();
  const refer = (within: SyntaxNode): void =>
    within.cursor().iterate(({ name, from, node }) => {
      const referred = name === "FootnoteReference" ? nameOf(state, node) : undefined;
      if (referred && notes.has(referred) && !numbers.has(referred)) numbers.set(referred, numbers.size + 1);
      return name !== "Footnote" || from === within.from;
    });
  if (notes.size > 0) refer(topNode);
  // A footnote may be the first to refer to another one.
  for (const name of numbers.keys()) refer(notes.get(name) as SyntaxNode);
  return numbers;
}
