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

// ------------------------------------------------------------------------------------------------ turns by asker

/** Who waits: a token's line, a network. */
type Asking = { asker: string };

/** Askers take turns; what one asks for is first in, first out. */
export class AskerTurns {
  private last = 0;
  /** The number of the last turn of each asker, since nobody waited. */
  private readonly turns = new Map<string, number>();

  /** The first of who had no turn for the longest time; undefined where nobody waits. */
  first<T extends Asking>(waiting: readonly T[]): T | undefined {
    const turn = ({ asker }: T) => this.turns.get(asker) ?? 0;
    return waiting.reduce<T | undefined>((best, one) => (best && turn(best) <= turn(one) ? best : one), undefined);
  }

  /** Notes the turn of who has left those that wait. */
  take({ asker }: Asking, waiting: readonly Asking[]): void {
    if (waiting.length === 0) this.turns.clear();
    else this.turns.set(asker, ++this.last);
  }
}

/**
 * Who makes room for one more of `asker` where there is none: the last and heaviest of the asker who has most, if that is
 * more than `asker` has with `more`. So one asker does not lock out the others.
 */
export function whoYields<T extends Asking>(
  all: Iterable<T>,
  asker: string,
  { weigh, more }: { weigh: (one: T) => number; more: number },
): T | undefined {
  const held = new Map<string, number>();
  for (const one of all) held.set(one.asker, (held.get(one.asker) ?? 0) + weigh(one));
  let [most, least] = [asker, (held.get(asker) ?? 0) + more];
  for (const [other, sum] of held) if (sum > least) [most, least] = [other, sum];
  if (most === asker) return undefined;
  const theirs = [...all].filter((one) => one.asker === most);
  return theirs.reduce((best, one) => (weigh(best) > weigh(one) ? best : one));
}
