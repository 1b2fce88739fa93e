/**
 * CMYK without a profile says nothing about its inks. Browsers then take each ink as what is missing of a colour, and
 * so did the original; by a profile of some press, as libvips has one for this, the rendition would look unlike the
 * original that it stands beside.
 */

/** Turns CMYK, four bytes a pixel, into RGB, three bytes; in the same memory, of which it answers what is used. */
export function cmykToRgb(data: Uint8Array): Uint8Array {
  let to = 0;
  for (let from = 0; from < data.length; from += 4) {
    const light = 255 - (data[from + 3] as number);
    for (let ink = 0; ink < 3; ink++) data[to++] = Math.round(((255 - (data[from + ink] as number)) * light) / 255);
  }
  return data.subarray(0, to);
}
