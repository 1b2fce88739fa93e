import MarkdownIt, { type StateCore, type Token } from "markdown-it";

/**
 * Markdown as HTML that is not sanitised: CommonMark with the tables, task lists, strikethrough and autolinks of GFM.
 * Decision 57.
 */
export function markdownToHtml(markdown: string): string {
  // A field may begin with a byte order mark, as a file does.
  return parser.render(markdown.replace(/^\uFEFF/, ""));
}

const parser = new MarkdownIt("default", { html: true, linkify: true, langPrefix: "language-", typographer: false });

// GFM links addresses with a scheme, mail addresses and those that begin with "www.", but no bare host name.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false });
parser.linkify.add("www.", {
  // Where the address ends is what the library's own rule says of it with its scheme.
  validate: (text, at, linkify) =>
    Math.max(0, linkify.testSchemaAt(`http://www.${text.slice(at, at + maxAddress)}`, "http:", 5) - 6),
  normalize: (match) => {
    match.url = `http://${match.url}`;
  },
});
const maxAddress = 2048;

const { rules } = parser.renderer;
rules.s_open = () => "<del>";
rules.s_close = () => "</del>";

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
