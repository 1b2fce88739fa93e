import { cutText } from "../core/lib/cut-text.ts";
import { maxSegmentBytes, parsePath } from "../core/path.ts";

/** Names of files: the name an upload is stored under, and the next free one beside it. Contract §5. */

const maxStemBytes = 200;
const maxExtensionBytes = 50;
const emptyStem = "file";

/**
 * The name an upload is stored under, from the client's file name. With `isSafe` it is an ASCII slug with the extension
 * in lower case; otherwise it stays as sent, except for control characters and outer spaces and dots. Throws
 * path_invalid, and text_invalid for a lone surrogate, when it is not made safe and is not a valid name.
 */
export async function uploadName(fileName: string, isSafe: boolean): Promise<string> {
  if (!isSafe) return keptName(fileName.replace(control, ""));
  const { stem, extension } = splitUpload(fileName);
  const slug = cutText(await slugOf(stem), maxStemBytes).replace(/-+$/, "");
  return join(slug || emptyStem, cutText(extension.replace(/[^a-z0-9]/g, ""), maxExtensionBytes));
}

/** No file system has longer names; a database keeps so much of a text in an index. */
const maxSentBytes = 1000;
const control = /[\u0000-\u001f\u007f-\u009f]/g;

/** The name that is kept of what a client called its file: the last segment, NFC. Contract §5, Uploads. */
export const sentNameOf = (fileName: string): string =>
  cutText(lastSegment(fileName).toWellFormed().replace(control, "").normalize("NFC"), maxSentBytes);

/** Whether a name is one that sentNameOf answers. */
export const isSentName = (name: string): boolean => name === sentNameOf(name);

/** The title of a file that was sent under a name: that without its extension; else of the name that the file has. */
export const titleOf = (sentName: string, name: string): string =>
  splitUpload(sentName).stem || splitName(name).basename;

/** `cover.jpg`, 2 -> `cover-2.jpg`. The part before the number is truncated where the name would exceed 255 bytes. */
export function numberedName(name: string, number: number): string {
  const { basename, extension } = splitName(name);
  const tail = join(`-${number}`, extension);
  return cutText(basename, maxSegmentBytes - Buffer.byteLength(tail)) + tail;
}

/** Whether a name is another one, or one that numberedName makes of it. */
export function isNumberedOf(name: string, other: string): boolean {
  const number = /-([1-9]\d{0,14})(?:\.[^.]*)?$/.exec(name)?.[1];
  return name === other || (number !== undefined && name === numberedName(other, Number(number)));
}

/**
 * The parts before and after the last dot, as written. A leading dot does not start an extension, nor does a trailing
 * one.
 */
export function splitName(name: string): { basename: string; extension: string } {
  const dot = name.lastIndexOf(".");
  if (dot < 1 || dot === name.length - 1) return { basename: name, extension: "" };
  return { basename: name.slice(0, dot), extension: name.slice(dot + 1) };
}

/** Some clients send a whole path. */
const lastSegment = (fileName: string): string =>
  fileName.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1);

/** The last segment of a client's file name, trimmed and in two parts. */
function splitUpload(fileName: string): { stem: string; extension: string } {
  const name = lastSegment(fileName).normalize("NFC").trim();
  // Here a leading dot does start an extension: ".png" is an image without a name, stored as "file.png".
  const dot = trimEnds(name).length === 0 ? -1 : trimRight(name).lastIndexOf(".");
  const stem = dot < 0 ? name : name.slice(0, dot);
  const extension = dot < 0 ? "" : trimRight(name).slice(dot + 1);
  return { stem: trimEnds(stem), extension: extension.trim().toLowerCase() };
}

function keptName(fileName: string): string {
  const { stem, extension: sent } = splitUpload(fileName);
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

/** Replaces each run of other characters than letters and digits by a dash; transliterates other scripts to Latin. */
async function slugOf(stem: string): Promise<string> {
  slugger ??= loadSlugger();
  return (await slugger)(stem.slice(0, 1000).replace(/[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/g, "-"));
}

/**
 * slugify knows language conventions (ü is "ue", ж is "zh"), any-ascii all scripts but no conventions: it gets what
 * slugify cannot transliterate. Loaded at the first upload, as they take 20 ms to load.
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
