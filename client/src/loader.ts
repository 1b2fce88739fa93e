import { addressOf, choose, type Presets, widthsOf } from "./preset.ts";

/**
 * Loaders of pictures for frameworks, by presets that need no token. Each takes as `src` the path of a file below the uploads,
 * or its `url` or `full_url`, with or without `?v=` and its version.
 */

export type LoaderOptions = Presets & Readonly<{ /** The URL of the service. */ url: string }>;

/** The `loader` of `next/image`. */
export const nextLoader =
  ({ url, ...presets }: LoaderOptions) =>
  ({ src, width }: { src: string; width: number }): string =>
    addressAt(url, src, presets, width);

/** The `getImage` of a provider of `@nuxt/image`. */
export const nuxtImage =
  ({ url, ...presets }: LoaderOptions) =>
  (src: string, { modifiers = {} }: { modifiers?: { width?: number | string | undefined } } = {}): { url: string } => ({
    url: addressAt(url, src, presets, pixels(modifiers.width)),
  });

/** The `transformer` of the components of unpic. */
export const unpicTransformer =
  ({ url, ...presets }: LoaderOptions) =>
  (src: string | URL, { width }: { width?: number | string | undefined }): string =>
    addressAt(url, String(src), presets, pixels(width));

/** What an image service of Astro does in its own way: put it over `baseService` of `astro/assets`. */
export const astroService = ({ url, ...presets }: LoaderOptions) => ({
  getURL: ({ src, width }: { src: unknown; width?: number | undefined }): string =>
    // What is imported from the site is an object with its own address, which stays.
    typeof src === "string" ? addressAt(url, src, presets, width) : (src as { src: string }).src,
});

const pixels = (width: number | string | undefined): number | undefined =>
  width === undefined || Number.isNaN(Number(width)) ? undefined : Number(width);

/** The address of a picture in about this width, for the loaders of frameworks. */
function addressAt(url: string, picture: string, presets: Presets, width: number | undefined): string {
  const sized = widthsOf(presets);
  const [name, dpr] = width === undefined ? [sized.at(-1)?.[0]] : choose(sized, width);
  return addressOf(url, picture, name, dpr);
}
