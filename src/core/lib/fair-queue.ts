/** Who waits: the client of a token, a network. */
export type Asking = { readonly asker: string };

/** What waits, in the order of turns: askers take turns; what one asks for is first in, first out. */
export class Turns<T extends Asking> implements Iterable<T> {
  /** By asker; whose turn is next comes first. */
  private readonly lines = new Map<string, T[]>();

  /** All of the asker whose turn is next, then all of the one after it, and so on. */
  *[Symbol.iterator](): Generator<T> {
    for (const line of this.lines.values()) yield* line;
  }

  get size(): number {
    return this.lines.values().reduce((sum, { length }) => sum + length, 0);
  }

  get first(): T | undefined {
    for (const [first] of this.lines.values()) return first;
    return undefined;
  }

  sizeOf(asker: string): number {
    return this.lines.get(asker)?.length ?? 0;
  }

  /** Behind what its asker has, or before the first that `isBehind`. */
  add(one: T, isBehind?: (other: T) => boolean): void {
    const line = this.lines.get(one.asker) ?? [];
    const place = isBehind ? line.findIndex(isBehind) : -1;
    line.splice(place < 0 ? line.length : place, 0, one);
    this.lines.set(one.asker, line);
  }

  /** It leaves without a turn. */
  remove(one: T): void {
    const line = this.lines.get(one.asker);
    const place = line?.indexOf(one) ?? -1;
    if (!line || place < 0) return;
    line.splice(place, 1);
    if (line.length === 0) this.lines.delete(one.asker);
  }

