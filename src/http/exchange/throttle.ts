/**
 * Failed authentications per address in the current minute. A token has 256 random bits, so guessing is hopeless
 * anyway: this limits the cost of the attempts. Valid tokens are never refused, or one bad client behind a shared
 * address would lock out the rest.
 */
export class FailureThrottle {
  private readonly failures = new Map<string, number>();
  private windowStartMs = 0;
  private readonly maxPerMinute: number;

  /** 0 means no limit. */
  constructor(maxPerMinute: number) {
    this.maxPerMinute = maxPerMinute;
  }

  /** Counts a failure; returns how many seconds to wait when there have been too many, otherwise undefined. */
  fail(address: string, nowMs: number): number | undefined {
    if (this.maxPerMinute === 0) return undefined;
    if (nowMs - this.windowStartMs >= 60_000 || this.failures.size > 100_000) {
      this.failures.clear();
      this.windowStartMs = nowMs;
    }
    const count = (this.failures.get(address) ?? 0) + 1;
    this.failures.set(address, count);
    if (count <= this.maxPerMinute) return undefined;
    return Math.max(1, Math.ceil((this.windowStartMs + 60_000 - nowMs) / 1000));
  }
}
