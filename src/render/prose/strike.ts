import type { Delimiter, MarkdownIt, StateInline } from "markdown-it";

/** Struck text as GitHub has it: between one tilde and one, or two and two. Three or more are text. */
export function strike(parser: MarkdownIt): void {
  parser.inline.ruler.at("strikethrough", mark);
  parser.inline.ruler2.at("strikethrough", ({ delimiters, tokens, tokens_meta }: StateInline) => {
    for (const each of [delimiters, ...tokens_meta.map((meta) => meta?.delimiters ?? [])]) close(each, tokens);
  });
}

const tilde = 0x7e;
/** How the two are told apart where delimiters are paired. No character has these codes. */
const markers: Readonly<Record<number, number>> = { 1: -1, 2: -2 };

function mark(state: StateInline, isSilent: boolean): boolean {
  if (isSilent || state.src.charCodeAt(state.pos) !== tilde) return false;
  const { length, can_open: open, can_close: isClosing } = state.scanDelims(state.pos, true);
  const token = state.push("text", "", 0);
  token.content = "~".repeat(length);
  const marker = markers[length];
  if (marker !== undefined)
    state.delimiters.push({ marker, length: 0, token: state.tokens.length - 1, end: -1, open, close: isClosing });
  state.pos += length;
  return true;
}

function close(delimiters: readonly Delimiter[], tokens: StateInline["tokens"]): void {
  for (const { marker, token, end } of delimiters) {
    if (marker >= 0 || end < 0) continue;
    const closing = delimiters[end]?.token ?? -1;
    for (const [at, type, nesting] of [
      [token, "s_open", 1],
      [closing, "s_close", -1],
    ] as const)
      Object.assign(tokens[at] ?? {}, { type, tag: "del", nesting, content: "" });
  }
}
