import { fileGroup } from "../core/list/cache-group.ts";
import type { Path } from "../core/path.ts";
import type { PictureReader, PublicPicture, PublicPictures } from "../image/public-picture.ts";

/** Addresses of the store's files in HTML as clean.ts writes it. Contract §10, Rendering. */

/** Changes HTML that was rendered for everybody into that of one read. */
export interface HtmlPlaces {
  place(html: readonly string[]): Promise<string[]> | string[];
}

/** Pictures and links have absolute addresses, and with a preset pictures those of the preset. */
export class FileAddresses implements HtmlPlaces {
  readonly base: string;
  private readonly shown: { pictures: PublicPictures; preset: string; reader: PictureReader } | undefined;
  private readonly seen = new Set<Path>();
  /** Whether HTML that was placed has an address of the base. */
  hasAddresses = false;

  /** `base` is the public address of the service. */
  constructor(base: string, shown?: { pictures: PublicPictures; preset: string; reader: PictureReader }) {
    this.base = base;
    this.shown = shown;
  }

  /** The cache groups of the files that the HTML depends on. */
  get groups(): string[] {
    return [...this.seen].map(fileGroup);
  }

  place(html: readonly string[]): Promise<string[]> | string[] {
    const { shown } = this;
    const none: ReadonlyMap<Path, PublicPicture> = new Map();
    return shown ? this.withPictures(html, shown) : html.map((text) => this.rewrite(text, none));
  }

  private async withPictures(
    html: readonly string[],
    { pictures, preset, reader }: NonNullable<FileAddresses["shown"]>,
  ): Promise<string[]> {
    const paths = new Set<Path>();
    for (const text of html) {
      for (const [, attributes = ""] of text.matchAll(image)) {
        const path = this.pathOf(attributeOf(attributes, "src"));
        if (path !== undefined) paths.add(path);
      }
    }
    const found = await pictures.find([...paths], preset, this.base, reader);
    for (const path of paths) if (pictures.isSeen(path, reader)) this.seen.add(path);
    return html.map((text) => this.rewrite(text, found));
  }

  private rewrite(html: string, pictures: ReadonlyMap<Path, PublicPicture>): string {
    if (!html.includes("/project/") && !html.includes("/api/")) return html;
    return html.replace(element, (tag, name: string, attributes: string) => {
      const address = attributeOf(attributes, name === "img" ? "src" : "href");
      const path = name === "img" ? this.pathOf(address) : undefined;
      const picture = path === undefined ? undefined : pictures.get(path);
      const isOwn = picture !== undefined || (address !== undefined && ownAddress.test(address));
      if (isOwn) this.hasAddresses = true;
      if (picture) return imageOf(attributes, picture);
      if (!isOwn) return tag;
      return tag.replace(addressStart, (start) => start + escaped(this.base));
    });
  }

  /** The path of the file at an address; undefined for any other address. */
  private pathOf(address = ""): Path | undefined {
    const local = address.startsWith(`${this.base}/`) ? address.slice(this.base.length) : address;
    const [, written] = filePath.exec(local) ?? [];
    try {
      return written === undefined ? undefined : (decodeURIComponent(written).normalize("NFC") as Path);
    } catch {
      return undefined;
    }
  }
}

// Values have none of " < > as they are.
const element = /<(img|a)((?: [a-z-]+="[^"]*")*)>/g;
const image = /<img((?: [a-z-]+="[^"]*")*)>/g;
const addressStart = / (?:src|href)="/;
/** Of a file, or of a picture. */
const ownAddress = /^\/(?:project\/(?:uploads|media)|api\/(?:delivery\/)?images)\/./;
const filePath = /^\/project\/(?:uploads|media)\/([^?#]*[^?#/])/;

function attributeOf(attributes: string, name: string): string | undefined {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
  return value?.replace(/&(?:amp|lt|gt|quot|#96);/g, (entity) => entities[entity] as string);
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#96;": "`",
};

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

function imageOf(attributes: string, { src, twice, size }: PublicPicture): string {
  const others = attributes.replace(size ? / (?:src|width|height)="[^"]*"/g : / src="[^"]*"/g, "");
  const sides = size ? ` width="${size.width}" height="${size.height}"` : "";
  return `<img src="${escaped(src)}" srcset="${escaped(`${src} 1x, ${twice} 2x`)}"${others}${sides} loading="lazy">`;
}
