import type { MarkdownIt, StateCore, Token } from "markdown-it";

/**
 * GFM's tag filter: tags that switch a browser to another mode of parsing stand in the result as text, so that one
 * without an end does not take the rest of the text away. Other elements that sanitising leaves out with their content
 * are treated alike where a text opens more of them than it closes. Sanitising comes afterwards and relies on none of
 * this. Decision 57.
 */
export function tagFilter(parser: MarkdownIt): void {
  parser.core.ruler.push("tag_filter", ({ tokens }: StateCore) => {
    const html = [...rawHtml(tokens)];
    if (html.length === 0) return;
    const names = new Set([...always, ...unclosed(html)]);
    for (const token of html) {
      token.content = token.content.replace(tag, (text, name: string) =>
        names.has(name.toLowerCase()) ? `&lt;${text.slice(1)}` : text,
      );
    }
  });
}

const always = words("title textarea style xmp iframe noembed noframes script plaintext");

/** What is left out with its content, and has an end tag. */
const mayBeUnclosed: ReadonlySet<string> = new Set(
  words(
    "template noscript object applet svg math select option head audio video canvas map dialog portal fencedframe " +
      "listing frameset",
  ),
);

/** The start of a tag; the name ends where it ends for a browser. */
const tag = /<\/?([a-z]+)(?=[\t\n\f\r />]|$)/gi;

function* rawHtml(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    if (token.type === "html_block" || token.type === "html_inline") yield token;
    if (token.children) yield* rawHtml(token.children);
  }
}

/** Names of elements that are opened more often than they are closed. */
function unclosed(html: readonly Token[]): string[] {
  const open = new Map<string, number>();
  for (const { content } of html) {
    for (const [text, name = ""] of content.matchAll(tag)) {
      const key = name.toLowerCase();
      if (mayBeUnclosed.has(key)) open.set(key, (open.get(key) ?? 0) + (text.startsWith("</") ? -1 : 1));
    }
  }
  return [...open].flatMap(([name, count]) => (count > 0 ? [name] : []));
}

function words(text: string): string[] {
  return text.split(" ");
}