  /** It has its turn: the next one of its asker is after one of each other asker. */
  take(one: T): void {
    this.remove(one);
    const line = this.lines.get(one.asker);
    this.lines.delete(one.asker);
    if (line) this.lines.set(one.asker, line);
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

/** Why one is refused: too many wait, its turn did not come in time, or its asker has left. */
export type Refused = "full" | "late" | "gone";

/** What is absent is not bounded. */
export type FairQueueOptions = {
  /** How much of `run` is in progress at once: of all, and of one asker. */
  slots?: number;
  slotsEach?: number;
  /** How many wait. Where they are too many, the last of the asker who has most makes room for one who has fewer. */
  maxWaiting?: number;
  /** How many of one asker wait. */
  maxWaitingOf?: (asker: string) => number;
  maxWaitMs?: number;
  /** The time in milliseconds, for whoever must not wait; default performance.now. */
  nowMs?: () => number;
  refusal: (why: Refused) => Error;
};

export type WaitOptions = {
  /** Its asker leaves when this is aborted. */
  signal?: AbortSignal;
  /** From when its time is counted; default when it came. */
  sinceMs?: () => number;
  /** Of one that had its turn and comes back: it waits where it would, had it stayed, and is never too many. */
  number?: number | undefined;
};

/** Takes what is waited for; undefined when it is not there yet. Who came later has a higher number. */
type Take<T> = (number: number) => T | undefined;

type Waiting = Asking & {
  number: number;
  sinceMs: () => number;
  /** False when it has to wait on. */
  hasBegun: () => boolean;
  refuse: (reason: unknown) => void;
};

/** What may begin because time passed is seen after this time. */
const lookEveryMs = 100;

/** A queue for something scarce in which no asker locks out another one: with turns of askers, bounds and a time. */
export class FairQueue {
  private readonly options: FairQueueOptions;
  private readonly nowMs: () => number;
  private readonly turns = new Turns<Waiting>();
  private readonly running = new Map<string, number>();
  private lastNumber = 0;
  private timer: NodeJS.Timeout | undefined;
  private isServing = false;
  private closed: (() => Error) | undefined;

  constructor(options: FairQueueOptions) {
    this.options = options;
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /** How many wait. */
  get size(): number {
    return this.turns.size;
  }

  /** Runs the work when it is its turn and a slot is free. Throws the refusal, and what the work throws. */
  async run<T>(asker: string, work: () => Promise<T>, options: WaitOptions = {}): Promise<T> {
    await this.wait(asker, () => this.begin(asker) || undefined, options);
    try {
      if (options.signal?.aborted) throw this.options.refusal("gone");
      return await work();
    } finally {
      this.end(asker);
    }
  }

  /**
   * Answers what `take` takes, which is called at once, unless it comes back; then in its turn at each `serve`, and from
   * time to time. Throws the refusal, and what `take` throws.
   */
  async wait<T>(asker: string, take: Take<T>, options: WaitOptions = {}): Promise<T> {
    const { number = ++this.lastNumber, signal } = options;
    if (this.closed) throw this.closed();
    if (signal?.aborted) throw this.options.refusal("gone");
    if (options.number === undefined) {
      const taken = take(number);
      if (taken !== undefined) return taken;
      this.makeRoom(asker);
    }
    return this.turnOf(asker, number, take, options);
  }

  /** Lets begin what can, in the order of turns: what is scarce may be available again. */
  serve(): void {
    // What begins may free something: it is seen below.
    if (this.isServing) return;
    this.isServing = true;
    while (this.serveOne());
    this.isServing = false;
  }

  /** Refuses what waits, and all that comes. */
  close(refusal: () => Error): void {
    this.closed = refusal;
    for (const one of [...this.turns]) one.refuse(refusal());
  }

  private begin(asker: string): boolean {
    const { slots = Number.POSITIVE_INFINITY, slotsEach = Number.POSITIVE_INFINITY } = this.options;
    const own = this.running.get(asker) ?? 0;
    const all = this.running.values().reduce((sum, count) => sum + count, 0);
    if (all >= slots || own >= slotsEach) return false;
    this.running.set(asker, own + 1);
    return true;
  }

  /** The slot is handed on at once: who comes before the next one runs must not take it. */
  private end(asker: string): void {
    const own = (this.running.get(asker) ?? 0) - 1;
    if (own > 0) this.running.set(asker, own);
    else this.running.delete(asker);
    this.serve();
  }

  private makeRoom(asker: string): void {
    const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitingOf, refusal } = this.options;
    if (maxWaitingOf && this.turns.sizeOf(asker) >= maxWaitingOf(asker)) throw refusal("full");
    if (this.size < maxWaiting) return;
    const last = whoYields(this.turns, asker, { weigh: () => 1, more: 1 });
    if (!last) throw refusal("full");
    last.refuse(refusal("full"));
  }

  private turnOf<T>(asker: string, number: number, take: Take<T>, { signal, sinceMs }: WaitOptions): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const cameMs = this.nowMs();
    const one: Waiting = {
      asker,
      number,
      sinceMs: sinceMs ?? (() => cameMs),
      hasBegun: () => {
        const taken = take(number);
        if (taken !== undefined) resolve(taken);
        return taken !== undefined;
      },
      refuse: (reason) => {
        this.turns.remove(one);
        reject(reason);
      },
    };
    const leave = () => one.refuse(this.options.refusal("gone"));
    this.turns.add(one, (other) => other.number > number);
    signal?.addEventListener("abort", leave);
    this.watch();
    return promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  private serveOne(): boolean {
    for (const one of this.turns) {
      try {
        if (!one.hasBegun()) continue;
        this.turns.take(one);
      } catch (error) {
        one.refuse(error);
      }
      return true;
    }
    return false;
  }

  /** Looks again when the time of one may be over, or something else may have changed. */
  private watch(): void {
    if (this.timer || this.size === 0) return;
    const restMs = Math.min(lookEveryMs, ...[...this.turns].map((one) => this.restMs(one)));
    this.timer = setTimeout(() => this.look(), Math.max(1, restMs)).unref();
  }

  private look(): void {
    this.timer = undefined;
    this.serve();
    for (const one of [...this.turns]) if (this.restMs(one) <= 0) one.refuse(this.options.refusal("late"));
    this.watch();
  }

  private restMs({ sinceMs }: Waiting): number {
    const { maxWaitMs = Number.POSITIVE_INFINITY } = this.options;
    return sinceMs() + maxWaitMs - this.nowMs();
  }
}
