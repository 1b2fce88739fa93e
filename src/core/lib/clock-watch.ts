/** Notices that the system's clock was set back, by comparing it with a monotonic clock. */
export class ClockWatch {
  private offsetMs = offsetNow();

  /** True when it was set back by more than this many seconds since the last call. */
  wasSetBack(seconds: number): boolean {
    const before = this.offsetMs;
    this.offsetMs = offsetNow();
    return this.offsetMs < before - seconds * 1000;
  }
}

const offsetNow = (): number => Date.now() - performance.now();
