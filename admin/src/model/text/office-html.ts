/**
 * HTML of Word, Google Docs and pages, in place, as plain HTML: marks that are styles become elements, paragraphs that
 * look like lists become lists.
 */
export function cleaned(body: HTMLElement): void {
  each(body, ".Apple-interchange-newline", (node) => node.remove());
  each(body, ".Apple-converted-space", (node) => node.replaceWith(" "));
  each(body, ".MsoTitle", (node) => rename(node, "h1"));
  each(body, '[data-style*="mso-list" i]', toItem);
  nestLists(body);
  each(body, "[data-style]", marksOfStyle);
  each(body, "b, i, s, strike, tt, samp", (node) => rename(node, plainNames[node.localName] as string));
  each(body, "span, font, u, mark", unwrap);
  each(body, "h1 strong, h2 strong, h3 strong, h4 strong, h5 strong, h6 strong", unwrap);
  each(body, "table table", (node) => {
    const cells = [...node.querySelectorAll("td, th")].map(({ textContent }) => textContent?.trim());
    node.replaceWith(` ${cells.join(" ")} `);
  });
  each(body, "strong, em, del", joinEqual);
  each(body, "a[href]", direct);
  footnotes(body);
  each(body, "img:not([src]), a[href='']", unwrap);
  each(body, "pre", asCode);
  each(body, "li > p", (node) => {
    if (node.parentElement?.querySelectorAll(":scope > p").length === 1) unwrap(node);
  });
  each(body, "br", (node) => {
    if (isEdge(node, "previousSibling") || isEdge(node, "nextSibling")) node.remove();
  });
  each(body, "p, h1, h2, h3, h4, h5, h6, li", (node) => {
    if (node.textContent?.trim() === "" && !node.querySelector("img, br, hr, table, li")) node.remove();
  });
}

/** `#ftnt1` of Google Docs, `#_ftn1` and `#_edn1` of Word; behind `ref` those that lead back. */
const note = /^#_?(?:ftnt?|edn)(_?ref)?_?(\w+)$/;

/** Footnotes whose text is there become Markdown's; other links within the page that was copied would be dead. */
function footnotes(body: HTMLElement): void {
  const links = [...body.querySelectorAll<HTMLElement>('a[href^="#"]')].map((link) => {
    const [, back, name = ""] = note.exec(link.getAttribute("href") ?? "") ?? [];
    return { link, name, isBack: back !== undefined };
  });
  const isWhole = (name: string): boolean =>
    [true, false].every((isBack) => links.some((other) => other.name === name && other.isBack === isBack));
  for (const { link, name, isBack } of links) {
    if (!isWhole(name)) {
      unwrap(link);
      continue;
    }
    const mark = create(link, "footnote-mark");
    mark.textContent = name;
    if (isBack) mark.setAttribute("data-text", "");
    if (isBack && link.nextSibling) link.nextSibling.textContent = link.nextSibling.textContent?.trimStart() ?? "";
    (link.closest("sup") ?? link).replaceWith(mark);
  }
}

const plainNames: Record<string, string> = { b: "strong", i: "em", s: "del", strike: "del", tt: "code", samp: "code" };

function each(body: HTMLElement, selector: string, change: (node: HTMLElement) => void): void {
  for (const node of body.querySelectorAll<HTMLElement>(selector)) change(node);
}

const create = (beside: HTMLElement, name: string): HTMLElement => beside.ownerDocument.createElement(name);

const unwrap = (node: HTMLElement): void => node.replaceWith(...node.childNodes);

function rename(node: HTMLElement, name: string): HTMLElement {
  const other = create(node, name);
  for (const attribute of ["data-style", "href", "start"]) {
    const value = node.getAttribute(attribute);
    if (value !== null) other.setAttribute(attribute, value);
  }
  other.append(...node.childNodes);
  node.replaceWith(other);
  return other;
}

/** As inert() leaves it. */
const styleOf = (node: HTMLElement): string => node.getAttribute("data-style") ?? "";

const styled: [name: string, style: RegExp, around: string][] = [
  ["strong", /(?<![\w-])font-weight:\s*(?:bold|[6-9]00)/i, "b, strong, h1, h2, h3, h4, h5, h6, th"],
  ["em", /(?<![\w-])font-style:\s*italic/i, "i, em"],
  ["del", /text-decoration[^;:]*:[^;]*line-through/i, "s, strike, del"],
];

