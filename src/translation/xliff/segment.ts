import { createHash } from "node:crypto";
import MarkdownIt from "markdown-it";

/**
 * A text as translators get it: its blocks of prose, with the code in them, and the gaps between the blocks, which hold
 * marks of lists and tables, code blocks, HTML and definitions. Every text is read as Markdown; what has no prose as
 * Markdown is one segment.
 */

/** Characters to translate, or code that stays as it is: addresses, inline code, tags, the marks of a further line. */
export type Piece = string | { readonly code: string };

/** `gaps[i]` stands before `segments[i]`; the last gap ends the text. */
export type Segmented = { readonly gaps: readonly string[]; readonly segments: readonly (readonly Piece[])[] };

type Range = { readonly start: number; readonly end: number };
/** A block of prose; `codes` are the marks that its lines begin with. */
type Block = Range & { readonly codes: readonly Range[] };

/** Joined by `joinText`, it is the same text again. A text of white space has no segments. */
export function segmentText(text: string): Segmented {
  const prose = blocksOf(text).map((block) => ({ ...block, pieces: piecesOf(text, block, markup) }));
  const found = prose.filter(({ pieces }) => hasWords(pieces));
  const all = found.length > 0 ? found : wholeOf(text);
  const gaps = all.map(({ start }, i) => text.slice(all[i - 1]?.end ?? 0, start));
  return { gaps: [...gaps, text.slice(all.at(-1)?.end ?? 0)], segments: all.map(({ pieces }) => pieces) };
}

/** The text of gaps and the texts between them. */
export const joinText = (gaps: readonly string[], texts: readonly string[]): string =>
  gaps.map((gap, i) => gap + (texts[i] ?? "")).join("");

/** The text of pieces. */
export const textOfPieces = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : piece.code)).join("");

/** All of a text as one segment, its gaps as code. */
export const inOne = ({ gaps, segments }: Segmented): Piece[] =>
  gaps.flatMap((code, i) => [{ code }, ...(segments[i] ?? [])]);

/** Names a code by what it is: the same code has the same name in each file, source and target. */
export const nameOfCode = (code: string): string =>
  `c${createHash("sha256").update(code, "utf16le").digest("hex").slice(0, 16)}`;

const parser = new MarkdownIt("default", { html: true });
parser.core.ruler.enableOnly(["normalize", "block"]);

