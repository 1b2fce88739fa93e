import { type DefaultTreeAdapterTypes, parseFragment, defaultTreeAdapter as tree } from "parse5";
import { HeadingIds } from "./heading-id.ts";

/**
 * HTML with only the elements and attributes of an allow list, written anew from the tree that a browser would build.
 * The result has no element whose content is not parsed as HTML, so reading it again makes no other elements than these.
 * Throws RangeError for elements nested deeper than a browser keeps them apart. Decision 57.
 */
export function cleanHtml(html: string): string {
  const page: Page = { out: [], ids: new HeadingIds() };
  writeChildren(parseFragment(html), page, 0);
  return page.out.join("");
}

type Page = { readonly out: string[]; readonly ids: HeadingIds };

type Element = DefaultTreeAdapterTypes.Element;
type Parent = DefaultTreeAdapterTypes.ParentNode;

const htmlNamespace = "http://www.w3.org/1999/xhtml";

/** Elements that stay, and the attributes that they may have besides those of all. */
const allowed: ReadonlyMap<string, readonly string[]> = new Map([
  ...words(
    "abbr b bdi bdo br caption cite dd dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i kbd mark p pre rp rt " +
      "ruby s samp small span strong sub summary table tbody tfoot thead tr u ul var wbr strike tt blockquote q",
  ).map((name): [string, readonly string[]] => [name, []]),
  ["a", ["href", "id", "class", "data-footnote-ref", "data-footnote-backref", "aria-label"]],
  ["code", ["class"]],
  ["col", ["span"]],
  ["colgroup", ["span"]],
  ["del", ["datetime"]],
  ["details", ["open"]],
  ["img", ["src", "alt", "width", "height"]],
  ["input", ["type", "disabled", "checked"]],
  ["ins", ["datetime"]],
  ["li", ["value", "id"]],
  ["ol", ["start", "reversed", "type"]],
  ["section", ["class", "data-footnotes"]],
  ["sup", ["class"]],
  ["td", ["align", "colspan", "rowspan"]],
  ["th", ["align", "colspan", "rowspan", "scope"]],
  ["time", ["datetime"]],
]);
const ofAll: readonly string[] = ["title", "lang", "dir"];

/** Elements that are left out with all they hold: their content is no text of the page. Others leave their content. */
const dropped: ReadonlySet<string> = new Set(
  words(
    "script style template noscript noembed noframes iframe object applet embed frame frameset svg math title textarea " +
      "select option xmp plaintext listing head meta link base audio video canvas map dialog portal fencedframe",
  ),
);

const withoutEnd: ReadonlySet<string> = new Set(["br", "col", "hr", "img", "input", "wbr"]);

const number = (value: string): string | undefined => (/^\d{1,4}$/.test(value) ? value : undefined);
const anyText = (value: string): string => value;
const oneOf =
  (...names: string[]) =>
  (value: string) =>
    names.find((name) => name === value.toLowerCase());
const flag = (): string => "";

/**
 * Classes by element: the one that highlighters of code read, and those of footnotes. Others could take styles of the page
 * that the text is put into.
 */
const classes: Readonly<Record<string, RegExp>> = {
  a: /(?:^|\s)(footnote-backref)(?:\s|$)/,
  code: /(?:^|\s)(language-\S{1,50})(?:\s|$)/,
  section: /(?:^|\s)(footnotes)(?:\s|$)/,
  sup: /(?:^|\s)(footnote-ref)(?:\s|$)/,
};

