import DOMPurify from "dompurify";
import { marked } from "marked";

/**
 * Markdown as HTML that is safe to show: an entry may have been written by anybody who holds a token. No script, no
 * style, no form, no address but of the web and of mail; what names elements of the page loses its name.
 */
export function renderMarkdown(text: string): string {
  const html = marked.parse(text, { async: false, gfm: true });
  return purifier.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ["style", "form", "input", "button", "select", "textarea", "iframe", "object", "embed", "dialog"],
    FORBID_ATTR: ["style", "class", "id", "name", "srcset"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|[^a-z+.:-]|[a-z+.-]+(?:[^a-z+.:-]|$))/i,
  });
}

const purifier = DOMPurify(window);

purifier.addHook("afterSanitizeAttributes", (node) => {
  // Of other hosts not even a picture is asked for: it would tell them who reads what, and the page's policy forbids it.
  const source = node.getAttribute("src");
  if (source !== null && new URL(source, location.href).origin !== location.origin) node.removeAttribute("src");
  if (node.tagName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer nofollow");
});
