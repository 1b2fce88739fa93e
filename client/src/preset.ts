/** Addresses of pictures by presets that need no token: the setting `image_public`. */

/** A path below the uploads, or a file; `preview` is what `options[preview]` sends. */
export type PublicPicture =
  | string
  | Readonly<{
      url: string;
      version?: string;
      alt?: unknown;
      preview?: { thumbhash: string; color: string } | null | undefined;
    }>;

/** A preset and the width of its pictures in pixels, or several by name: `{ small: 320, large: 960 }`. */
export type Presets = Readonly<{ preset: string | Readonly<Record<string, number>>; width?: number | undefined }>;

/** The most that the service accepts without a token. */
export const maxDensity = 3;

export type Sized = [name: string, width: number | undefined][];

/** The narrowest first. */
export const widthsOf = ({ preset, width }: Presets): Sized =>
  typeof preset === "string" ? [[preset, width]] : Object.entries(preset).sort(([, a], [, b]) => a - b);

/** The widest preset that is not wider, and its density; the narrowest where all are wider. */
export function choose(sized: Sized, wanted: number): [name: string | undefined, dpr: number, width: number] {
  const [name, width = wanted] = sized.findLast(([, width = 0]) => width <= wanted) ?? sized[0] ?? [];
  const dpr = Math.min(maxDensity, Math.max(1, wanted / width));
  return [name, dpr, Math.round(width * dpr)];
}

/** The density is rounded to the two decimals that need no token. */
export function addressOf(url: string, picture: PublicPicture, preset = "", dpr = 1): string {
  const { url: path = "", version = "" } = typeof picture === "string" ? { url: picture } : picture;
  const [, name = "", v = version] = /^(?:.*?\bproject\/uploads\/)?\/*(.*?)(?:\?v=(\w+))?$/.exec(path) ?? [];
  // A `full_url` is encoded, a path is not.
  const segments = (path.includes("://") ? decodeURIComponent(name) : name).split("/").map(encodeURIComponent);
  return `${url}/api/images/${segments.join("/")}?p=${preset}${dpr > 1 ? `&dpr=${Math.round(dpr * 100) / 100}` : ""}${v && `&v=${v}`}`;
}
