import { tags } from "@lezer/highlight";
import type { BlockContext, Line, MarkdownConfig } from "@lezer/markdown";

/** Footnotes for the parser of texts, as the service renders them: `[^name]`, and `[^name]: text` at the start of a line. */

const mark = /^\[\^[^\]\s[]{1,999}\]/;
const definition = /^\[\^[^\]\s[]{1,999}\]:[ \t]*/;
/** Lines that are indented by these columns belong to the footnote above. */
const indent = 4;
const longest = 1003;

const bracket = "[".charCodeAt(0);

const definitionAt = ({ text, pos, next }: Line): string | undefined =>
  next === bracket ? definition.exec(text.slice(pos))?.[0] : undefined;

function goOn(_context: BlockContext, line: Line, columns: number): boolean {
  const isBlank = line.next < 0;
  if (!isBlank && line.indent < line.baseIndent + columns) return false;
  line.moveBaseColumn(line.baseIndent + columns);
  return true;
}

export const footnotes: MarkdownConfig = {
  defineNodes: [
    { name: "Footnote", block: true, composite: goOn },
    { name: "FootnoteMark", style: tags.processingInstruction },
    { name: "FootnoteReference", style: tags.link },
  ],
  parseBlock: [
    {
      name: "Footnote",
      before: "FencedCode",
      parse(context, line) {
        const found = line.indent < line.baseIndent + indent ? definitionAt(line) : undefined;
        if (found === undefined) return false;
        const from = context.lineStart + line.pos;
        context.startComposite("Footnote", line.pos, indent);
        context.addElement(context.elt("FootnoteMark", from, from + found.trimEnd().length));
        line.moveBase(line.pos + found.length);
        return null;
      },
      endLeaf: (_context, line) => definitionAt(line) !== undefined,
    },
  ],
  parseInline: [
    {
      name: "FootnoteReference",
      before: "Link",
      parse(context, next, at) {
        if (next !== bracket) return -1;
        const [found] = mark.exec(context.slice(at, Math.min(context.end, at + longest))) ?? [];
        if (found === undefined || context.char(at + found.length) === "(".charCodeAt(0)) return -1;
        return context.addElement(context.elt("FootnoteReference", at, at + found.length));
      },
    },
  ],
};
