import { problem } from "./problem.ts";

declare const pathBrand: unique symbol;
/** A validated, NFC, slash-separated path without outer slashes. The empty path is the root. Contract §1. */
export type Path = string & { readonly [pathBrand]: true };
/** The path of an entry: `id` on the wire. */
export type Slug = Path;

export const rootPath = "" as Path;
/** The address of uploads below the public base, and what every `url` begins with. Contract §5. */
export const uploadsUrl = "project/uploads";
const maxPathBytes = 1024;
export const maxSegmentBytes = 255;
const maxSegments = 32;

// The form of most ids. So short a text exceeds no limit, and without dots, spaces and symbols it breaks no other rule.
const plainPath = /^[\w-]+(?:\/[\w-]+)*$/;

export const isPlainPath = (text: string): text is Path => text.length < 64 && plainPath.test(text);

const utf8 = new TextEncoder();
/** True when the text has more bytes as UTF-8; not by Node's Buffer, since the admin page has this code, too. */
const exceeds = (text: string, bytes: number): boolean =>
  text.length * 3 > bytes && (text.length > bytes || utf8.encode(text).length > bytes);

/** Parses a path from client text. The refusal names `argument`. Throws path_invalid (which rule), text_invalid. */
export function parsePath(argument: string, text: string): Path {
  if (isPlainPath(text)) return text;
  if (!text.isWellFormed()) throw problem("text_invalid", { argument, rule: "a lone surrogate" });
  const path = text.normalize("NFC").replace(/^\/+|\/+$/g, "");
  const rule = path === "" ? undefined : brokenRule(path);
  if (rule) throw problem("path_invalid", { argument, received: text, rule });
  return path as Path;
}

/** Parses a path that must be below the root: one to move, copy, delete or create. */
export function parsePathBelowRoot(argument: string, text: string): Path {
  const path = parsePath(argument, text);
  if (path === rootPath)
    throw problem("path_invalid", { argument, received: text, rule: "the root cannot be named here" });
  return path;
}

/** True for a path in its stored form. */
export function isPath(text: string): text is Path {
  return text.isWellFormed() && text.normalize("NFC") === text && (text === rootPath || brokenRule(text) === undefined);
}

/** The rule of contract §1 that a path breaks, or undefined. The path is NFC and has no outer slashes. */
function brokenRule(path: string): string | undefined {
  if (exceeds(path, maxPathBytes)) return `a path has at most ${maxPathBytes} bytes`;
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return "control characters are not accepted";
  if (path.includes("\\")) return "a backslash is not accepted";
  const segments = path.split("/");
  if (segments.length > maxSegments) return `a path has at most ${maxSegments} segments`;
  for (const segment of segments) {
    if (segment === "") return "a segment must not be empty";
    if (segment === "." || segment === "..") return 'a segment must not be "." or ".."';
    if (segment.includes("%") && hidesTraversal(segment))
      return "an encoded dot segment, slash, backslash or NUL is not accepted";
    if (exceeds(segment, maxSegmentBytes)) return `a segment has at most ${maxSegmentBytes} bytes`;
  }
  return undefined;
}

/**
 * True for `%2e%2e`, `..%2f`, `%252e%252e` and the like. As a name such a segment is harmless here, but a proxy or a
 * web server in front of the uploads tree may decode it once more.
 */
function hidesTraversal(segment: string): boolean {
  let decoded = segment;
  for (let round = 0; round < 4; round++) {
    decoded = decoded.replace(/%(2e|2f|5c|25|00)/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (decoded === "." || decoded === ".." || /[/\\\0]/.test(decoded)) return true;
  }
  return false;
}

/** The path one level up; the parent of a top-level path is the root. */
export function parentOf(path: Path): Path {
  const slash = path.lastIndexOf("/");
  return (slash < 0 ? "" : path.slice(0, slash)) as Path;
}

/** The last segment. */
export function nameOf(path: Path): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The path as in an address: each segment percent-encoded, the slashes kept. */
export const encodePath = (path: Path): string => path.split("/").map(encodeURIComponent).join("/");

/** The path of a name in a folder, both validated. */
export function joinPath(folder: Path, name: string): Path {
  return (folder === rootPath ? name : `${folder}/${name}`) as Path;
}

/** The path of a name in a folder. Throws path_invalid, naming the argument, when it exceeds a limit. */
export function childPath(argument: string, folder: Path, name: string): Path {
  const path = joinPath(folder, name);
  const rule = brokenRule(path);
  if (rule) throw problem("path_invalid", { argument, received: path, rule });
  return path;
}

/** The child of `path` that is `below` or contains it; `below` is below `path`. */
export function childOn(path: Path, below: Path): Path {
  const start = path === rootPath ? 0 : path.length + 1;
  return joinPath(path, below.slice(start).split("/", 1)[0] as string);
}

/** True when `path` is `ancestor` or below it. Everything is below the root. */
export function isWithin(path: Path, ancestor: Path): boolean {
  return ancestor === rootPath || path === ancestor || path.startsWith(`${ancestor}/`);
}

/** How many levels `path` is below `ancestor`: 0 is itself, 1 a child. */
export function depthBelow(path: Path, ancestor: Path): number {
  if (path.length === ancestor.length) return 0;
  let depth = ancestor === rootPath ? 1 : 0;
  for (let at = path.indexOf("/", ancestor.length); at >= 0; at = path.indexOf("/", at + 1)) depth++;
  return depth;
}

/** `path` with its ancestor `from` replaced by `to`. Throws path_invalid when the result exceeds a limit. */
export function rebase(path: Path, from: Path, to: Path): Path {
  const moved = `${to}${path.slice(from.length)}`;
  const rule = brokenRule(moved);
  if (rule) throw problem("path_invalid", { argument: "new_id", received: moved, rule });
  return moved as Path;
}

/**
 * Order by UTF-8 bytes, as both databases order: -1, 0 or 1. JavaScript's `<` compares UTF-16 units and sorts U+FFFD
 * after U+1F600. Contract §1.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) < codePointRank(y) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

/** Surrogates encode code points past U+FFFF, so they rank after every other unit. */
const codePointRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
