import DOMPurify from "dompurify";
import { marked } from "marked";

/**
 * Renders Markdown as sanitised HTML: anybody with a token may have written an entry. Removes scripts, styles, forms,
 * URLs other than http(s) and mailto, and attributes that could clash with elements of the page.
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
  // No images from other hosts: a request would tell them who reads what, and the CSP forbids it.
  const source = node.getAttribute("src");
  if (source !== null && !isOwn(source)) node.removeAttribute("src");
  if (node.tagName !== "A") return;
  // A link to an entry is its id: here it leads to the entry's editor.
  const address = node.getAttribute("href") ?? "";
  if (/^\/(?!\/|project\/|admin(?:\/|$))./.test(address)) node.setAttribute("href", `/admin/entries${address}`);
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer nofollow");
});

/** An address that is not finished yet, `https://`, is nobody's. */
const isOwn = (address: string): boolean =>
  URL.canParse(address, location.href) && new URL(address, location.href).origin === location.origin;
