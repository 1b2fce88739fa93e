/** A text to send. A long one is UTF-8 in chunks of about 256 KiB, so that each can be freed once it is sent. */
export type LongText = string | Uint8Array<ArrayBuffer>[];

const pieceLength = 256 * 1024;
const utf8 = new TextEncoder();

/** Builds a long text part by part. Holds it as UTF-8 only: never as one long string. */
export class LongTextWriter {
  private readonly pieces: Uint8Array<ArrayBuffer>[] = [];
  private parts: string[] = [];
  private length = 0;

  add(part: string): void {
    this.parts.push(part);
    this.length += part.length;
    if (this.length >= pieceLength) this.cut();
  }

  /** The whole text. May be called once. */
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

/** Joins the text with a short prefix and suffix. */
export function surround(before: string, text: LongText, after: string): LongText {
  return typeof text === "string" ? before + text + after : [utf8.encode(before), ...text, utf8.encode(after)];
}

/** The texts joined. */
export const concatLong = (texts: readonly LongText[]): LongText =>
  texts.every((text) => typeof text === "string")
    ? texts.join("")
    : texts.flatMap((text) => (typeof text === "string" ? [utf8.encode(text)] : text));

export function byteLengthOf(text: LongText): number {
  return typeof text === "string" ? Buffer.byteLength(text) : text.reduce((sum, { length }) => sum + length, 0);
}

/** The whole text as one string. */
export const wholeText = (text: LongText): string => (typeof text === "string" ? text : Buffer.concat(text).toString());
