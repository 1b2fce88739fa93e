import { randomBytes } from "node:crypto";

/** One-time codes with an expiry. They are in the memory of the process: a restart voids them. */
export class OneTimeCodes {
  private readonly expiries = new Map<string, number>();
  private readonly lifeSeconds: number;

  constructor(lifeSeconds: number) {
    this.lifeSeconds = lifeSeconds;
  }

  /** A new code: 32 random bytes, base64url, behind `prefix`. */
  issue(nowSeconds: number, prefix = ""): string {
    const code = prefix + randomBytes(32).toString("base64url");
    this.expiries.set(code, nowSeconds + this.lifeSeconds);
    return code;
  }

  /** True for a valid code, which stays valid. */
  holds(code: string, nowSeconds: number): boolean {
    return (this.expiries.get(code) ?? nowSeconds) > nowSeconds;
  }

  /** Redeems a code: true if it is valid, and then it is used up. */
  redeem(code: string, nowSeconds: number): boolean {
    const expiresAt = this.expiries.get(code);
    this.expiries.delete(code);
    return expiresAt !== undefined && expiresAt > nowSeconds;
  }
}