function marksOfStyle(node: HTMLElement): void {
  const style = styleOf(node);
  const isPlain =
    (/^(?:b|strong)$/.test(node.localName) && /(?<![\w-])font-weight:\s*(?:normal|[1-5]00)/i.test(style)) ||
    (/^(?:i|em)$/.test(node.localName) && /(?<![\w-])font-style:\s*normal/i.test(style));
  if (isPlain) unwrap(node);
  if (!/^(?:span|font|a|u|mark)$/.test(node.localName)) return;
  for (const [name, pattern, around] of styled) {
    if (!pattern.test(style) || node.closest(around) || node.textContent?.trim() === "") continue;
    const mark = create(node, name);
    mark.append(...node.childNodes);
    node.append(mark);
  }
}

/** Runs of one mark are one: `**a****b**` is none. */
function joinEqual(node: HTMLElement): void {
  if (!node.isConnected && !node.parentNode) return;
  for (let next = node.nextSibling; next instanceof HTMLElement && next.localName === node.localName; ) {
    node.append(...next.childNodes);
    next.remove();
    next = node.nextSibling;
  }
}

/** A paragraph of a list of Word, as an item of a list of its level. Its number or bullet is a part of its text. */
function toItem(node: HTMLElement): void {
  const level = /mso-list:\s*\S+\s+level(\d)/i.exec(styleOf(node))?.[1];
  if (level === undefined) return;
  const mark = node.querySelector('[data-style*="mso-list:Ignore" i], [data-style*="mso-list: Ignore" i]');
  const isNumbered = /^\s*\(?(?:\d+|[a-z]|[ivxlc]+)[.)]/i.test(mark?.textContent ?? "");
  mark?.remove();
  const list = create(node, isNumbered ? "ol" : "ul");
  const item = create(node, "li");
  item.append(...node.childNodes);
  list.append(item);
  list.setAttribute("aria-level", level);
  node.replaceWith(list);
}

/** Joins neighbouring lists of one item each, by their levels; and puts a list beside items into the item before. */
function nestLists(body: HTMLElement): void {
  each(body, "ul[aria-level], ol[aria-level]", (list) => {
    const before = list.previousElementSibling;
    if (!before?.matches("ul[aria-level], ol[aria-level]")) return;
    let host = before as HTMLElement;
    const level = levelOf(list);
    while (levelOf(host) < level) {
      const last = host.lastElementChild;
      const inner = last?.lastElementChild;
      if (!last || !inner?.matches("[aria-level]")) {
        if (last) last.append(list);
        return;
      }
      host = inner as HTMLElement;
    }
    if (host.localName !== list.localName) return host === before ? undefined : host.after(list);
    host.append(...list.childNodes);
    list.remove();
  });
  each(body, "ul > ul, ul > ol, ol > ul, ol > ol", (list) => {
    const before = list.previousElementSibling;
    if (before?.localName === "li") before.append(list);
  });
}

const levelOf = (list: Element): number => Number(list.getAttribute("aria-level"));

/** True for a break without a text on that side: beside a block, or at the end of one. */
function isEdge(node: Node, side: "previousSibling" | "nextSibling"): boolean {
  let beside = node[side];
  while (beside?.nodeType === Node.TEXT_NODE && beside.textContent?.trim() === "") beside = beside[side];
  return beside === null || (beside instanceof Element && beside.matches(blocks));
}

const blocks = "p, div, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, pre, hr, section, article";

/** Google puts its own address before each link. */
function direct(node: HTMLElement): void {
  const address = node.getAttribute("href") ?? "";
  if (!/^https:\/\/www\.google\.com\/url\?/.test(address)) return;
  const target = new URL(address).searchParams.get("q") ?? "";
  if (/^https?:/.test(target)) node.setAttribute("href", target);
}

function asCode(node: HTMLElement): void {
  if (node.firstElementChild?.localName === "code" && node.childElementCount === 1) return;
  const code = create(node, "code");
  code.textContent = node.textContent;
  node.replaceChildren(code);
}
