type Waiting = { take: () => boolean; mayWait: () => boolean; resolve: (isServed: boolean) => void };

const lookEveryMs = 100;

/** Those that wait for something scarce, in the order in which they came. */
export class WaitingLine {
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  /**
   * Waits until `take` answers true, which it is asked at each `serve` and now and then: true. False once `mayWait`
   * answers false.
   */
  wait(take: () => boolean, mayWait: () => boolean): Promise<boolean> {
    this.timer ??= setInterval(() => this.look(), lookEveryMs).unref();
    return new Promise((resolve) => {
      this.waiting.push({ take, mayWait, resolve });
    });
  }

  /** Asks each in turn: what was scarce has come free. */
  serve(): void {
    if (this.waiting.length > 0) this.leave(({ take }) => take(), true);
  }

  private look(): void {
    this.serve();
    this.leave(({ mayWait }) => !mayWait(), false);
    if (this.waiting.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private leave(isLeaving: (waiting: Waiting) => boolean, isServed: boolean): void {
    // A waiter may free something for another one: not while the line is served.
    const asked = this.waiting;
    this.waiting = [];
    const staying = asked.filter((waiting) => {
      if (!isLeaving(waiting)) return true;
      waiting.resolve(isServed);
      return false;
    });
    this.waiting = staying.concat(this.waiting);
  }
}
