import { escapeHtml } from "../src/core/http/html.ts";

/** Text that is already HTML. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | undefined | readonly Part[];

/** HTML from a template: escapes inserted values unless they are HTML already, joins lists, omits undefined. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(String.raw({ raw: strings }, ...parts.map(textOf)));

function textOf(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(textOf).join("\n") : escapeHtml(String(part));
}
