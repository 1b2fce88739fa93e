import MarkdownIt from "markdown-it";
import { isPicture, type TextLink } from "../../moving/import-attachment.ts";

/**
 * The links of a Markdown text and where they are: inline links and pictures, definitions of references, addresses in HTML
 * and Obsidian's double brackets; nothing in code or comments. The library says which lines are which block, since code is
 * indented in many ways; inside a block the links are found here, since the library does not say where they are.
 */
export function linksOf(markdown: string): TextLink[] {
  const starts = lineStarts(markdown);
  return blocksOf(markdown).flatMap(({ from, to, kind }) => {
    const at = starts[from] as number;
    const text = markdown.slice(at, starts[to] ?? markdown.length);
    const links = kind === "definition" ? definitionsOf(text) : new Scanner(text, kind === "html").links;
    return links.map((link) => ({ ...link, start: at + link.start, end: at + link.end }));
  });
}

const parser = new MarkdownIt("default", { html: true });
parser.core.ruler.enableOnly(["normalize", "block"]);

type Block = { from: number; to: number; kind: "text" | "html" | "definition" };
const kinds: Readonly<Record<string, Block["kind"]>> = {
  inline: "text",
  tr_open: "text",
  html_block: "html",
  reference_definition: "definition",
};

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  for (const { type, map } of parser.parse(markdown, {})) {
    const kind = kinds[type];
    if (kind && map) blocks.push({ from: map[0], to: map[1], kind });
  }
  return blocks;
}

