import type { Section } from "../src/http/docs-search.ts";
import type { Html } from "./html.ts";

const heading = /<h[1-4](?: id="([^"]*)")?>(.*?)<\/h[1-4]>/gs;

/** The sections of a page; a heading without an id belongs to the section before it. */
export function sectionsOf(url: string, page: string, content: Html): Section[] {
  const html = content.text;
  const starts = [...html.matchAll(heading)].filter(([, id], i) => i === 0 || id !== undefined);
  return starts.map(([whole, id, title = ""], i) => {
    const from = (starts[i]?.index ?? 0) + whole.length;
    const text = textOf(html.slice(from, starts[i + 1]?.index));
    return { url: i === 0 || !id ? url : `${url}#${id}`, page, heading: textOf(title), text };
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
