import type { MarkdownIt, StateCore, StateInline, Token } from "markdown-it";

/**
 * Addresses that are links without being marked up, as GFM defines them: those that begin with `http://`, `https://` or
 * `ftp://`, with `www.`, and mail addresses. The parser's own rules for them differ in brackets, entities and names.
 */
export function autolink(parser: MarkdownIt): void {
  const { inline, core } = parser;
  inline.ruler.before("text", "autolink_www", wwwLink);
  inline.ruler.at("text", plainText);
  inline.ruler.at("linkify", urlLink);
  core.ruler.at("linkify", mailLinks);
}

// A name of a host has at most 253 characters: without the bound each of many would be read to the end of the text.
const host = /(?![-_.])(?:[^\s\p{P}\p{Cc}$+<=>^`|~]|[._-]){1,253}/uy;
const maxAddress = 10_000;

/** The characters that may stand before `www.`, apart from the start of a line. */
const beforeWww = /[\s*_~(]/;
/** The characters at which another rule has a look: the set of the parser. */
const special: ReadonlySet<string> = new Set("\n!#$%&*+-:<=>@[\\]^_`{}~");

/** Ends before `www.`, too, where that may be an address. */
function plainText(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state;
  let end = pos;
  while (end < posMax && !special.has(src[end] as string) && !(end > pos && isWww(src, end))) end++;
  if (end === pos) return false;
  if (!isSilent) state.pending += src.slice(pos, end);
  state.pos = end;
  return true;
}

const isWww = (src: string, at: number): boolean =>
  src[at] === "w" && src.startsWith("www.", at) && (at === 0 || beforeWww.test(src[at - 1] as string));

function wwwLink(state: StateInline, isSilent: boolean): boolean {
  const { src, pos } = state;
  if (isSilent || state.linkLevel > 0 || !isWww(src, pos)) return false;
  const length = addressLength(state, pos + 4, true);
  if (length === 0) return false;
  const text = src.slice(pos, pos + 4 + length);
  return pushLink(state, text, `http://${text}`, 0);
}

function urlLink(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, pending } = state;
  if (isSilent || state.linkLevel > 0 || !src.startsWith("://", pos)) return false;
  // A character more than the longest scheme, which must be no letter. Not of the pending text: a look at that copies all of it.
  const scheme = /(?:^|[^a-z])(https?|ftp)$/i.exec(src.slice(Math.max(0, pos - 6), pos))?.[1];
  if (scheme === undefined || pending.length < scheme.length) return false;
  const length = addressLength(state, pos + 3, false);
  if (length === 0) return false;
  const text = `${scheme}${src.slice(pos, pos + 3 + length)}`;
  return pushLink(state, text, text, scheme.length);
}

/** The length of the address that continues at `from` with a host; 0 when none does. */
function addressLength({ src, posMax }: StateInline, from: number, isAfterDot: boolean): number {
  host.lastIndex = from;
  const name = host.exec(src.slice(0, Math.min(posMax, from + maxAddress)))?.[0];
  if (name === undefined || !isDomain(isAfterDot ? `www.${name}` : name)) return 0;
  const rest = /^[^\s<]*/.exec(src.slice(from, Math.min(posMax, from + maxAddress)))?.[0] ?? "";
  return addressEnd(rest);
}

/** No underscore in the last two segments. */
const isDomain = (name: string): boolean => !name.replace(/\.+$/, "").split(".").slice(-2).join().includes("_");

/** GFM's extended autolink path validation, and the end at a bracket that was opened before the address. */
function addressEnd(text: string): number {
  let end = closedBefore(text);
  let unopened = count(text.slice(0, end), ")") - count(text.slice(0, end), "(");
  for (; end > 0; end--) {
    const last = text[end - 1] as string;
    if (last === ";") end = entityStart(text, end) ?? end;
    else if (last === ")" && unopened > 0) unopened--;
    else if (!/[?!.,:*_~'"\]]/.test(last) || (last === "]" && text.lastIndexOf("[", end) >= 0)) break;
  }
  return end;
}

/** Where `]`, which was not opened in the address, is the end of a link's text. */
function closedBefore(text: string): number {
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "[") open++;
    else if (text[i] === "]" && --open < 0 && /[([]/.test(text[i + 1] ?? "")) return i;
  }
  return text.length;
}

/** Where `&name;` begins that ends at `end`, and a character more, which the caller takes away. */
function entityStart(text: string, end: number): number | undefined {
  let start = end - 2;
  while (start > 0 && /[a-z0-9]/i.test(text[start] as string)) start--;
  return start < end - 2 && text[start] === "&" ? start + 1 : undefined;
}

const count = (text: string, part: string): number => text.split(part).length - 1;

/** Replaces the end of the pending text, `before` characters of the address, and goes on behind it. */
function pushLink(state: StateInline, text: string, url: string, before: number): boolean {
  const href = state.md.normalizeLink(url);
  if (!state.md.validateLink(href)) return false;
  if (before > 0) state.pending = state.pending.slice(0, -before);
  state.push("link_open", "a", 1).attrs = [["href", href]];
  state.push("text", "", 0).content = state.md.normalizeLinkText(text);
  state.push("link_close", "a", -1);
  state.pos += text.length - before;
  return true;
}

// -------------------------------------------------------------------------------------------- mail

// Every part is bounded, and read to its end: so the expression takes linear time.
const mail =
  /(?<![a-z0-9.+_/@-])((?:mailto:)?[a-z0-9.+_-]{1,64}@[a-z0-9_-]{1,63}(?:\.[a-z0-9][a-z0-9_-]{0,62}){1,20})(?<![-_])(?![a-z0-9_@-]|\.[a-z0-9])/gi;

function mailLinks({ tokens, Token: Made, md }: StateCore): void {
  for (const block of tokens) {
    if (block.type !== "inline" || !block.children || !block.content.includes("@")) continue;
    let links = 0;
    block.children = block.children.flatMap((token) => {
      links += linkStep(token);
      return links > 0 || token.type !== "text" ? [token] : withMail(token, Made, md);
    });
  }
}

function linkStep({ type, content }: Token): number {
  if (type === "link_open" || (type === "html_inline" && /^<a[\s>]/i.test(content))) return 1;
  return type === "link_close" || (type === "html_inline" && /^<\/a\s*>/i.test(content)) ? -1 : 0;
}

function withMail(token: Token, Made: StateCore["Token"], md: MarkdownIt): Token[] {
  const made: Token[] = [];
  const add = (type: string, tag: string, nesting: Token["nesting"], content = "") => {
    const one = new Made(type, tag, nesting);
    one.content = content;
    made.push(one);
    return one;
  };
  let last = 0;
  for (const { index, 1: address = "" } of token.content.matchAll(mail)) {
    add("text", "", 0, token.content.slice(last, index));
    const url = /^mailto:/i.test(address) ? address : `mailto:${address}`;
    add("link_open", "a", 1).attrs = [["href", md.normalizeLink(url)]];
    add("text", "", 0, address);
    add("link_close", "a", -1);
    last = index + address.length;
  }
  if (last === 0) return [token];
  add("text", "", 0, token.content.slice(last));
  return made;
}
