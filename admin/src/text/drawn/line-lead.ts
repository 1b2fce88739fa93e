import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

/** What stands before the words of a line. */

/** The marks of the quotes that a line is in; a list may begin behind them. */
export const quoteOf = (line: string): string => /^(?: {0,3}> ?)*/.exec(line)?.[0] ?? "";

/** True where marks of lines are characters like others. */
export function isInCodeBlock(state: EditorState): boolean {
  for (let node = syntaxTree(state).resolveInner(state.selection.main.head, -1); node.parent; node = node.parent)
    if (/^(?:FencedCode|CodeBlock)$/.test(node.name)) return true;
  return false;
}

/** True when a line stands right above this one, in the same quote or outside of one. */
export const isBelowText = ({ doc }: EditorState, number: number): boolean => {
  const above = number > 1 ? doc.line(number - 1).text : "";
  return above.slice(quoteOf(above).length).trim() !== "";
};