/** Where each line begins; lines end as the library sees it. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length);
  return starts;
}

const destination = String.raw`<((?:[^<>\n\\]|\\.)*)>|([^\s<\x00-\x1f][^\s\x00-\x1f]*)`;
const definition = new RegExp(String.raw`\]:[ \t]*(?:\r?\n[ \t>]*)?(?:${destination})`);

/** The library knows no footnotes, whose text may be one picture. */
const footnote = /^[\s>]*\[\^/;

/** A block of the library is one definition, in any container. */
function definitionsOf(text: string): TextLink[] {
  const found = definition.exec(text);
  if (!found || footnote.test(text)) return new Scanner(text, false).links;
  const [all, angled, bare] = found;
  const end = found.index + all.length - (angled === undefined ? 0 : 1);
  const written = angled ?? (bare as string);
  return [linkAt(end - written.length, end, unescapeMarkdown(written), "link")];
}

const linkAt = (start: number, end: number, target: string, kind: TextLink["kind"]): TextLink => ({
  start,
  end,
  target,
  kind,
  write: (address) => address,
});

/** `(` behind a link's text, its address, its title and `)`. */
const inline = new RegExp(
  String.raw`\(\s*(?:<((?:[^<>\n\\]|\\.)*)>|((?:[^\s()<\\\x00-\x1f]|\\.|\((?:[^\s()\\\x00-\x1f]|\\.|\((?:[^\s()\\\x00-\x1f]|\\.)*\))*\))(?:[^\s()\\\x00-\x1f]|\\.|\((?:[^\s()\\\x00-\x1f]|\\.|\((?:[^\s()\\\x00-\x1f]|\\.)*\))*\))*))` +
    String.raw`(?:\s+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?\s*\)`,
  "ys",
);
const autolink = /<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>/y;
const tag = /<([A-Za-z][\w.:-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|\{[^{}]*\}|[^\s"'=<>`{]+))?)*)\s*\/?>/y;
const attribute = /([^\s"'<>/=]+)(\s*=\s*)(?:"([^"]*)"|'([^']*)'|\{[^{}]*\}|([^\s"'=<>`{]+))/g;
/** Elements whose content is code, or no text. */
const opaque = new Set(["code", "pre", "script", "style", "textarea", "kbd", "samp"]);
const wiki = /(!?)\[\[([^[\]|\n]+)(?:\|([^[\]\n]*))?\]\]/y;

class Scanner {
  readonly links: TextLink[] = [];
  private readonly text: string;
  private at = 0;
  /** Open brackets: whether each belongs to a picture. */
  private readonly brackets: boolean[] = [];
  /** Runs of backticks of these lengths have no end. */
  private readonly unclosed = new Set<number>();
  private hasCommentEnd = true;
  private readonly lowerText: string;

  constructor(text: string, isHtml: boolean) {
    this.text = text;
    this.lowerText = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    const marks = isHtml ? /</g : /[\\`<![\]]/g;
    for (;;) {
      marks.lastIndex = this.at;
      const found = marks.exec(text);
      if (!found) return;
      this.at = found.index;
      this.step(found[0]);
    }
  }

  private step(char: string): void {
    if (char === "\\") this.at += 2;
    else if (char === "`") this.code();
    else if (char === "<") this.html();
    else if (char === "]") this.closing();
    else this.opening();
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text);
  }

  /** Goes behind the next run of as many backticks. */
  private code(): void {
    const length = (this.match(/`+/y) as RegExpExecArray)[0].length;
    this.at += length;
    if (this.unclosed.has(length)) return;
    const runs = /`+/g;
    runs.lastIndex = this.at;
    for (let run = runs.exec(this.text); run; run = runs.exec(this.text)) {
      if (run[0].length !== length) continue;
      this.at = runs.lastIndex;
      return;
    }
    this.unclosed.add(length);
  }

  private html(): void {
    const end = this.commentEnd() ?? this.match(autolink)?.[0].length;
    const found = end === undefined ? this.match(tag) : null;
    if (found) this.element(found);
    else this.at += end ?? 1;
  }

  /** How long the comment is that begins here. */
  private commentEnd(): number | undefined {
    if (!this.hasCommentEnd || !this.text.startsWith("<!--", this.at)) return undefined;
    const end = this.text.indexOf("-->", this.at + 4);
    this.hasCommentEnd = end >= 0;
    return end < 0 ? undefined : end + 3 - this.at;
  }

  private element([all, name = "", attributes = ""]: RegExpExecArray): void {
    this.attributes(attributes, this.at + 1 + name.length);
    this.at += all.length;
    if (!opaque.has(name.toLowerCase()) || all.endsWith("/>")) return;
    const end = this.lowerText.indexOf(`</${name.toLowerCase()}`, this.at);
    this.at = end < 0 ? this.text.length : end + 1;
  }

  private attributes(text: string, offset: number): void {
    for (const found of text.matchAll(attribute)) {
      const [, name = "", equals = "", double, single, bare] = found;
      const value = double ?? single ?? bare;
      if (value === undefined) continue;
      const start = offset + found.index + name.length + equals.length + (bare === undefined ? 1 : 0);
      const key = name.toLowerCase();
      if (key === "srcset") this.sourceSet(value, start);
      else if (addresses.has(key))
        this.links.push(linkAt(start, start + value.length, unescapeHtml(value), key === "href" ? "link" : "picture"));
    }
  }

  private sourceSet(value: string, start: number): void {
    // The addresses of data have commas.
    if (value.includes("data:")) return;
    for (const { 1: before = "", 2: address = "", index } of value.matchAll(/((?:^|,)\s*)([^\s,]+)[^,]*/g)) {
      const at = start + index + before.length;
      this.links.push(linkAt(at, at + address.length, unescapeHtml(address), "picture"));
    }
  }

  private opening(): void {
    const found = this.match(wiki);
    if (found) {
      const [all, mark, target = "", label] = found;
      const { at } = this;
      // The pipe of a table's cell is written with a backslash.
      const name = target.trim().replace(/\\$/, "");
      const write = mark && isPicture(name.replace(/#.*/, "")) ? pictureOf : linkOf;
      this.links.push({
        start: at,
        end: at + all.length,
        target: name,
        kind: mark ? "embed" : "wiki",
        write: (address) => write(name, label?.trim(), address),
      });
      this.at += all.length;
      return;
    }
    const isImage = this.text.startsWith("![", this.at);
    if (isImage || this.text[this.at] === "[") this.brackets.push(isImage);
    this.at += isImage ? 2 : 1;
  }

  private closing(): void {
    const isImage = this.brackets.pop();
    this.at++;
    const found = isImage === undefined ? null : this.match(inline);
    if (!found) return;
    const [all, angled, bare = ""] = found;
    const written = angled ?? bare;
    const start = this.at + (angled === undefined ? all.indexOf(bare) : all.indexOf("<") + 1);
    this.links.push(linkAt(start, start + written.length, unescapeMarkdown(written), isImage ? "picture" : "link"));
    this.at += all.length;
  }
}

const addresses = new Set(["src", "href", "poster"]);

/** Obsidian gives the width, and the height, behind the pipe; Markdown has no place for them. */
function pictureOf(name: string, label: string | undefined, address: string): string {
  const [, width, height] = /^(\d{1,4})(?:x(\d{1,4}))?$/.exec(label ?? "") ?? [];
  const text = name.slice(name.lastIndexOf("/") + 1).replace(/#.*/, "");
  if (width === undefined) return `![${labelOf(label || text)}](${address})`;
  const alt = text.replace(/[&"<>]/g, (char) => `&#${char.charCodeAt(0)};`);
  return `<img src="${address}" alt="${alt}" width="${width}"${height ? ` height="${height}"` : ""}>`;
}

const linkOf = (name: string, label: string | undefined, address: string): string =>
  `[${labelOf(label || name)}](${address})`;

const labelOf = (text: string): string => text.replace(/[[\]\\]/g, "\\$&");

const unescapeMarkdown = (text: string): string =>
  unescapeHtml(text.replace(/\\([!-/:-@[-`{-~])/g, (_, char: string) => (char === "&" ? "&amp;" : char)));

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

const unescapeHtml = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi, (all, decimal, hex, name) => {
    if (name) return entities[name.toLowerCase()] ?? all;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
