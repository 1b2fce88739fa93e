import { addressOf, choose, maxDensity, type Presets, type PublicPicture, widthsOf } from "./preset.ts";
import { thumbhashUrl } from "./thumbhash.ts";

export type { Presets, PublicPicture };

/** Pictures on public pages, by presets that need no token: the setting `image_public`. */

export type PublicImageOptions = Presets &
  Readonly<{
    /** The URL of the service. Default: that of the page. */
    url?: string | undefined;
    /** The height of the preset's pictures, where they all have it. */
    height?: number | undefined;
    /** The displayed width, as in an `<img>`. Default: that of the preset, or of a narrower page. */
    sizes?: string | undefined;
    /** Words in place of the picture. Default: the file's `alt`, or none. */
    alt?: string | undefined;
  }>;

/** What an `<img>` needs. */
export type PublicImage = Readonly<{
  src: string;
  /** One address for each: numbers up to 3 are densities, others are widths in pixels, for which the preset's must be known. */
  srcset(list: readonly number[]): string;
  sizes: string | undefined;
  alt: string;
  width: number | undefined;
  height: number | undefined;
  /** The URL of a small blurred picture, where the file has a preview. */
  placeholder: string | undefined;
  /** A background of that picture and its colour, as the text of a `style`. */
  style: string;
}>;

export function image(picture: PublicPicture, options: PublicImageOptions): PublicImage {
  const { url = "", height, alt, sizes } = options;
  const file = typeof picture === "string" ? undefined : picture;
  const sized = widthsOf(options);
  const [preset, width] = sized.at(-1) ?? [];
  const at = (name?: string, dpr?: number) => addressOf(url, picture, name, dpr);
  const placeholder = file?.preview ? thumbhashUrl(file.preview.thumbhash) : undefined;
  return {
    src: at(preset),
    srcset: (list) => {
      const found = list.map((each): [string, string] => {
        if (each <= maxDensity) return [at(preset, each), `${each}x`];
        const [name, dpr, pixels] = choose(sized, each);
        return [at(name, dpr), `${pixels}w`];
      });
      return [...new Map(found)].map((pair) => pair.join(" ")).join(", ");
    },
    sizes: sizes ?? (width ? `(min-width: ${width}px) ${width}px, 100vw` : undefined),
    alt: alt ?? (typeof file?.alt === "string" ? file.alt : ""),
    width,
    height,
    placeholder,
    style: placeholder ? `background: ${file?.preview?.color} url("${placeholder}") center / cover no-repeat` : "",
  };
}
