/** The bytes of base64url without padding; undefined for a text that is not what these bytes are written as. RFC 4648 §5. */
export function readBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  // Buffer skips what it does not know, and ignores the bits that are left over.
  return bytes.toString("base64url") === text ? bytes : undefined;
}
