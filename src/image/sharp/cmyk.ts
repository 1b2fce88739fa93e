/**
 * CMYK without a profile does not define its inks. Browsers then take each ink as the complement of a colour, and so
 * did Flextype; with a press profile, as libvips bundles one, the rendition would look unlike the source image next to
 * it.
 */

/** Turns CMYK, four bytes a pixel, into RGB, three bytes, in place; answers the part of the buffer that is used. */
export function cmykToRgb(data: Uint8Array): Uint8Array {
  let to = 0;
  for (let from = 0; from < data.length; from += 4) {
    const light = 255 - (data[from + 3] as number);
    for (let ink = 0; ink < 3; ink++) data[to++] = Math.round(((255 - (data[from + ink] as number)) * light) / 255);
  }
  return data.subarray(0, to);
}
