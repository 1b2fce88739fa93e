import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { clockSlackSeconds } from "../core/clock.ts";
import { readBase64url } from "./base64url.ts";
import { ceremonySeconds } from "./webauthn.ts";

const nonceBytes = 16;
const endBytes = 6;
const macBytes = 32;

/**
 * Challenges of ceremonies: random, for one purpose and for a few minutes, signed with a key of the store. So every node knows
 * those of the others, and nobody fills the store, or pushes out the challenges of others, by asking for many: only a
 * challenge that was used well is stored, and is refused from then on (PasskeyStore). Contract, part three, §19; decision 72.
 */
export class PasskeyChallenges {
  private readonly key: Buffer;

  constructor(signingKey: string) {
    this.key = Buffer.from(hkdfSync("sha256", signingKey, "", "octavo passkey challenge", 32));
  }

  /** A new challenge, base64url. */
  issue(purpose: string, nowSeconds: number): string {
    const head = Buffer.alloc(nonceBytes + endBytes);
    randomBytes(nonceBytes).copy(head);
    head.writeUIntBE(nowSeconds + ceremonySeconds, nonceBytes, endBytes);
    return Buffer.concat([head, this.macOf(head, purpose)]).toString("base64url");
  }

  /** The challenge when it was issued for this purpose and holds; undefined otherwise. */
  find(challenge: string, purpose: string, nowSeconds: number): IssuedChallenge | undefined {
    const bytes = readBase64url(challenge);
    if (bytes?.length !== nonceBytes + endBytes + macBytes) return undefined;
    const head = bytes.subarray(0, nonceBytes + endBytes);
    if (!timingSafeEqual(bytes.subarray(head.length), this.macOf(head, purpose))) return undefined;
    const expiresAt = head.readUIntBE(nonceBytes, endBytes);
    // One that lasts longer than a new one is of a clock that was ahead.
    const isLive = expiresAt > nowSeconds && expiresAt <= nowSeconds + ceremonySeconds + clockSlackSeconds;
    return isLive ? { challenge, expiresAt, nonce: head.subarray(0, nonceBytes) } : undefined;
  }

  private macOf(head: Buffer, purpose: string): Buffer {
    return createHmac("sha256", this.key).update(head).update(purpose).digest();
  }
}

/** A challenge that was looked up. `nonce`: 16 bytes that no other challenge has. */
export type IssuedChallenge = Readonly<{ challenge: string; expiresAt: number; nonce: Buffer }>;
