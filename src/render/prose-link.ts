import type { Path } from "../core/path.ts";

/**
 * Links within prose: in Markdown `[words](/blog/first)`, `![words](…)` and `[name]: …`, in HTML, also within Markdown,
 * `href` and `src`. A link to an entry is a slash and its id, one to a file its address. Contract, part two, §10.
 */

/** What a text links to: entries, or files. */
export type LinkKind = "entry" | "file";

const prefixes: Record<LinkKind, string> = { entry: "/", file: "/project/uploads/" };

/** A link: where its path stands in the text, as it is written, and decoded. */
type ProseLink = { readonly start: number; readonly end: number; readonly path: string; readonly isBracketed: boolean };

const inline = /\]\(\s{0,9}(<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)/g;
const definition = /^ {0,3}\[[^\]\n]{1,999}\]:[ \t]{0,9}(<[^<>\n]*>|\S+)/gm;
const attribute = /\b(?:href|src)\s{0,9}=\s{0,9}("[^"\n]*"|'[^'\n]*'|[^\s"'<>]+)/gi;

/** Links of this kind, in their order. Each pattern reads the text once: it may be megabytes. */
function linksIn(text: string, kind: LinkKind): ProseLink[] {
  const prefix = prefixes[kind];
  if (!text.includes(prefix)) return [];
  const shown = withoutCode(text);
  const found = new Map<number, ProseLink>();
  for (const pattern of [inline, definition, attribute]) {
    for (const { 0: whole, 1: written = "", index } of shown.matchAll(pattern)) {
      const link = linkOf(written, index + whole.length - written.length, prefix);
      if (link) found.set(link.start, link);
    }
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

function linkOf(written: string, at: number, prefix: string): ProseLink | undefined {
  const isBracketed = /^[<"']/.test(written);
  const address = isBracketed ? written.slice(1, -1) : written;
  if (!address.startsWith(prefix) || address.startsWith("//")) return undefined;
  const [path = ""] = address.slice(prefix.length).split(/[?#]/, 1);
  const start = at + (isBracketed ? 1 : 0) + prefix.length;
  const trimmed = path.replace(/\/{1,9}$/, "");
  if (trimmed === "") return undefined;
  return { start, end: start + trimmed.length, path: decoded(trimmed), isBracketed };
}

function decoded(path: string): string {
  const plain = path.replace(/\\([!-/:-@[-`{-~])/g, "$1").replaceAll("&amp;", "&");
  try {
    return decodeURIComponent(plain).normalize("NFC");
  } catch {
    return plain.normalize("NFC");
  }
}

const fence = /^ {0,3}(`{3,}|~{3,})/;

/** The text with blanks in the place of code: a link there is an example. */
function withoutCode(text: string): string {
  if (!/[`~]/.test(text)) return text;
  let open: string | undefined;
  const lines = text.split("\n").map((line) => {
    const mark = fence.exec(line)?.[1];
    if (open === undefined && mark === undefined) return line.replace(/`[^`\n]*`/g, blanks);
    if (open === undefined) open = mark;
    else if (mark?.startsWith(open) && line.trim() === mark) open = undefined;
    return blanks(line);
  });
  return lines.join("\n");
}

const blanks = (text: string): string => " ".repeat(text.length);

/** True when the text links to such a path. */
export const linksTo = (text: string, kind: LinkKind, isMeant: (path: string) => boolean): boolean =>
  linksIn(text, kind).some(({ path }) => isMeant(path));

/** The text with other paths in these links; undefined leaves one as it is. */
export function relinked(text: string, kind: LinkKind, change: (path: Path) => Path | undefined): string {
  let [done, at] = ["", 0];
  for (const { start, end, path, isBracketed } of linksIn(text, kind)) {
    const next = change(path as Path);
    if (next === undefined) continue;
    done += text.slice(at, start) + (isBracketed && !/[%<>"'&?#]/.test(next) ? next : encoded(next));
    at = end;
  }
  return done + text.slice(at);
}

const special = /[\s%?#()<>\\^`{|}"'&]/g;

/** A path within an address: letters of all scripts stay readable. */
const encoded = (path: string): string =>
  path.replace(special, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

/** The texts of which each link to the path has one, as it may be written there. */
export const spellingsOf = (path: Path, kind: LinkKind): string[] => [
  ...new Set([path, encoded(path), encodeURI(path)].map((written) => prefixes[kind] + written)),
];
