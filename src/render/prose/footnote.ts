import { hash } from "node:crypto";
import type { Env, MarkdownIt, StateBlock, StateCore, StateInline, Token } from "markdown-it";

/**
 * Footnotes as GitHub has them: `[^name]` where a line `[^name]: text` is, which may go on with lines that are indented
 * by four. Those that are referred to are a section at the end, in the order of their first references, each with a link
 * back to every one. Ids hold a hash of the text, so that several texts can stand on one page.
 */
export function footnotes(parser: MarkdownIt): void {
  parser.block.ruler.before("reference", "footnote", definition, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
  parser.inline.ruler.after("image", "footnote", reference);
  parser.core.ruler.push("footnotes", collect);
}

/** The tokens of each footnote by its name; undefined until its definition was read. */
type Defined = Map<string, Token[] | undefined>;

// Names are bounded, as those of links are.
const start = /\[\^([^\]\s[]{1,999})\]:/y;
const mark = /\[\^([^\]\s[]{1,999})\]/y;
const indent = 4;
/** Each takes 300 characters of HTML, so that more are too long for an answer. */
const maxReferences = 25_000;

/** Names are the same in either case. A key of Object.prototype is a name like any other. */
const nameOf = (text: string): string => text.normalize("NFC").toLowerCase().toUpperCase();
const definedIn = (env: Env): Defined => {
  env.footnotes ??= new Map();
  return env.footnotes as Defined;
};

function definition(state: StateBlock, line: number, endLine: number, isSilent: boolean): boolean {
  if ((state.sCount[line] ?? 0) - state.blkIndent >= indent) return false;
  const from = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  start.lastIndex = from;
  const found = start.exec(state.src);
  if (!found || start.lastIndex > (state.eMarks[line] ?? 0)) return false;
  if (isSilent) return true;
  const name = nameOf(found[1] as string);
  const defined = definedIn(state.env);
  const isFirst = !defined.has(name);
  defined.set(name, defined.get(name));
  state.push("footnote_open", "", 1).meta = { name: isFirst ? name : undefined };
  withContent(state, line, start.lastIndex, () => state.md.block.tokenize(state, line, endLine));
  state.push("footnote_close", "", -1);
  return true;
}

/** Reads the line from `at` on, and those that belong to it, as the library does for an item of a list. */
function withContent(state: StateBlock, line: number, at: number, read: () => void): void {
  const { parentType, blkIndent } = state;
  const kept = [state.bMarks[line], state.tShift[line], state.sCount[line]] as [number, number, number];
  const blanks = /[ \t]*/y;
  blanks.lastIndex = at;
  blanks.exec(state.src);
  const shift = Math.min(blanks.lastIndex, state.eMarks[line] ?? 0) - at;
  state.blkIndent += indent;
  state.parentType = "footnote";
  [state.bMarks[line], state.tShift[line], state.sCount[line]] = [at, shift, state.blkIndent];
  read();
  Object.assign(state, { parentType, blkIndent });
  [state.bMarks[line], state.tShift[line], state.sCount[line]] = kept;
}

function reference(state: StateInline, isSilent: boolean): boolean {
  // A link in a link is none; silently the text of a link is looked at.
  if (isSilent || state.linkLevel > 0) return false;
  mark.lastIndex = state.pos;
  const found = mark.exec(state.src);
  if (!found || mark.lastIndex > state.posMax) return false;
  const name = nameOf(found[1] as string);
  if (!definedIn(state.env).has(name)) return false;
  state.push("footnote_ref", "", 0).meta = { name };
  state.pos = mark.lastIndex;
  return true;
}

/** Takes the definitions out of the text, and appends those that it refers to. */
function collect(state: StateCore): void {
  const defined = definedIn(state.env);
  if (defined.size === 0) return;
  const notes = new Notes(state);
  state.tokens = withoutDefinitions(state.tokens, defined);
  notes.refer(state.tokens);
  // A footnote may be the first to refer to another one.
  for (const name of notes.counts.keys()) notes.refer(defined.get(name) ?? []);
  if (notes.counts.size === 0) return;
  const listed = [...notes.counts].flatMap(([name, count], i) => notes.item(defined.get(name) ?? [], i + 1, count));
  const [open, close] = ['<section class="footnotes" data-footnotes>\n<ol>\n', "</ol>\n</section>\n"];
  state.tokens = [...state.tokens, notes.html(open), ...listed, notes.html(close)];
}

function withoutDefinitions(tokens: readonly Token[], defined: Defined): Token[] {
  const body: Token[] = [];
  const open: { name?: string; tokens: Token[] }[] = [];
  for (const token of tokens) {
    if (token.type === "footnote_open") {
      open.push({ ...token.meta, tokens: [] });
    } else if (token.type === "footnote_close") {
      const note = open.pop();
      if (note?.name !== undefined) defined.set(note.name, note.tokens);
    } else {
      (open.at(-1)?.tokens ?? body).push(token);
    }
  }
  return body;
}

class Notes {
  /** How often each is referred to, in the order of the first references. */
  readonly counts = new Map<string, number>();
  private readonly numbers = new Map<string, number>();
  private references = 0;
  private readonly suffix: string;
  private readonly state: StateCore;

  constructor(state: StateCore) {
    this.state = state;
    this.suffix = hash("sha256", state.src, "hex").slice(0, 16);
  }

  /** Makes links of the references in the tokens. Throws RangeError. */
  refer(tokens: readonly Token[]): void {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== "footnote_ref") continue;
      const { name } = token.meta as { name: string };
      if (++this.references > maxReferences) throw new RangeError("too many references to footnotes");
      const count = (this.counts.get(name) ?? 0) + 1;
      this.counts.set(name, count);
      const number = this.numbers.get(name) ?? this.counts.size;
      this.numbers.set(name, number);
      token.type = "html_inline";
      token.content =
        `<sup class="footnote-ref"><a href="#${this.id(number)}" id="${this.refId(number, count)}" ` +
        `data-footnote-ref>${number}</a></sup>`;
    }
  }

  /** The footnote as an item of the list, its last paragraph with links back. */
  item(tokens: readonly Token[], number: number, count: number): Token[] {
    const back = Array.from({ length: count }, (_, i) => this.back(number, i + 1)).join(" ");
    const open = this.html(`<li id="${this.id(number)}">\n`);
    const text = tokens.at(-1)?.type === "paragraph_close" ? tokens.at(-2) : undefined;
    text?.children?.push(this.html(` ${back}`, "html_inline"));
    return [open, ...tokens, this.html(text ? "</li>\n" : `${back}\n</li>\n`)];
  }

  html(content: string, type = "html_block"): Token {
    const token = new this.state.Token(type, "", 0);
    token.content = content;
    return token;
  }

  private back(number: number, count: number): string {
    const nth = count > 1 ? `<sup class="footnote-ref">${count}</sup>` : "";
    const label = `Back to reference ${number}${count > 1 ? `-${count}` : ""}`;
    const attributes = `class="footnote-backref" data-footnote-backref aria-label="${label}"`;
    return `<a href="#${this.refId(number, count)}" ${attributes}>\u21a9${nth}</a>`;
  }

  private id(number: number): string {
    return `user-content-fn-${number}-${this.suffix}`;
  }

  private refId(number: number, count: number): string {
    return `user-content-fnref-${number}${count > 1 ? `-${count}` : ""}-${this.suffix}`;
  }
}
