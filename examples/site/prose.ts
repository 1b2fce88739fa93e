import { element } from "./element.ts";

/**
 * A text that was read with `render: "html"`. It may become HTML here, since the service has sanitised it: only elements
 * and attributes of its allow list are left, no script, no style, no event handler and no `javascript:` link, whoever
 * wrote it (docs/rendering.md, What is left out). Without `render` the same field is its source, which must not be put
 * here; any other text of the service becomes a text node. The policy of serve.ts is the second line of defence.
 */
export function prose(html: unknown, lang?: string): HTMLElement {
  const made = element("div", { class: "prose", lang });
  if (typeof html === "string") made.innerHTML = html;
  return made;
}

/** The same without its formatting, for a place where links and headings do not belong. */
export const plain = (html: unknown): string => prose(html).textContent?.trim() ?? "";
