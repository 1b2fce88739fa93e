/** A text to send. A long one is its UTF-8 in pieces of about 256 KiB, so that each can be freed when it is sent. */
export type LongText = string | Uint8Array<ArrayBuffer>[];

const pieceLength = 256 * 1024;
const utf8 = new TextEncoder();

/** Writes a long text part by part. Holds it as UTF-8 only: never as one long string. */
export class LongTextWriter {
  private readonly pieces: Uint8Array<ArrayBuffer>[] = [];
  private parts: string[] = [];
  private length = 0;

  add(part: string): void {
    this.parts.push(part);
    this.length += part.length;
    if (this.length >= pieceLength) this.cut();
  }

  /** All that was added. May be called once. */
  end(): LongText {
    if (this.pieces.length === 0) return this.parts.join("");
    if (this.length > 0) this.cut();
    return this.pieces;
  }

  private cut(): void {
    this.pieces.push(utf8.encode(this.parts.join("")));
    this.parts = [];
    this.length = 0;
  }
}

/** The parts joined. */
export function joinLong(parts: Iterable<string>): LongText {
  const writer = new LongTextWriter();
  for (const part of parts) writer.add(part);
  return writer.end();
}

/** The text between two short ones. */
export function surround(before: string, text: LongText, after: string): LongText {
  return typeof text === "string" ? before + text + after : [utf8.encode(before), ...text, utf8.encode(after)];
}

export function byteLengthOf(text: LongText): number {
  return typeof text === "string" ? Buffer.byteLength(text) : text.reduce((sum, { length }) => sum + length, 0);
}

/** All of it as one string. */
export const wholeText = (text: LongText): string => (typeof text === "string" ? text : Buffer.concat(text).toString());
