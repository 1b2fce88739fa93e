/** Reads `length` bytes at `offset`; fewer where the file ends. */
export type ReadAt = (offset: number, length: number) => Promise<Buffer>;

/** The width and height that a picture is stored with. */
export type PixelSize = { width: number; height: number };