/** By attribute: the value as it is written; undefined leaves the attribute out. */
const values: Readonly<Record<string, (value: string, element: string) => string | undefined>> = {
  align: oneOf("left", "center", "right"),
  alt: anyText,
  checked: flag,
  "aria-label": anyText,
  class: (value, element) => classes[element]?.exec(value)?.[1],
  colspan: number,
  "data-footnote-backref": flag,
  "data-footnote-ref": flag,
  "data-footnotes": flag,
  datetime: anyText,
  dir: oneOf("ltr", "rtl", "auto"),
  disabled: flag,
  height: number,
  // Those of footnotes alone: others would shadow variables of a page, and take what its links point to.
  id: (value) => (/^user-content-fn(?:ref)?(?:-[0-9a-f]{1,16}){2,3}$/.test(value) ? value : undefined),
  href: (value) => safeUrl(value, linkSchemes),
  lang: (value) => (/^[a-z0-9-]{1,35}$/i.test(value) ? value : undefined),
  open: flag,
  reversed: flag,
  rowspan: number,
  scope: oneOf("row", "col", "rowgroup", "colgroup"),
  span: number,
  src: (value) => safeUrl(value, imageSchemes),
  start: (value) => (/^-?\d{1,9}$/.test(value) ? value : undefined),
  title: anyText,
  type: (value) => (/^(?:[1aAiI]|checkbox)$/.test(value) ? value : undefined),
  value: (value) => (/^-?\d{1,9}$/.test(value) ? value : undefined),
  width: number,
};

const linkSchemes: ReadonlySet<string> = new Set(["http", "https", "mailto", "tel"]);
const imageSchemes: ReadonlySet<string> = new Set(["http", "https"]);

/** The address, if it is relative or has one of the schemes. */
function safeUrl(value: string, schemes: ReadonlySet<string>): string | undefined {
  // Browsers ignore these where a scheme is read; more than they do is removed here, never less.
  const read = value.replace(/[\u0000-\u0020\u007F-\u00A0\u200B-\u200F\u2028\u2029\uFEFF\uFFFD]/g, "");
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(read)?.[0];
  return scheme === undefined || schemes.has(scheme.toLowerCase()) ? value : undefined;
}

const maxDepth = 500;

function writeChildren(parent: Parent, page: Page, depth: number): void {
  if (depth > maxDepth) throw new RangeError("nested too deep");
  for (const node of parent.childNodes) {
    if (tree.isTextNode(node)) page.out.push(escapeText(node.value));
    else if (tree.isElementNode(node)) writeElement(node, page, depth + 1);
  }
}

function writeElement(element: Element, page: Page, depth: number): void {
  const { out, ids } = page;
  const { tagName: name, namespaceURI } = element;
  if (namespaceURI !== htmlNamespace || dropped.has(name)) return;
  const own = allowed.get(name);
  if (!own || (name === "input" && !isCheckbox(element))) {
    writeChildren(element, page, depth);
    return;
  }
  const attributes = attributesOf(element, own);
  const start = out.push(`<${name}${attributes}>`);
  if (withoutEnd.has(name)) return;
  // A parser drops one line feed behind the tag.
  const first = element.childNodes[0];
  if (name === "pre" && first && tree.isTextNode(first) && first.value.startsWith("\n")) out.push("\n");
  writeChildren(element, page, depth);
  if (/^h[1-6]$/.test(name)) out[start - 1] = `<${name}${ids.of(out.slice(start).join(""))}${attributes}>`;
  out.push(`</${name}>`);
}

/** Task lists have them; no other field of a form stays. */
const isCheckbox = ({ attrs }: Element): boolean =>
  attrs.some(({ name, value }) => name === "type" && value === "checkbox") &&
  attrs.some(({ name }) => name === "disabled");

function attributesOf({ attrs, tagName }: Element, own: readonly string[]): string {
  let text = "";
  for (const { name, value } of alignedAttributes(attrs)) {
    if (!own.includes(name) && !ofAll.includes(name)) continue;
    const written = values[name]?.(value, tagName);
    if (written !== undefined) text += ` ${name}="${escapeAttribute(written)}"`;
  }
  return text;
}

/** The library writes the alignment of the cells of a table as a style; `align` says the same. */
function alignedAttributes(attrs: Element["attrs"]): Element["attrs"] {
  return attrs.map((attribute) => {
    const align = attribute.name === "style" && /^text-align:(left|center|right)$/.exec(attribute.value)?.[1];
    return align ? { name: "align", value: align } : attribute;
  });
}

const escapeText = (text: string): string =>
  text.replace(/[&<>]/g, (odd) => (odd === "&" ? "&amp;" : odd === "<" ? "&lt;" : "&gt;"));
const escapeAttribute = (text: string): string => escapeText(text).replaceAll('"', "&quot;").replaceAll("`", "&#96;");

function words(text: string): string[] {
  return text.split(" ");
}