/** As generators of sites have them in front of a text. */
const frontMatter = /^---\r?\n(?:\w[\w.-]*:[^\n]*\n|[ \t#-][^\n]*\n|\r?\n)*?---[ \t]*(?=\r?\n|$)/;

function blocksOf(text: string): Block[] {
  const front = frontMatter.exec(text)?.[0].length ?? 0;
  const lines = linesOf(text, front);
  const blocks: Block[] = [];
  let row: Range | undefined;
  for (const { type, map, content } of parser.parse(text.slice(front), {})) {
    if (type === "tr_open" && map) row = lines[map[0]];
    if (type !== "inline") continue;
    const block = map ? blockAt(text, lines.slice(map[0], map[1]), content) : row && cellAt(text, row, content);
    if (!block) continue;
    blocks.push(block);
    if (!map && row) row = { start: block.end, end: row.end };
  }
  return blocks;
}

/** The lines from an offset on, without their ends. */
function linesOf(text: string, from: number): Range[] {
  const lines: Range[] = [];
  let start = from;
  for (const { 0: end, index } of text.slice(from).matchAll(/\r\n?|\n/g)) {
    lines.push({ start, end: from + index });
    start = from + index + end.length;
  }
  return [...lines, { start, end: text.length }];
}

/** The library gives lines and their content without the marks of lists and quotes, so the content is looked for. */
function blockAt(text: string, lines: readonly Range[], content: string): Block | undefined {
  const found = content.split("\n").map((line, i) => lines[i] && placeOf(text, lines[i], line.trim()));
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last) return undefined;
  const box = /^\[[ xX]\]\s+/.exec(text.slice(first.start, first.end))?.[0].length ?? 0;
  const codes = lines.flatMap((line, i) => {
    const [before, place] = [lines[i - 1], found[i]];
    return before && place && place.start > line.start ? [{ start: before.end, end: place.start }] : [];
  });
  return { start: first.start + box, end: last.end, codes };
}

function placeOf(text: string, { start, end }: Range, content: string): Range {
  const line = text.slice(start, end);
  const at = line.lastIndexOf(content);
  if (at >= 0) return { start: start + at, end: start + at + content.length };
  const marks = /^[\s>]*/.exec(line)?.[0].length ?? 0;
  return { start: start + marks, end: start + Math.max(marks, line.trimEnd().length) };
}

function cellAt(text: string, row: Range, content: string): Block | undefined {
  const written = content.replaceAll("|", "\\|");
  const at = text.slice(row.start, row.end).indexOf(written);
  const start = row.start + at;
  return at < 0 ? undefined : { start, end: start + written.length, codes: [] };
}

/** A text without prose is translated as a whole: of HTML the tags are code, and nothing is of what has no word then. */
function wholeOf(text: string): (Range & { pieces: Piece[] })[] {
  const start = text.length - text.trimStart().length;
  const range = { start, end: text.trimEnd().length, codes: [] };
  if (range.end <= start) return [];
  const pieces = piecesOf(text, range, markup);
  return [{ ...range, pieces: hasWords(pieces) ? pieces : piecesOf(text, range, carriage) }];
}

const hasWords = (pieces: readonly Piece[]): boolean =>
  pieces.some((piece) => typeof piece === "string" && /[\p{L}\p{N}]/u.test(piece));

/** Many tools lose carriage returns, which XML reads as line feeds. */
const carriage = /\r\n?[ \t]*/g;
const markup = new RegExp(
  [
    carriage.source,
    // Escapes are prose; they are here so that what they escape is not code.
    String.raw`\\[!-/:-@[-\x60{-~]`,
    "`+",
    // Tags, comments, autolinks.
    String.raw`<(?:/?[A-Za-z!?][^<>]*|[^\s<>@]+@[^\s<>]+)>`,
    // Addresses and labels behind the text of a link; footnotes.
    String.raw`\]\(\s*(?:<[^<>\n]*>|[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)\)?`,
    String.raw`\]\[[^\][\n]*\]`,
    String.raw`\[\^[^\][\s]+\]:?`,
    String.raw`https?:[^\s<>()[\]]*[^\s<>()[\].,;:!?'"*_]`,
    String.raw`&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,32}\d{0,2});`,
  ].join("|"),
  "g",
);

function piecesOf(text: string, block: Block, pattern: RegExp): Piece[] {
  const own = [...codesIn(text.slice(block.start, block.end), pattern)];
  const codes = own.map(({ start, end }) => ({ start: block.start + start, end: block.start + end }));
  const pieces: Piece[] = [];
  let at = block.start;
  for (const { start, end } of merged(text, block, [...codes, ...block.codes])) {
    if (start > at) pieces.push(text.slice(at, start));
    pieces.push({ code: text.slice(start, end) });
    at = end;
  }
  if (at < block.end) pieces.push(text.slice(at, block.end));
  return pieces;
}

function* codesIn(text: string, pattern: RegExp): Generator<Range> {
  const ends = codeEnds(text);
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const start = found.index;
    const end = found[0].startsWith("`") ? ends.get(start) : pattern.lastIndex;
    if (end === undefined || found[0].startsWith("\\")) continue;
    pattern.lastIndex = end;
    yield { start, end };
  }
}

/** Where the code ends that begins with a run of backticks: behind the next run of as many. */
function codeEnds(text: string): Map<number, number> {
  const [ends, next] = [new Map<number, number>(), new Map<number, number>()];
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const end = next.get(run.length);
    if (end !== undefined) ends.set(index, end);
    next.set(run.length, index + run.length);
  }
  return ends;
}

/**
 * In order, codes that overlap or have white space between them as one, and with the line's end before them: tools drop
 * white space between elements.
 */
function merged(text: string, block: Range, codes: readonly Range[]): Range[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of codes.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    const before = text.slice(last?.end ?? block.start, start);
    const space = before.slice(before.trimEnd().length);
    if (last && space === before) last.end = Math.max(last.end, end);
    else all.push({ start: space.includes("\n") ? start - space.length : start, end });
  }
  return all;
}
