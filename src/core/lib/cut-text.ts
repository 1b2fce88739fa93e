/** The longest prefix of a text that is at most this many bytes of UTF-8 and splits no character. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, maxBytes))).read);
}
