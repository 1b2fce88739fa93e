import { createHash } from "node:crypto";

/** The SHA-256 (hex) and the length of a stream of bytes. */
export async function sha256Of(bytes: AsyncIterable<Uint8Array>): Promise<{ hash: string; size: number }> {
  const sha256 = createHash("sha256");
  let size = 0;
  for await (const chunk of bytes) {
    sha256.update(chunk);
    size += chunk.length;
  }
  return { hash: sha256.digest("hex"), size };
}
