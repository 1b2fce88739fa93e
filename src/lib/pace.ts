/**
 * How far something that moves bytes is behind a least rate, in milliseconds. Bytes in excess of the rate make up for
 * what is behind, and are no credit for later: a sender that stops falls behind from then on.
 */
export class Pace {
  private readonly bytesPerMs: number;
  private keptUntilMs: number;

  /** Under a rate of 0 any byte makes up for all that is behind. */
  constructor(bytesPerSecond: number, nowMs: number) {
    this.bytesPerMs = bytesPerSecond / 1000;
    this.keptUntilMs = nowMs;
  }

  move(bytes: number, nowMs: number): void {
    if (bytes > 0) this.keptUntilMs = Math.min(nowMs, this.keptUntilMs + bytes / this.bytesPerMs);
  }

  behindMs(nowMs: number): number {
    return nowMs - this.keptUntilMs;
  }
}
