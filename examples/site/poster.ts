import type { FileObject, ImageArguments } from "@octavo/client";
import { element } from "./element.ts";
import type { Movie, Site } from "./octavo.ts";

export type Shape = {
  /** Width by height. */
  ratio: number;
  fit: ImageArguments["fit"];
  widths: readonly number[];
  /** The displayed width, as `sizes` of an `<img>`. */
  sizes: string;
  loading: "lazy" | "eager";
};

/** Across the page; slightly above the centre, where most subjects of wide pictures are. */
export const wide: Shape = {
  ratio: 21 / 9,
  fit: "crop-50-30",
  widths: [640, 960, 1280, 1600],
  sizes: "min(72rem, 100vw)",
  loading: "eager",
};

/** A picture in an aspect ratio. The version in the file object makes its URLs immutable for caches. */
export function picture(site: Site, file: FileObject, { ratio, fit, widths, sizes, loading }: Shape): HTMLElement {
  const width = widths[0] ?? 0;
  return element("img", {
    class: "poster",
    style: `aspect-ratio: ${ratio}`,
    src: site.imageUrl(file, { w: width, h: Math.round(width / ratio), fit, fm: "auto" }),
    srcset: site.srcset(file, { widths, ratio, fit, fm: "auto" }),
    sizes,
    loading,
    alt: file.description,
  });
}

/** The picture of a film, or its year on a colour. */
export const poster = (site: Site, movie: Movie, file: FileObject | undefined, shape: Shape): HTMLElement =>
  file
    ? picture(site, file, shape)
    : element("div", { class: "poster drawn", style: styleOf(movie, shape.ratio) }, movie.year?.toString());

/** Rose, rust, ochre, teal, sea, night, plum. */
const hues = [345, 16, 40, 165, 195, 225, 280];

/** The colour of a film, derived from its length. */
const styleOf = ({ minutes = 0 }: Movie, ratio: number): string =>
  `aspect-ratio: ${ratio}; --hue: ${hues[minutes % hues.length]}`;
