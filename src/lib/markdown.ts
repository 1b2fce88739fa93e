/**
 * Renders the Markdown subset of this repository's own pages as HTML: headings, paragraphs, lists, tables, fenced code,
 * comments (left out); inside a line code, bold, links and images. Not for untrusted text.
 */

import { escapeHtml } from "./html.ts";

/** Resolves the target of a link or an image; undefined keeps only the text of a link. */
export type Resolve = (target: string) => string | undefined;

export function toHtml(markdown: string, resolve: Resolve): string {
  return blocksOf(markdown.replace(/<!--.*?-->/gs, "").replace(pictures, "![$2]($1)"))
    .map((block) => blockHtml(block, resolve))
    .join("\n");
}

/** A picture for each colour scheme, with a default. */
const pictures = /<picture>.*?<img src="([^"]+)" alt="([^"]*)">\s*<\/picture>/gs;

/** Blocks are separated by empty lines, except inside fenced code. */
function blocksOf(markdown: string): string[] {
  const parts = markdown.split(/^(```.*?^```)$/ms);
  return parts
    .flatMap((part) => (part.startsWith("```") ? [part] : part.split(/\n{2,}/)))
    .filter((part) => part.trim());
}

function blockHtml(block: string, resolve: Resolve): string {
  const text = block.trim();
  const fence = /^```\w*\n(.*)\n```$/s.exec(text);
  // Wide content scrolls, and is reachable by keyboard.
  if (fence) return `<pre tabindex="0"><code>${escapeHtml(fence[1] as string)}</code></pre>`;
  const heading = /^(#{1,6}) (.*)$/.exec(text);
  if (heading) return headingHtml((heading[1] as string).length, heading[2] as string, resolve);
  if (/^[-*] |^\d+\. /.test(text)) return listHtml(text, resolve);
  if (text.startsWith("|")) return tableHtml(text, resolve);
  return `<p>${lineHtml(text, resolve)}</p>`;
}

function headingHtml(level: number, text: string, resolve: Resolve): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
  return `<h${level} id="${id}">${lineHtml(text, resolve)}</h${level}>`;
}

function listHtml(text: string, resolve: Resolve): string {
  const tag = /^\d/.test(text) ? "ol" : "ul";
  const items = text.split(/^(?:[-*]|\d+\.) /m).filter((item) => item.trim());
  return `<${tag}>${items.map((item) => `<li>${lineHtml(item.trim(), resolve)}</li>`).join("")}</${tag}>`;
}

function tableHtml(text: string, resolve: Resolve): string {
  const rows = text.split("\n").map((line) => line.replace(/^\||\|$/g, "").split(/(?<!\\)\|/));
  const [head = [], , ...body] = rows;
  const row = (cells: string[], tag: string) =>
    `<tr>${cells.map((cell) => cellHtml(cell.trim(), tag, resolve)).join("")}</tr>`;
  return `<div class="table" tabindex="0"><table><thead>${row(head, "th")}</thead><tbody>${body.map((cells) => row(cells, "td")).join("")}</tbody></table></div>`;
}

/** A heading without text is omitted. */
function cellHtml(text: string, tag: string, resolve: Resolve): string {
  const name = text === "" ? "td" : tag;
  return `<${name}>${lineHtml(text, resolve)}</${name}>`;
}

/** Code spans are replaced first and restored last: nothing in them is parsed. */
function lineHtml(text: string, resolve: Resolve): string {
  const codes: string[] = [];
  const marked = text.replace(/`([^`]+)`/g, (_, code: string) => `\0${codes.push(code) - 1}\0`);
  return escapeHtml(marked)
    .replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>")
    .replace(/(!?)\[([^\][]*)\]\(([^)\s]+)\)/g, (_, mark: string, shown: string, target: string) =>
      linkHtml(mark === "!", shown, resolve(target)),
    )
    .replace(/\0(\d+)\0/g, (_, at: string) => `<code>${escapeHtml(codes[Number(at)] as string)}</code>`);
}

function linkHtml(isImage: boolean, shown: string, target: string | undefined): string {
  if (isImage) return target === undefined ? "" : `<img src="${target}" alt="${shown}">`;
  return target === undefined ? shown : `<a href="${target}">${shown}</a>`;
}
