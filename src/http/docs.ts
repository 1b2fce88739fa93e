import { readFileSync } from "node:fs";
import { problemDocsPath } from "./problem.ts";
import type { Answer } from "./reply.ts";
import type { Route } from "./route.ts";

const source = new URL("../../docs/problems.md", import.meta.url);

/** Where the `type` of every problem leads: docs/problems.md as a page. */
export function docsRoutes(): Route[] {
  let page: string | undefined;
  return [
    {
      method: "GET",
      url: problemDocsPath,
      summary: "Read what each problem means",
      arguments: {},
      problems: [],
      handle: (): Answer => {
        page ??= toPage(readFileSync(source, "utf8"));
        return {
          status: 200,
          body: page,
          contentType: "text/html; charset=utf-8",
          cacheControl: "public, max-age=3600",
        };
      },
    },
  ];
}

const toHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`).replace(/`([^`]+)`/g, "<code>$1</code>");

/** Headings and paragraphs: all that docs/problems.md is made of. */
function toPage(markdown: string): string {
  const blocks = markdown.split(/\n{2,}/).map((block) => {
    const heading = /^(#+) (.*)$/.exec(block.trim());
    if (!heading) return `<p>${toHtml(block)}</p>`;
    const [, marks = "", title = ""] = heading;
    return `<h${marks.length} id="${toHtml(title)}">${toHtml(title)}</h${marks.length}>`;
  });
  const style = "body{font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}";
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Octavo: problems</title><style>${style}</style>${blocks.join("\n")}</html>`;
}
