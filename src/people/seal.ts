import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const cipher = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts and signs texts that a browser keeps for the service, with a key derived from the store's for one purpose: every
 * node of a store opens what another sealed, and nothing that was sealed for another purpose.
 */
export class Seal {
  private readonly key: Buffer;

  constructor(signingKey: string, purpose: string) {
    this.key = deriveKey(signingKey, purpose);
  }

  /** What is sealed in a context is opened in the same one only. */
  seal(text: string, context = ""): string {
    const iv = randomBytes(ivBytes);
    const sealing = createCipheriv(cipher, this.key, iv).setAAD(Buffer.from(context));
    const sealed = [sealing.update(text), sealing.final()];
    return Buffer.concat([iv, sealing.getAuthTag(), ...sealed]).toString("base64url");
  }

  /** The text; undefined for one that was not sealed with this key, or in another context. */
  open(sealed: string, context = ""): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length <= ivBytes + tagBytes) return undefined;
    const opening = createDecipheriv(cipher, this.key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
    opening.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    try {
      return Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]).toString();
    } catch {
      return undefined;
    }
  }
}

export const deriveKey = (signingKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", signingKey, "", purpose, 32));
