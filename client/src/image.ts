import type { Api, FileObject } from "./api.ts";
import { encodePath, formatQuery } from "./query.ts";

/** A number of pixels, or a percentage of the picture's width or height. */
export type Length = number | `${number}` | `${number}w` | `${number}h`;
export type Position = `${"top" | "bottom"}${"" | "-left" | "-right"}` | "left" | "center" | "right";
type Anchored = `${"crop" | "cover"}${"" | `-${Position}`}`;
/** `crop-x-y[-zoom]`: the focal point, in percent from the left and the top. */
type Focal = `crop-${number}-${number}` | `crop-${number}-${number}-${number}`;

/** The type of each argument. See ImageArguments for their effects. */
type Values = {
  or: "auto" | 0 | 90 | 180 | 270;
  trim: boolean | number;
  crop:
    | readonly [width: number, height: number, x: number, y: number]
    | `${number},${number},${number},${number}`
    | "smart";
  w: Length;
  h: Length;
  fit: "contain" | "max" | "fill" | "fill-max" | "stretch" | Anchored | Focal;
  dpr: number;
  bri: number;
  con: number;
  gam: number;
  sharp: number;
  filt: "greyscale" | "grayscale" | "sepia";
  flip: "h" | "v" | "both";
  blur: number;
  pixel: number;
  mark: string;
  markw: Length;
  markh: Length;
  markx: Length;
  marky: Length;
  markpad: Length;
  markfit: "contain" | "max" | "stretch" | Anchored;
  markpos: Position;
  markalpha: number;
  bg: string;
  border:
    | Length
    | readonly [width: Length, color: string, method: "overlay" | "shrink" | "expand"]
    | `${Length},${string}`;
  q: number;
  fm: "jpg" | "jpeg" | "pjpg" | "png" | "gif" | "webp" | "avif" | "auto";
  lossless: boolean | 0 | 1;
  interlace: boolean | 0 | 1;
  p: string | readonly string[];
  strict: 1;
  v: string;
};

/** The arguments of the URL except those that signing adds. */
type Described = Omit<Api["GET /api/images/{path}"]["arguments"], "path" | "s" | "expires">;
/** Compares both directions: an argument of only one side is a compile error here. */
type Checked = { [N in keyof Described | keyof Values]: N extends keyof Described & keyof Values ? Values[N] : never };
/** The arguments of an image: its modifiers, `v` for caching, `strict`. */
export type ImageArguments = { [N in keyof Described]: Checked[N] | undefined };

/** A path below the uploads, or a file, whose version is added to the URL so that it can be cached forever. */
export type Picture = string | Pick<FileObject, "url" | "version">;

export type SrcsetArguments = Omit<ImageArguments, "w" | "h" | "dpr"> & {
  /** In pixels, one URL for each. */
  widths: readonly number[];
  /** Width by height, as `16 / 9`: gives all of them one aspect ratio, together with `fit`. */
  ratio?: number | undefined;
};

/** Where the path of a file's `url` begins. */
const uploads = "project/uploads/";

export const fileUrl = (base: string, path: string): string => `${base}/${uploads}${encodePath(path)}`;

/** The URL of a rendition, with a token of the kind images if the client has one. */
export function imageUrl(base: string, token: string | undefined, picture: Picture, args: ImageArguments): string {
  const [path, v] = typeof picture === "string" ? [picture] : [picture.url.slice(uploads.length), picture.version];
  const texts = Object.entries({ v, ...args, token }).map(([name, value]) => [name, value?.toString()]);
  const query = formatQuery(Object.fromEntries(texts));
  return `${base}/api/images/${encodePath(path)}${query && `?${query}`}`;
}

/** The same image in several widths, as the `srcset` of an `<img>` expects them. */
export function srcset(
  base: string,
  token: string | undefined,
  picture: Picture,
  { widths, ratio, ...args }: SrcsetArguments,
): string {
  const sized = (w: number): ImageArguments => ({ ...args, w, h: ratio && Math.round(w / ratio) });
  return widths.map((w) => `${imageUrl(base, token, picture, sized(w))} ${w}w`).join(", ");
}
