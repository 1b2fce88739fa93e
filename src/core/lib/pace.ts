/**
 * How far a transfer is behind a minimum rate, in milliseconds. Bytes above the rate make up for the lag, but earn no
 * credit for later: a sender that stops falls behind from then on.
 */
export class Pace {
  private readonly bytesPerMs: number;
  private keptUntilMs: number;

  /** With a rate of 0 any byte makes up for the whole lag. */
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
