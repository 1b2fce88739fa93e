import type { FileObject } from "@octavo/client";
import { image } from "@octavo/client/image";
import { element } from "./element.ts";
import type { Movie, Site } from "./octavo.ts";

/** A preset of the service that needs no token, and where its pictures are shown. */
export type Shape = {
  preset: string;
  /** Of the preset, in pixels. */
  width: number;
  height: number;
  /** Each at most three times that. */
  widths: readonly number[];
  /** The displayed width, as `sizes` of an `<img>`. */
  sizes: string;
  loading: "lazy" | "eager";
};

/** Across the page. */
export const wide: Shape = {
  ...{ preset: "wide", width: 640, height: 274 },
  widths: [640, 960, 1280, 1600],
  sizes: "min(72rem, 100vw)",
  loading: "eager",
};

/** A picture in the shape of its preset; until it is loaded, what stands in for it. */
export function picture(site: Site, file: FileObject, { widths, loading, ...shape }: Shape): HTMLElement {
  const { src, srcset, sizes, width, height, alt, style } = image(file, { ...shape, url: site.url });
  const attributes = { class: "poster", src, srcset: srcset(widths), sizes, width, height, loading, style };
  return element("img", { ...attributes, alt: alt || file.description });
}

/** The picture of a film, or its year on a colour. */
export const poster = (site: Site, movie: Movie, file: FileObject | undefined, shape: Shape): HTMLElement =>
  file
    ? picture(site, file, shape)
    : element("div", { class: "poster drawn", style: styleOf(movie, shape) }, movie.year?.toString());

/** Rose, rust, ochre, teal, sea, night, plum. */
const hues = [345, 16, 40, 165, 195, 225, 280];

/** The colour of a film, derived from its length. */
const styleOf = ({ minutes = 0 }: Movie, { width, height }: Shape): string =>
  `aspect-ratio: ${width} / ${height}; --hue: ${hues[minutes % hues.length]}`;
