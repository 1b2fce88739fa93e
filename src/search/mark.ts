/**
 * The text with spaces in the place of what its reader never sees: tags and comments of HTML, and the destinations of
 * links and pictures (`](…)`, their titles stay). The backslash of `snake\_case`, as editors write it, becomes a
 * character that neither words nor folds have. The other marks of Markdown are signs that end words anyway. All places
 * stay as they were. Takes time as the text is long, whatever it holds.
 */
export function withoutMarks(text: string): string {
  return withoutHidden(text).replaceAll("\\_", `${wordJoiner}_`);
}

/** Invisible in Unicode, and part of the word around it. */
export const wordJoiner = "\u2060";

function withoutHidden(text: string): string {
  if (!text.includes("](") && !text.includes("<")) return text;
  let bare = "";
  let copied = 0;
  const comments = { areClosed: true };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const end =
      code === lessThan ? endOfTag(text, at, comments) : code === bracket ? endOfDestination(text, at) : undefined;
    if (end === undefined) continue;
    bare += text.slice(copied, at) + " ".repeat(end - at);
    copied = end;
    at = end - 1;
  }
  return bare + text.slice(copied);
}

const lessThan = 0x3c;
const bracket = 0x5d;
/** A tag's name ends with it; `<https://…>` is an address that is shown. */
const tagStart = /<\/?[a-z][a-z0-9-]*(?=[\s/>])/iy;
const beforeTagEnd = /[^<>"']*(?:"[^"<]*"|'[^'<]*')?/y;

/**
 * The end of the tag or comment at `at`, where one is. No attribute has a `<`, so that no search goes past the next one;
 * after a comment without an end there is none.
 */
function endOfTag(text: string, at: number, comments: { areClosed: boolean }): number | undefined {
  if (text.startsWith("<!--", at)) {
    const close = comments.areClosed ? text.indexOf("-->", at + 4) : -1;
    comments.areClosed = close >= 0;
    return close < 0 ? undefined : close + 3;
  }
  let end = matchEnd(tagStart, text, at);
  while (end !== undefined && text[end] !== ">") {
    const next = matchEnd(beforeTagEnd, text, end);
    end = next === end ? undefined : next;
  }
  return end === undefined ? undefined : end + 1;
}

/** The end of a match of the sticky pattern at `at`. */
function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** As markdown-it has it: deeper ones are no destinations, and each character is looked at that often. */
const mostParentheses = 32;
const angleDestination = /\]\(\s{0,8}<[^<>\n]*>/y;
const space = /\s/;

/** The end of the destination that follows the `]` at `at`: before its title or `)`. */
function endOfDestination(text: string, at: number): number | undefined {
  if (text[at + 1] !== "(") return undefined;
  const angle = matchEnd(angleDestination, text, at);
  if (angle !== undefined) return angle;
  let depth = 0;
  for (let end = at + 2; end < text.length; end++) {
    const sign = text[end] as string;
    if (sign === "\\") end++;
    else if (sign === "(") depth++;
    else if (sign === ")") depth--;
    if (depth < 0) return end;
    if (depth > mostParentheses) return undefined;
    if (space.test(sign)) return depth === 0 && /["'()]/.test(text[end + 1] ?? "") ? end : undefined;
  }
  return undefined;
}
