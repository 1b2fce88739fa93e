import { cutText } from "../lib/cut-text.ts";
import { maxSegmentBytes, parsePath } from "./path.ts";

/** Names of files: what an upload is stored under, and the next free one beside it. Contract §5. */

const maxStemBytes = 200;
const maxExtensionBytes = 50;
const emptyStem = "file";

/**
 * The name an upload is stored under, from the name the client's file has. Made safe, it is a slug of ASCII with the
 * extension in lower case; else it stays as sent, but for control characters and outer spaces and dots. Throws
 * path_invalid, and text_invalid for a lone surrogate, when it is not made safe and cannot be a name.
 */
export async function uploadName(original: string, isSafe: boolean): Promise<string> {
  if (!isSafe) return keptName(original.replace(/[\u0000-\u001f\u007f-\u009f]/g, ""));
  const { stem, extension } = splitUpload(original);
  const slug = cutText(await slugOf(stem), maxStemBytes).replace(/-+$/, "");
  return join(slug || emptyStem, cutText(extension.replace(/[^a-z0-9]/g, ""), maxExtensionBytes));
}

/** `cover.jpg`, 2 -> `cover-2.jpg`. The part before the number is cut where the name would pass 255 bytes. */
export function numberedName(name: string, number: number): string {
  const { basename, extension } = splitName(name);
  const tail = join(`-${number}`, extension);
  return cutText(basename, maxSegmentBytes - Buffer.byteLength(tail)) + tail;
}

/** The parts around the last dot, as written. A leading dot begins no extension, and a last one ends none. */
export function splitName(name: string): { basename: string; extension: string } {
  const dot = name.lastIndexOf(".");
  if (dot < 1 || dot === name.length - 1) return { basename: name, extension: "" };
  return { basename: name.slice(0, dot), extension: name.slice(dot + 1) };
}

/** The last segment of what some client called its file (a whole path, from some), trimmed and in two parts. */
function splitUpload(original: string): { stem: string; extension: string } {
  const last = original.slice(Math.max(original.lastIndexOf("/"), original.lastIndexOf("\\")) + 1);
  const name = last.normalize("NFC").trim();
  // Here a leading dot does begin an extension: ".png" is a picture without a name, stored as "file.png".
  const dot = trimEnds(name).length === 0 ? -1 : trimRight(name).lastIndexOf(".");
  const stem = dot < 0 ? name : name.slice(0, dot);
  const extension = dot < 0 ? "" : trimRight(name).slice(dot + 1);
  return { stem: trimEnds(stem), extension: extension.trim().toLowerCase() };
}

function keptName(original: string): string {
  const { stem, extension: sent } = splitUpload(original);
  const extension = cutText(sent, maxExtensionBytes);
  const room = maxSegmentBytes - Buffer.byteLength(join("", extension));
  return parsePath("file", join(trimEnds(cutText(stem, room)) || emptyStem, extension));
}

const join = (stem: string, extension: string): string => (extension === "" ? stem : `${stem}.${extension}`);

// By index, as `[\s.]+$` takes quadratic time on a long run of dots in the middle of a name.
function trimRight(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.]/.test(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

const trimEnds = (text: string): string => trimRight(text).replace(/^[\s.]+/, "");

type Slugger = (text: string) => string;
let slugger: Promise<Slugger> | undefined;

/** Runs of anything but letters and digits become one dash; other scripts are written in Latin letters. */
async function slugOf(stem: string): Promise<string> {
  slugger ??= loadSlugger();
  return (await slugger)(stem.slice(0, 1000).replace(/[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/g, "-"));
}

/**
 * slugify knows the customs of languages (ü is "ue", ж is "zh"), any-ascii every script but no customs: what the first
 * has no letters for goes to the second. Loaded at the first upload, as they take 20 ms of a start.
 */
async function loadSlugger(): Promise<Slugger> {
  const [{ default: slugify }, { default: anyAscii }] = await Promise.all([
    import("@sindresorhus/slugify"),
    import("any-ascii"),
  ]);
  const slug = (text: string): string => slugify(text, { decamelize: false });
  const known = (character: string): string => (slug(character) === "" ? anyAscii(character) : character);
  return (text) => slug(text.replace(/[^\x00-\x7f]/gu, known));
}
