import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from "node:crypto";
import { clockSlackSeconds } from "./clock.ts";
import { createToken, type TokenKind, type TokenResource, type TokenStore, tokenResources } from "./token.ts";

/** A person signed in to the admin page: the pair of tokens that writes need, and until when. Contract §8. */
export type Session = Readonly<{ token: string; accessToken: string; expiresAt: number }>;

const cipher = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * Sessions as texts that only the service reads: sealed with a key derived from the store's, so that nothing is stored
 * and every node of a store opens what another sealed. What a session may do is asked of its tokens at each call: a
 * token that is revoked ends its sessions.
 */
export class SessionSeal {
  private readonly sealKey: Buffer;
  private readonly csrfKey: Buffer;

  constructor(signingKey: string) {
    this.sealKey = deriveKey(signingKey, "octavo session");
    this.csrfKey = deriveKey(signingKey, "octavo session csrf");
  }

  seal({ token, accessToken, expiresAt }: Session): string {
    const iv = randomBytes(ivBytes);
    const sealing = createCipheriv(cipher, this.sealKey, iv);
    const text = sealing.update(JSON.stringify([token, accessToken, expiresAt]));
    const end = sealing.final();
    return Buffer.concat([iv, sealing.getAuthTag(), text, end]).toString("base64url");
  }

  /**
   * The session, or undefined when it was not sealed with this key or its time is over. It is over, too, when it would
   * last longer than one that begins now: it began by a clock that was ahead, or by another setting.
   */
  open(sealed: string, nowSeconds: number, lifeSeconds: number): Session | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length <= ivBytes + tagBytes) return undefined;
    const opening = createDecipheriv(cipher, this.sealKey, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
    opening.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    try {
      const text = Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]).toString();
      const [token, accessToken, expiresAt] = JSON.parse(text) as [string, string, number];
      const leftSeconds = expiresAt - nowSeconds;
      const isOver = leftSeconds <= 0 || leftSeconds > lifeSeconds + clockSlackSeconds;
      return isOver ? undefined : { token, accessToken, expiresAt };
    } catch {
      return undefined;
    }
  }

  /** What a page must know to write with a session: another site's page can send the cookie at most, not read this. */
  csrfToken(sealed: string): string {
    return createHmac("sha256", this.csrfKey).update(sealed).digest("base64url");
  }

  isCsrfToken(sealed: string, came: string): boolean {
    const [expected, given] = [Buffer.from(this.csrfToken(sealed)), Buffer.from(came)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}

const deriveKey = (signingKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", signingKey, "", purpose, 32));

/**
 * A session for who came by a sign-in link: a pair of tokens of its own, that may do everything and ends with the
 * session. They stand in the list of tokens like any other, and can be revoked there.
 */
export async function openFirstSession(tokens: TokenStore, expiresAt: number, nowSeconds: number): Promise<Session> {
  const create = async (kind: TokenKind, resources: TokenResource[]): Promise<string> => {
    const input = { kind, resources, label: "first sign-in", environment: "", limitCalls: 0, expiresAt };
    return (await createToken(tokens, input, { id: randomUUID(), actor: "octavo", nowSeconds })).secret;
  };
  return { token: await create("management", [...tokenResources]), accessToken: await create("access", []), expiresAt };
}
