import type { Section } from "../src/page/docs-search-wire.ts";
import type { Html } from "./html.ts";
import { idOf } from "./markdown.ts";

/** A page and what a search is told of it: the words that its headings are found by, and whether it explains. */
export type Page = {
  url: string;
  title: string;
  content: Html;
  keywords?: ReadonlyMap<string, string>;
  isGuide?: boolean;
};

const heading = /<h[1-4](?: id="([^"]*)")?>(.*?)<\/h[1-4]>/gs;

/** `<!-- keywords: reverse proxy, TLS -->` below a heading: other words by which its section is found. */
const keywordComment = /^#{1,4} (.+)\n+<!-- keywords: (.+?) -->$/gm;

/** The keywords of a guide's headings, by the headings' ids. */
export const keywordsOf = (markdown: string): Map<string, string> =>
  new Map([...markdown.matchAll(keywordComment)].map(([, title = "", words = ""]) => [idOf(title), words]));

/** The sections of a page; a heading without an id belongs to the section before it. */
export function sectionsOf({ url, title: page, content, keywords, isGuide = false }: Page): Section[] {
  const html = content.text;
  const starts = [...html.matchAll(heading)].filter(([, id], i) => i === 0 || id !== undefined);
  return starts.map(([whole, id = "", title = ""], i) => {
    const from = (starts[i]?.index ?? 0) + whole.length;
    const place = { url: i === 0 || !id ? url : `${url}#${id}`, page, heading: textOf(title) };
    const text = textOf(html.slice(from, starts[i + 1]?.index));
    return { ...place, text, keywords: keywords?.get(id) ?? "", isGuide };
  });
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** Longer examples are replies: their words are in the text around them. */
const longExample = /<pre[^>]*>(?:(?!<\/pre>).){600,}<\/pre>/gs;

/** The text of HTML that the build made. */
const textOf = (html: string): string =>
  html
    .replace(longExample, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name = "") =>
      code ? String.fromCodePoint(Number(code)) : (named[name] ?? whole),
    )
    .replace(/\s+/g, " ")
    .trim();
