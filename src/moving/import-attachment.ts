import { extensionOf } from "../core/bytes/media-type.ts";
import { isJsonObject, type Json } from "../core/lib/json.ts";
import { encodePath, type Path, uploadsUrl } from "../core/path.ts";
import { quote } from "../core/problem-row.ts";
import { parseFrontMatter } from "./front-matter.ts";
import { decode, maxEntryFileBytes, type Relink } from "./import-entry.ts";
import { entryPlace, isHidden, type Project, type ProjectItem } from "./moving.ts";

/** Files beside the texts of a folder of Markdown, and the links of the texts to them. Decision 56. */

/** A link of a text: what stands between `start` and `end` is replaced by what `write` makes of an address. */
export type TextLink = {
  readonly start: number;
  readonly end: number;
  /** What it leads to: escapes of Markdown and HTML are resolved, `%20` is not. */
  readonly target: string;
  /** `embed` and `wiki` are Obsidian's `![[…]]` and `[[…]]`. */
  readonly kind: "link" | "picture" | "wiki" | "embed";
  write(address: string): string;
};

/** The links of a Markdown text that are not in code, in any order. */
export type LinkFinder = (markdown: string) => readonly TextLink[];

type PlainFile = ProjectItem & { kind: "file" };

const pictures: ReadonlySet<string> = new Set("gif jpg jpeg png ico svg webp avif heic tif tiff".split(" "));

export const isPicture = (path: string): boolean => pictures.has(extensionOf(path));

/** Where `/picture.png` of a text is: in the folder, or in one that a generator copies to the top of the site. */
const publicFolders = ["", "static/", "public/", "assets/", "content/"];

const maxNamed = 10;

export class Attachments {
  private readonly findLinks: LinkFinder;
  /** By the path in composed Unicode: links and names on a disk may differ in it. */
  private readonly files = new Map<string, PlainFile>();
  private readonly byName = new Map<string, string[]>();
  /** Those that are in the store, and where. */
  private readonly addresses = new Map<PlainFile, string>();
  private readonly texts: string[] = [];
  /** Paths of those that come along. */
  private readonly chosen = new Set<string>();
  private readonly project: Project;
  private readonly isVault: boolean;

  constructor(project: Project, findLinks: LinkFinder, extensions: readonly string[]) {
    this.project = project;
    this.findLinks = findLinks;
    this.isVault = project.kindOf(".obsidian") === "folder";
    for (const found of project.walk("", (path) => !isHidden(path))) {
      if (found.kind !== "file" || isHidden(found.path)) continue;
      if (entryPlace(found.path, "markdown")) this.texts.push(found.path);
      else if (extensions.includes(extensionOf(found.path))) this.addFile(found);
    }
  }

  private addFile(found: PlainFile): void {
    const path = found.path.normalize("NFC");
    const name = nameIn(path).toLowerCase();
    this.files.set(path, found);
    this.byName.set(name, [...(this.byName.get(name) ?? []), path]);
  }

  /** Pictures, and other files that one of the texts links to. */
  wanted(): PlainFile[] {
    const all = [...this.files.values()];
    for (const file of all) if (isPicture(file.path)) this.chosen.add(file.path);
    // Without other files no text has to be read twice.
    for (const path of this.chosen.size < all.length ? this.texts : []) {
      for (const link of this.findLinks(this.contentOf(path))) {
        const file = this.resolve(path, link)?.file;
        if (file) this.chosen.add(file.path);
      }
    }
    return all.filter((file) => this.chosen.has(file.path));
  }

  isWanted({ path }: ProjectItem): boolean {
    return this.chosen.has(path);
  }

  /** Empty for a file that cannot be read: its entry is refused. */
  private contentOf(path: string): string {
    try {
      const content = parseFrontMatter(decode(this.project.read(path, maxEntryFileBytes)), "page").data.get("content");
      return typeof content === "string" ? content : "";
    } catch {
      return "";
    }
  }

