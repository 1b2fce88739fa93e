type Waiting = { take: () => boolean; mayWait: () => boolean; resolve: (isServed: boolean) => void };

const lookEveryMs = 100;

/** A FIFO queue of callers that wait for a scarce resource. */
export class WaitingLine {
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  /**
   * Waits until `take` answers true; calls it at each `serve` and from time to time. Answers true, or false once
   * `mayWait` answers false.
   */
  wait(take: () => boolean, mayWait: () => boolean): Promise<boolean> {
    this.timer ??= setInterval(() => this.look(), lookEveryMs).unref();
    return new Promise((resolve) => {
      this.waiting.push({ take, mayWait, resolve });
    });
  }

  /** Calls each waiter in turn: the resource may be available again. */
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
    // A waiter may release something that another one waits for: not while the queue is being served.
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
