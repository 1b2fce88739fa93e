import { Marked, type Tokens } from "marked";
import { escapeHtml } from "../src/core/http/html.ts";

/** Resolves the target of a link or an image; undefined keeps only the text of a link. */
export type Resolve = (target: string) => string | undefined;

/**
 * A Markdown page of this repository as HTML. Headings have ids to link to, wide content scrolls and is reachable by
 * keyboard, comments are omitted. Not for untrusted text.
 */
export function toHtml(markdown: string, resolve: Resolve): string {
  const text = markdown.replace(/<!--.*?-->/gs, "").replace(pictures, "![$2]($1)");
  return readerOf(resolve).parse(text, { async: false }).trim();
}

/** A picture for each colour scheme, with a default. */
const pictures = /<picture>.*?<img src="([^"]+)" alt="([^"]*)">\s*<\/picture>/gs;

const readerOf = (resolve: Resolve): Marked =>
  new Marked({
    // A bare address is shown, not linked.
    tokenizer: { url: () => undefined },
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      html: ({ text }) => escapeHtml(text),
      link({ href, tokens }) {
        const [target, shown] = [resolve(href), this.parser.parseInline(tokens)];
        return target === undefined ? shown : `<a href="${escapeHtml(target)}">${shown}</a>`;
      },
      image({ href, text }) {
        const target = resolve(href);
        return target === undefined ? "" : `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}">`;
      },
      table({ header, rows }) {
        const row = (cells: Tokens.TableCell[]) => {
          const shown = cells.map(({ header: isHead, tokens }) => {
            // A heading without text is omitted.
            const tag = isHead && tokens.length > 0 ? "th" : "td";
            return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
          });
          return `<tr>${shown.join("")}</tr>`;
        };
        const body = rows.map(row).join("");
        return `<div class="table" tabindex="0"><table><thead>${row(header)}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });

/** The id of a heading, as code hosts make it. */
export const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