  /** It is in the store now. */
  add(file: PlainFile, path: Path): void {
    const address = `/${uploadsUrl}/${encodePath(path)}`;
    this.addresses.set(
      file,
      address.replace(/[()'*!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    );
  }

  /** Replaces the links of `content` to files that are in the store; the notes name those that stay. */
  readonly relink: Relink = (path, data, notes) => {
    const content = data.get("content");
    if (typeof content === "string") data.set("content", this.relinked(path, content, notes));
    const named = [...data].filter(([key, value]) => key !== "content" && this.names(path, value)).map(([key]) => key);
    if (named.length > 0) notes.push(`fields name pictures by their old paths: ${listOf(named)}`);
  };

  private relinked(path: string, content: string, notes: string[]): string {
    const lost = { missing: new Set<string>(), refused: new Set<string>(), wiki: new Set<string>() };
    let text = "";
    let at = 0;
    for (const link of [...this.findLinks(content)].sort((a, b) => a.start - b.start)) {
      const { file, suffix } = this.resolve(path, link) ?? {};
      const address = file && this.addresses.get(file);
      if (address === undefined) {
        const why = file ? "refused" : reasonOf(link);
        if (why) lost[why].add(link.target);
      } else if (link.start >= at) {
        text += content.slice(at, link.start) + link.write(address + suffix);
        at = link.end;
      }
    }
    if (lost.missing.size > 0)
      notes.push(`links to files that are not there stay as they are: ${listOf(lost.missing)}`);
    if (lost.refused.size > 0)
      notes.push(`links to files that were not taken stay as they are: ${listOf(lost.refused)}`);
    if (lost.wiki.size > 0) notes.push(`links in double brackets stay text: ${listOf(lost.wiki)}`);
    return text + content.slice(at);
  }

  /** True for a field that holds the path of a picture, at any depth. */
  private names(path: string, value: Json): boolean {
    if (typeof value === "string")
      return isPicture(value) && this.resolve(path, { target: value, kind: "picture" }) !== undefined;
    if (Array.isArray(value)) return value.some((one) => this.names(path, one));
    return isJsonObject(value) && [...value.values()].some((one) => this.names(path, one));
  }

  /** The file that a text at the path links to, and what of the address stays behind its path. */
  private resolve(
    path: string,
    { target, kind }: Pick<TextLink, "target" | "kind">,
  ): { file: PlainFile; suffix: string } | undefined {
    const isWiki = kind === "wiki" || kind === "embed";
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/|[#?]|$)/i.test(target)) return undefined;
    const end = target.search(isWiki ? /#/ : /[?#]/);
    const written = end < 0 ? target : target.slice(0, end);
    const suffix = end < 0 || isWiki ? "" : suffixOf(target.slice(end));
    for (const spelling of spellingsOf(written)) {
      const file = this.fileAt(path, spelling, isWiki);
      if (file) return { file, suffix };
    }
    return undefined;
  }

  private fileAt(path: string, written: string, isWiki: boolean): PlainFile | undefined {
    const folder = folderOf(path);
    for (const place of placesOf(path, folder, written, isWiki)) {
      const file = place === undefined ? undefined : this.files.get(place);
      if (file) return file;
    }
    return isWiki || this.isVault ? this.fileNamed(folder, written) : undefined;
  }

  /** Obsidian finds a file by the end of its path, in any case of letters; the nearest one. */
  private fileNamed(folder: string, written: string): PlainFile | undefined {
    const end = `/${written
      .normalize("NFC")
      .toLowerCase()
      .replace(/^(?:\.{0,2}\/)+/, "")}`;
    const found = (this.byName.get(nameIn(end)) ?? []).filter((path) => `/${path.toLowerCase()}`.endsWith(end));
    const own = found.find((path) => folderOf(path) === folder);
    const [first] = found.toSorted((a, b) => a.length - b.length);
    return this.files.get(own ?? first ?? "");
  }
}

const nameIn = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0)).normalize("NFC");

/** As written, decoded, and with the slashes of Windows. */
function spellingsOf(written: string): string[] {
  const decoded = decodedOf(written);
  return [...new Set([written, decoded, decoded.replaceAll("\\", "/")])];
}

function decodedOf(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Where the file of a link can be, the first that is there: beside the text, or beside the address of its page. */
function placesOf(path: string, folder: string, written: string, isWiki: boolean): (string | undefined)[] {
  const text = written.normalize("NFC");
  if (text.startsWith("/")) return publicFolders.map((top) => joined(top, text.slice(1)));
  const page = path.normalize("NFC").replace(/\.[^./]*$/, "");
  return isWiki ? [joined("", text), joined(folder, text)] : [joined(folder, text), joined(page, text)];
}

/** The path with its dots resolved; undefined above the folder that is imported. */
function joined(folder: string, written: string): string | undefined {
  const path: string[] = [];
  for (const part of `${folder}/${written}`.split("/")) {
    if (part === "..") {
      if (path.pop() === undefined) return undefined;
    } else if (part !== "" && part !== ".") path.push(part);
  }
  return path.join("/");
}

/** A query or fragment that ends no link and no attribute. */
const suffixOf = (text: string): string => (/^[\w?#&=.,:;/+%-]*$/.test(text) ? text : "");

/** How a link that leads to no file is reported; undefined for links to pages. */
function reasonOf({ target, kind }: TextLink): "missing" | "wiki" | undefined {
  const path = target.replace(/[?#].*/s, "");
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/|[#?]|$)/i.test(target) || path.startsWith(`/${uploadsUrl}/`)) return undefined;
  if (kind === "wiki" || kind === "embed") return isPicture(path) ? "missing" : "wiki";
  return kind === "picture" || isPicture(path) ? "missing" : undefined;
}

function listOf(names: Iterable<string>): string {
  const all = [...names];
  const more = all.length > maxNamed ? ` and ${all.length - maxNamed} more` : "";
  return all.slice(0, maxNamed).map(quote).join(", ") + more;
}
