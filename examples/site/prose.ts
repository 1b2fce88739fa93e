import { element } from "./element.ts";

/**
 * A text that was read with `render: "html"`. The service has sanitised it: no script, no style and no handler of events
 * is left, so it may become HTML here. Any other text of the service becomes a text node.
 */
export function prose(html: unknown): HTMLElement {
  const made = element("div", { class: "prose" });
  if (typeof html === "string") made.innerHTML = html;
  return made;
}

/** The same without its formatting, for a place where links and headings do not belong. */
export const plain = (html: unknown): string => prose(html).textContent?.trim() ?? "";
