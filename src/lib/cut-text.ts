/** The longest prefix of a text that is at most this many bytes of UTF-8 and splits no character. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return text;
  // A character is at least one byte, so the rest of a long text is not looked at.
  const bytes = Buffer.from(text.slice(0, Math.max(0, maxBytes)));
  let end = Math.max(0, maxBytes);
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}
