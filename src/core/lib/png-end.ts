/** How much of the end of a file isCutPng() wants: some programs write a few bytes behind the picture. */
export const pngEndBytes = 4096;

/** Whether a PNG with these last bytes was cut off: a whole one ends with the chunk IEND. PNG, third edition, 11.2.4. */
export const isCutPng = (end: Buffer): boolean => !end.includes("IEND");
