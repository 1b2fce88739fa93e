import type { ImageArguments, Picture, SrcsetArguments } from "./public.ts";
import { encodePath, formatQuery } from "./query.ts";

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
