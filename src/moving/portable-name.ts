/**
 * Names of an export: each segment of a path as names that every file system and git keep apart and accept. What a disk
 * could change, merge or refuse is written as `%XX` of its UTF-8 bytes; a long name goes on in a folder inside one whose
 * name ends with `%`. Decision 56.
 */

/** Bytes of a written name, so that a suffix such as `.yaml` fits into the 255 of most file systems. */
const maxBytes = 200;

/** What is escaped wherever it is: the escape itself, what Windows refuses, short names, what is not visible. */
const unsafe = /[%<>:"|?*\\~\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** Names that Windows reserves, with any extension, and those of the layout itself. */
const reserved =
  /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)|^entry\.(?:[a-z0-9-]+\.)?(?:md|yaml|yml|json)$/;

/** Equal for names that some file system does not keep apart. */
const fold = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase();

const escapeAll = (text: string): string =>
  Buffer.from(text)
    .toString("hex")
    .toUpperCase()
    .replace(/../g, (byte) => `%${byte}`);

/** `isFolder`: of the uploads, where the metadata of the file `a` is `a.yaml`. */
function escapeName(name: string, hasTwin: boolean, isFolder: boolean): string {
  let text = name.replace(unsafe, escapeAll);
  if (hasTwin)
    text = text.replace(escapedUnit, (unit) => (unit.length === 3 || fold(unit) === unit ? unit : escapeAll(unit)));
  const last = text.at(-1) as string;
  if (/[. ]$/.test(text) || (isFolder && fold(text).endsWith(".yaml"))) text = text.slice(0, -1) + escapeAll(last);
  return escapeStart(text);
}

/** One escape or one character. */
const escapedUnit = /%[0-9A-F]{2}|./gsu;

/** No hidden names, among them `.git`, and no reserved ones. */
const escapeStart = (text: string): string =>
  /^[. ]/.test(text) || reserved.test(fold(text)) ? escapeAll(text[0] as string) + text.slice(1) : text;

/** The written names of one segment: several where it is too long for one. */
function writtenNames(name: string, hasTwin: boolean, isFolder: boolean): string[] {
  const short = escapeName(name, hasTwin, isFolder);
  if (Buffer.byteLength(short) <= maxBytes) return [short];
  // The parts of two long names must not differ in case alone.
  const names: string[] = [];
  let part = "";
  for (const [unit] of escapeName(name, true, isFolder).matchAll(escapedUnit)) {
    if (Buffer.byteLength(part + unit) > maxBytes) {
      names.push(`${part}%`);
      part = "";
    }
    part += unit;
  }
  return [...names, part].map(escapeStart);
}

/** Writes paths of one tree; it has to know all of them first, since a name is escaped where it has a twin. */
export class PortableNames {
  /** Of each folder, by the folded name of its members: the name, or true for several. */
  private readonly folders = new Map<string, Map<string, string | true>>();

  /** Adds the path and the folders above it. */
  add(path: string): void {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const slash = path.lastIndexOf("/", end - 1);
      if (!this.addName(path.slice(0, Math.max(slash, 0)), path.slice(slash + 1, end))) return;
    }
  }

  /** False for a name that is there. */
  private addName(folder: string, name: string): boolean {
    const names = this.folders.get(folder) ?? new Map<string, string | true>();
    this.folders.set(folder, names);
    const key = fold(name);
    const known = names.get(key);
    if (known === name) return false;
    names.set(key, known === undefined ? name : true);
    return known !== true;
  }

  /** The path on the disk; of a folder of the uploads where `isFolder`. */
  write(path: string, isFolder = false): string {
    const segments = path.split("/");
    let folder = "";
    const written: string[] = [];
    for (const [i, name] of segments.entries()) {
      const hasTwin = this.folders.get(folder)?.get(fold(name)) === true;
      written.push(...writtenNames(name, hasTwin, isFolder || i < segments.length - 1));
      folder = folder === "" ? name : `${folder}/${name}`;
    }
    return written.join("/");
  }
}

/** The path of a written path; undefined when it is none. parse(write(x)) = x. */
export function readPortable(written: string): string | undefined {
  const joined = written.replace(/%\//g, "");
  if (/%(?![0-9a-fA-F]{2})/.test(joined)) return undefined;
  const path = joined.replace(/(?:%[0-9a-fA-F]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll("%", ""), "hex").toString(),
  );
  return path.includes("\ufffd") && !written.includes("\ufffd") ? undefined : path;
}
