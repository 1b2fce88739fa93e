import DOMPurify from "dompurify";
import { say } from "../language/say.ts";
import { directionOf } from "../model/text/direction.ts";
import MarkdownWorker from "./markdown-worker.ts?worker&inline";

/** What rendering a text may take: one of 1 MiB takes a second. Longer is an attack, or a text that nobody reads. */
const deadlineMs = 2000;

/**
 * Renders Markdown as sanitised HTML, one text after the other, on a thread of its own; undefined for a text that takes
 * too long or is nested too deep. Anybody with a token may have written an entry. Removes scripts, styles, forms,
 * URLs other than http(s) and mailto, and attributes that could clash with elements of the page.
 */
export function renderMarkdown(text: string): Promise<string | undefined> {
  const next = last.then(() => ask(text)).then((html) => html && sanitise(html));
  last = next.catch(() => undefined);
  return next;
}

let last: Promise<unknown> = Promise.resolve();
let worker: Promise<Worker> | undefined;

/** The thread, when it can begin: its start does not count. */
const started = (): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const made = new MarkdownWorker();
    made.onmessage = () => resolve(made);
    made.onerror = ({ message }) => reject(new Error(message || say("The preview could not be started")));
  });

async function ask(text: string): Promise<string | undefined> {
  worker ??= started();
  const thread = await worker.catch((error: unknown) => {
    worker = undefined;
    throw error;
  });
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      thread.terminate();
      worker = undefined;
    };
    const timer = setTimeout(() => {
      stop();
      resolve(undefined);
    }, deadlineMs);
    thread.onmessage = ({ data }: MessageEvent<{ html: string | undefined }>) => {
      clearTimeout(timer);
      resolve(data.html);
    };
    thread.onerror = ({ message }) => {
      clearTimeout(timer);
      stop();
      reject(new Error(message));
    };
    thread.postMessage(text);
  });
}

/** HTML of an entry, as Markdown is shown. */
export function sanitise(html: string): string {
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
  if (blocks.has(node.tagName) && !node.hasAttribute("dir")) node.setAttribute("dir", firstDirection(node));
  if (node.tagName !== "A") return;
  // A link to an entry is its id: here it leads to the entry's editor.
  const address = node.getAttribute("href") ?? "";
  if (/^\/(?!\/|project\/|admin(?:\/|$))./.test(address)) node.setAttribute("href", `/admin/entries${address}`);
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer nofollow");
});

/** Each of them is read from the side of its first letter. */
const blocks = new Set(
  ["P", "H1", "H2", "H3", "H4", "H5", "H6", "UL", "OL", "LI", "DT", "DD"].concat("BLOCKQUOTE", "TABLE", "TH", "TD"),
);

function firstDirection(block: Element): string {
  const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const direction = directionOf(texts.currentNode.textContent ?? "");
    if (direction) return direction;
  }
  return "auto";
}

/** An address that is not finished yet, `https://`, is nobody's. */
const isOwn = (address: string): boolean =>
  URL.canParse(address, location.href) && new URL(address, location.href).origin === location.origin;
