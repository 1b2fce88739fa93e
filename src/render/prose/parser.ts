import MarkdownIt, { type StateCore, type Token } from "markdown-it";
import { autolink } from "./autolink.ts";
import { footnotes } from "./footnote.ts";
import { strike } from "./strike.ts";
import { tagFilter } from "./tag-filter.ts";

/**
 * Markdown as HTML that is not sanitised: CommonMark with the tables, task lists, strikethrough, autolinks, footnotes and
 * tag filter of GFM. Decision 57.
 */
export function markdownToHtml(markdown: string): string {
  // A field may begin with a byte order mark, as a file does.
  return parser.render(markdown.replace(/^\uFEFF/, ""));
}

const parser = new MarkdownIt("default", { html: true, langPrefix: "language-", typographer: false })
  .use(autolink)
  .use(strike)
  .use(footnotes)
  .use(tagFilter);

/** Items of lists that begin with `[ ]` or `[x]`, as GFM defines them. */
parser.core.ruler.after("inline", "task_list", ({ tokens, Token }: StateCore) => {
  for (const [i, token] of tokens.entries()) {
    if (token.type !== "inline" || tokens[i - 1]?.type !== "paragraph_open" || tokens[i - 2]?.type !== "list_item_open")
      continue;
    const first = token.children?.[0];
    const box = first?.type === "text" ? /^\[([ xX])\](?=\s)/.exec(first.content) : null;
    if (!first || !box) continue;
    first.content = first.content.slice(box[0].length);
    token.children?.unshift(checkbox(new Token("html_inline", "", 0), box[1] !== " "));
  }
});

function checkbox(token: Token, isChecked: boolean): Token {
  token.content = `<input type="checkbox" disabled${isChecked ? " checked" : ""}>`;
  return token;
}
