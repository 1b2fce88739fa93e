import type { Entry, ImageArguments } from "@octavo/client";
import { element } from "./element.ts";
import type { Movie, Site } from "./octavo.ts";

type Shape = {
  /** Width by height. */
  ratio: number;
  fit: ImageArguments["fit"];
  widths: readonly number[];
  /** The displayed width, as `sizes` of an `<img>`. */
  sizes: string;
  loading: "lazy" | "eager";
};

/** The film's picture in an aspect ratio, or its year on a colour. */
export function poster({ octavo, pictures }: Site, movie: Entry<Movie>, shape: Shape): HTMLElement {
  const { ratio, fit, widths, sizes, loading } = shape;
  const file = pictures.get(movie.picture ?? "");
  if (!file) return element("div", { class: "poster drawn", style: styleOf(movie, ratio) }, movie.year?.toString());
  const width = widths[0] ?? 0;
  return element("img", {
    class: "poster",
    style: `aspect-ratio: ${ratio}`,
    src: octavo.imageUrl(file, { w: width, h: Math.round(width / ratio), fit, fm: "auto" }),
    srcset: octavo.srcset(file, { widths, ratio, fit, fm: "auto" }),
    sizes,
    loading,
    alt: file.description,
  });
}

/** Rose, rust, ochre, teal, sea, night, plum. */
const hues = [345, 16, 40, 165, 195, 225, 280];

/** The colour of a film, derived from its id. */
const styleOf = ({ minutes = 0 }: Entry<Movie>, ratio: number): string =>
  `aspect-ratio: ${ratio}; --hue: ${hues[minutes % hues.length]}`;
