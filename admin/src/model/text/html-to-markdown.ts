import DOMPurify from "dompurify";
import TurndownService from "turndown";
import { cleaned } from "./office-html.ts";
import { tableOf } from "./table.ts";

/**
 * Pasted HTML as Markdown: headings, marks, links, lists, quotes, code, pictures and tables. Loaded with the first paste.
 */

export type Pasted = {
  /** Undefined for HTML without any of these: then the plain text is as good, and a code editor's is better. */
  text: string | undefined;
  /** Pictures that the text holds itself: each stands there as one with the address of its place in this list. */
  pictures: readonly string[];
  /** Pictures that only another program can read. */
  lost: number;
};

/** The address of a picture that the text holds itself. */
export const heldAddress = "/pasted-picture-";

export function markdownOf(html: string): Pasted {
  held = { pictures: [], lost: 0 };
  return { text: isCode(html) ? undefined : converted(html), ...held };
}

let held: { pictures: string[]; lost: number } = { pictures: [], lost: 0 };

function converted(html: string): string | undefined {
  const safe = purifier.sanitize(inert(html), {
    ALLOWED_TAGS: allowed,
    ALLOWED_ATTR: [
      "href",
      "src",
      "alt",
      "title",
      "colspan",
      "rowspan",
      "start",
      "data-style",
      "class",
      "aria-checked",
      "type",
      "checked",
    ],
    ADD_URI_SAFE_ATTR: ["data-style", "colspan", "rowspan", "start", "aria-checked", "type", "checked"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|tel:|[/#](?!\/))/i,
  });
  // Not in this document, which would load its pictures.
  const { body } = new DOMParser().parseFromString(safe, "text/html");
  cleaned(body);
  if (!body.querySelector(structure)) return undefined;
  return service.turndown(body).trim();
}

/** Without what the page's policy would refuse, and report, while it is parsed. Styles are kept as texts: they are marks. */
const inert = (html: string): string =>
  html
    .replace(/<(style|script)\b[\s\S]*?<\/\1\s*>/gi, "")
    .replace(/<[a-z](?:"[^"]*"|'[^']*'|[^"'>])*>/gi, (tag) =>
      tag.replace(/([\s"'/])(style|on[a-z]+)(\s*=)/gi, "$1data-$2$3"),
    );

const purifier = DOMPurify(window);
purifier.addHook("uponSanitizeAttribute", (node, data) => {
  if (data.attrName !== "src" || /^(?:https?:|\/)/i.test(data.attrValue)) return;
  // The picture of a tick in a checklist of Google Docs.
  if (node.parentElement?.hasAttribute("aria-checked")) data.keepAttr = false;
  else if (/^data:image\//i.test(data.attrValue)) {
    // Inside of the text it would be megabytes of it.
    data.attrValue = heldAddress + (held.pictures.push(data.attrValue) - 1);
  } else {
    held.lost++;
    data.keepAttr = false;
  }
});

const structure =
  "h1,h2,h3,h4,h5,h6,strong,em,b,i,del,a[href],ul,ol,table,blockquote,pre,code,img[src],hr,sub,sup,br,p + p";

const allowed = [
  ...["h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "br", "hr", "blockquote", "pre", "code", "kbd", "samp", "tt"],
  ...["strong", "b", "em", "i", "del", "s", "strike", "sub", "sup", "a", "img", "span", "font", "u", "mark"],
  ...["ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"],
  "input",
  ...["section", "article", "main", "header", "footer", "figure", "figcaption", "address", "aside"],
];

/** What a code editor puts on the clipboard: its colours as HTML. */
const isCode = (html: string): boolean =>
  /<(?:div|pre)\b[^>]*style="[^"]*font-family:[^"]*(?:mono|consolas|menlo|courier)[^"]*white-space:\s*pre/i.test(html);

const service = new TurndownService({
  headingStyle: "atx",
  hr: "---",
  bulletListMarker: "-",
  codeBlockStyle: "fenced",
  emDelimiter: "*",
  br: "\\",
});

const escapeMarks = service.escape.bind(service);
/** Text that looks like an element, an entity or a struck text stays text. */
service.escape = (text) =>
  escapeMarks(text.replace(/&(?=#?\w+;)/g, "&amp;"))
    .replace(/<(?=[a-z/!?])/gi, "\\<")
    .replace(/(?<!\\)~(?=\S)|(?<=[^\s\\])~/g, "\\~");

service.addRule("struck", { filter: ["del", "s"], replacement: (content) => (content ? `~~${content}~~` : "") });
service.addRule("kept", {
  filter: ["sub", "sup", "kbd"],
  replacement: (content, node) => {
    const name = node.nodeName.toLowerCase();
    return content && `<${name}>${content}</${name}>`;
  },
});
service.addRule("item", {
  filter: "li",
  replacement: (content, node) => {
    const list = node.parentElement;
    const first = Number(list?.getAttribute("start") ?? 1);
    const items = [...(list?.children ?? [])];
    const mark = list?.nodeName === "OL" ? `${first + items.indexOf(node as Element)}. ` : "- ";
    const text = (tickOf(node as Element) + content.trim()).replace(/\n(?=.)/g, `\n${" ".repeat(mark.length)}`);
    return mark + text + (node.nextElementSibling ? "\n" : "");
  },
});
/** The tick of an item of a checklist: of Google Docs, or with a checkbox as pages have them. */
function tickOf(item: Element): string {
  const box = item.querySelector(":scope > input[type=checkbox], :scope > p > input, :scope > label > input");
  const checked = item.getAttribute("aria-checked") ?? (box && String(box.hasAttribute("checked")));
  return checked === null ? "" : checked === "true" ? "[x] " : "[ ] ";
}

service.addRule("footnote", {
  filter: (node) => node.nodeName === "FOOTNOTE-MARK",
  replacement: (content, node) => `[^${content}]${(node as Element).hasAttribute("data-text") ? ": " : ""}`,
});
service.addRule("table", {
  filter: "table",
  replacement: (_content, node) => {
    const table = node as HTMLTableElement;
    const caption = table.caption?.textContent?.trim();
    const text = tableOf(gridOf(table));
    return `\n\n${caption ? `${service.escape(caption)}\n\n` : ""}${text}\n\n`;
  },
});

const mostSpan = 100;

/** The cells of a table; what spans several is in the first of them. */
function gridOf({ rows }: HTMLTableElement): string[][] {
  const grid: string[][] = [];
  for (const [y, row] of [...rows].entries()) {
    grid[y] ??= [];
    let x = 0;
    for (const cell of row.cells) {
      while (grid[y][x] !== undefined) x++;
      const [height, width] = [Math.min(cell.rowSpan, rows.length - y), Math.min(cell.colSpan, mostSpan)];
      for (let down = 0; down < height; down++)
        for (let right = 0; right < width; right++) {
          grid[y + down] ??= [];
          (grid[y + down] as string[])[x + right] = "";
        }
      (grid[y] as string[])[x] = service.turndown(cell.cloneNode(true) as HTMLElement);
    }
  }
  return grid;
}
